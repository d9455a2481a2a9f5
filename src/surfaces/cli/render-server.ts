/** A server as people read about it. */

import type { OutputOf, ServerOutcome } from '../../admin/admin.ts';
import { GatewayError } from '../../base/errors.ts';
import { plural } from '../../base/plural.ts';
import { printable } from '../../base/text.ts';
import { visibleLine } from '../../base/visible.ts';
import { connectionInWords, isPassing, lastErrorOf } from '../wording/wording.ts';
import type { CommandOutcome } from './command.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-code.ts';
import { kindNote, reasonInWords } from './render-changes.ts';
import type { Style } from './style.ts';
import { table } from './table.ts';

export type ServerRow = OutputOf<'servers.list'>[number];

export function renderServers(rows: readonly ServerRow[], context: CommandContext, now: number): string {
  const { style, width } = context;
  return table(
    rows,
    [
      { title: 'NAME', cell: (row) => row.name, paint: (text) => style.strong(text) },
      { title: 'STATE', cell: stateText, paint: (text, row) => paintState(text, row.state, style) },
      { title: 'TRANSPORT', cell: (row) => connectionInWords(row) },
      { title: 'TOOLS', cell: (row) => (row.listedAt === null ? '' : String(row.toolCount)), isNumber: true },
      { title: 'REVIEW', cell: reviewText, paint: (text) => style.notice(text) },
      { title: 'NEXT TRY', cell: (row) => waitUntil(row.nextRetryAt, now) },
      { title: 'LAST ERROR', cell: (row) => lastErrorOf(row), isProse: true },
    ],
    { style, width },
  );
}

type Counted = Pick<ServerRow, 'name' | 'heldCount' | 'changedCount' | 'markedCount'>;

function reviewText({ heldCount, changedCount, markedCount }: Counted): string {
  const waiting = heldCount + changedCount;
  const parts = [
    ...(waiting > 0 ? [`${waiting} wait`] : []),
    ...(markedCount > 0 ? [`${markedCount} worth a look`] : []),
  ];
  return parts.join(', ');
}

/** One line for definitions that wait for the owner, and one for those worth a look. */
export function remarkOn(rows: readonly Counted[]): string[] {
  const line = (countIn: (row: Counted) => number, one: string, several: string) => {
    const concerned = rows.filter((row) => countIn(row) > 0);
    const count = concerned.reduce((sum, row) => sum + countIn(row), 0);
    const names = concerned.map(({ name }) => name).join(', ');
    return count === 0
      ? []
      : [`${plural(count, 'definition')} of ${names} ${count === 1 ? one : several}: toolcrib review`];
  };
  return [
    ...line(
      ({ heldCount, changedCount }) => heldCount + changedCount,
      'waits for your approval',
      'wait for your approval',
    ),
    ...line(({ markedCount }) => markedCount, 'is worth a look', 'are worth a look'),
  ];
}

/** After adding or enabling: the tools, or why there are none yet. The server stays registered either way. */
export function renderAdded(server: ServerOutcome, context: CommandContext, verb = 'added'): CommandOutcome {
  const { style } = context;
  const name = style.strong(server.name);
  if (server.state === 'installing') {
    const text = `Server ${name} is ${verb}. It is being installed (${server.installingSeconds} s so far), and its tools come after that: toolcrib list`;
    return { data: server, text };
  }
  if (server.listedAt === null || server.staleSince !== null || server.state === 'failed') {
    const why = server.lastError ?? `it is ${server.state}`;
    return {
      data: server,
      text: `Server ${name} is ${verb} and stays registered, but it does not work yet.`,
      trouble: new GatewayError('SERVER_NOT_RUNNING', why, {
        hint: `${withDoctor(server.hint)} To take it out: toolcrib remove ${server.name}`,
      }),
      exitCode: exitCodes.failed,
    };
  }
  const tools = server.tools.map((tool) => `  ${visibleLine(`${server.name}:${tool}`)}`);
  const head = `${style.tick}Server ${name} is ${verb} (${connectionInWords(server)}), with ${plural(tools.length, 'tool')}${tools.length > 0 ? ':' : '.'}`;
  return { data: server, text: [head, ...tools].join('\n'), remarks: remarkOnAdded(server) };
}

/** The hint, with where to learn more unless it says so itself. */
export function withDoctor(hint: string | null | undefined): string {
  if (hint?.includes('toolcrib doctor')) return hint;
  return `${hint ? `${hint} ` : ''}More: toolcrib doctor.`;
}

/** Held-back things that are named at once. */
const mostNamed = 5;

/** Which tools are missing, and why: for the person who just added the server. */
function remarkOnAdded(server: ServerOutcome): string | undefined {
  const remarks = [...server.notes.map((note) => `note: ${printable(note)}`), ...remarkOn([server])];
  if (server.held.length === 0) return remarks.length === 0 ? undefined : remarks.join('\n');
  const named = server.held.slice(0, mostNamed).map((held) => {
    const [first] = held.reasons;
    const what = held.kind === 'server' ? server.name : `${server.name}:${held.name}`;
    return `  ${visibleLine(what)}${kindNote(held)}${first ? `: ${reasonInWords(first)}` : ''}`;
  });
  const others = server.held.length - named.length;
  return [...remarks, 'Held back:', ...named, ...(others > 0 ? [`  … and ${others} more`] : [])].join('\n');
}

function paintState(text: string, state: string, style: Style): string {
  if (state === 'connected') return style.good(text);
  if (state === 'failed') return style.bad(text);
  return isPassing(state) ? style.notice(text) : style.faint(text);
}

function stateText({ state, installingSeconds }: ServerRow): string {
  return installingSeconds === null ? state : `${state} ${installingSeconds} s`;
}

function waitUntil(time: string | null, now: number): string {
  if (time === null) return '';
  return `in ${Math.max(0, Math.ceil((Date.parse(time) - now) / 1_000))} s`;
}
