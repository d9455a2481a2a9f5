/** Renders the results and dry runs of `install` and `uninstall`. */

import { type AgentId, agents, ownEntry } from '../../../agent-files/agent-files.ts';
import { compareTexts } from '../../../base/compare-texts.ts';
import { KnownSecrets, mask, redactText } from '../../../base/redact.ts';
import { visibleLine } from '../../../base/visible.ts';
import type { CommandContext } from '../context.ts';
import type { Style } from '../style.ts';

interface FileRow {
  readonly agent: AgentId;
  readonly scope: string;
  readonly file: string;
  /** Lines that go and come, with a sign before each; null: the change was made. */
  readonly change: readonly string[] | null;
}

export interface InstallRow extends FileRow {
  readonly state: 'installed' | 'unchanged' | 'planned';
  readonly transport: 'http' | 'stdio';
  readonly surface: string;
  /** A caution about the way in; null: none is needed. */
  readonly note: string | null;
  /** Servers that were taken out of the file. */
  readonly moved: readonly string[];
  /** Servers that stay in it although they were to be moved. */
  readonly left: readonly { readonly name: string; readonly reason: string }[];
}

export interface UninstallRow extends FileRow {
  readonly isFileGone: boolean;
  readonly putBack: readonly string[];
  /** Entries that somebody wrote since, in place of ours or of one that would have come back. */
  readonly left: readonly string[];
  /** A copy of the backup, kept because it has entries that did not come back. */
  readonly backup: string | null;
}

/** The lines that differ, without secrets. */
export function changedLines(before: string | null, after: string | null, secrets: readonly string[]): string[] {
  const known = new KnownSecrets();
  known.set('file', secrets);
  const rows = compareTexts(before ?? '', after ?? '');
  return rows.flatMap((row) => {
    const [old, now] = [row.before, row.after].map((parts) => parts?.map(({ text }) => text).join(''));
    if (old === now) return [];
    const sides = [
      old === undefined || before === null ? [] : [`- ${old}`.trimEnd()],
      now === undefined ? [] : [`+ ${now}`.trimEnd()],
    ];
    return sides.flat().map((line) => redactText(known.mask(line, mask)));
  });
}

export function renderInstalls(rows: readonly InstallRow[], isRunning: boolean, context: CommandContext): string {
  const { style } = context;
  const needsGateway = !isRunning && rows.some(({ state, transport }) => state !== 'planned' && transport === 'http');
  const parts = rows.map((row) => {
    const left = row.left.map(({ name, reason }) => visibleLine(`${name} (${reason})`)).join(', ');
    const leftLines = left === '' ? [] : [`  ${style.faint('left')}   ${left}`];
    const noteLines = row.note === null ? [] : [`  ${style.faint('note')}   ${row.note}`];
    if (row.change !== null) return [renderChange(row, row.change, style), ...leftLines, ...noteLines].join('\n');
    const way = `over ${row.transport === 'http' ? 'HTTP' : 'stdio'}, surface ${row.surface}`;
    const lines = [
      `${style.tick}${style.strong(agents[row.agent].title)} ${row.state === 'installed' ? 'uses Toolcrib' : 'uses Toolcrib already'} (${way}).`,
      `  ${style.faint('file')}   ${visibleLine(row.file)}`,
      ...(row.moved.length === 0 ? [] : [`  ${style.faint('moved')}  ${row.moved.map(visibleLine).join(', ')}`]),
      ...leftLines,
      ...noteLines,
      `  ${style.faint('undo')}   toolcrib uninstall ${row.agent}`,
    ];
    return lines.join('\n');
  });
  return [...parts, ...(needsGateway ? ['No gateway is running now. Start it: toolcrib start'] : [])].join('\n\n');
}

/** `absent`: titles of agents without Toolcrib. */
export function renderUninstalls(
  rows: readonly UninstallRow[],
  absent: readonly string[],
  { style }: CommandContext,
): string {
  const parts = rows.map((row) => {
    if (row.change !== null) return renderChange(row, row.change, style);
    const left = row.left.filter((name) => name !== ownEntry);
    const facts = [
      `${visibleLine(row.file)}${endOf(row)}.`,
      ...(row.putBack.length === 0 ? [] : [`Put back: ${row.putBack.map(visibleLine).join(', ')}.`]),
      ...(left.length === 0
        ? []
        : [`Not put back, because the file has them again: ${left.map(visibleLine).join(', ')}.`]),
      ...(row.backup === null ? [] : [`The old entries are in ${visibleLine(row.backup)}`]),
    ];
    return `${style.tick}${style.strong(agents[row.agent].title)}: ${facts.join(' ')}`;
  });
  return [...parts, ...absent.map((title) => `Toolcrib is not installed in ${title}.`)].join('\n');
}

function endOf({ isFileGone, left }: UninstallRow): string {
  if (left.includes(ownEntry)) return ` keeps its entry "${ownEntry}", which was changed and leads elsewhere`;
  return isFileGone ? ', which was made for it, is deleted' : ' no longer has Toolcrib';
}

function renderChange({ file }: FileRow, change: readonly string[], style: Style): string {
  const lines = change.map((line) =>
    line.startsWith('-') ? style.bad(visibleLine(line)) : style.good(visibleLine(line)),
  );
  return [`${style.strong(visibleLine(file))}:`, ...(lines.length === 0 ? ['no change'] : lines)].join('\n');
}
