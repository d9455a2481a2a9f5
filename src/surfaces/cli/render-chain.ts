/** Renders the result of a program, its log and its calls. */

import { isObject } from '../../base/json.ts';
import { printableLines } from '../../base/text.ts';
import type { CommandContext } from './context.ts';
import { toPrintableJson } from './print.ts';
import { table } from './table.ts';

type Data = Readonly<Record<string, unknown>>;

/** The result: a text as it is, everything else as JSON. */
export function renderChain({ result }: Data): string {
  return typeof result === 'string' ? printableLines(result) : toPrintableJson(result, 2);
}

/** Where it failed, its log, what was noted or kept, and its calls as a table. */
export function renderChainCourse(data: Data, { style, width }: CommandContext): string {
  const rows = listOf(data.calls).filter(isObject);
  const calls = table(
    rows,
    [
      { title: 'CALL', cell: (row) => String(row.tool) },
      { title: 'TIMES', cell: (row) => (row.count === undefined ? '' : String(row.count)), isNumber: true },
      { title: 'MS', cell: (row) => String(row.ms), isNumber: true },
      { title: 'ENDED', cell: ended },
    ],
    { style, width },
  );
  const where = typeof data.excerpt === 'string' ? [`line ${String(data.line)}: ${data.excerpt}`] : [];
  const kept = listOf(data.kept)
    .filter(isObject)
    .map(({ name, uri }) => `kept: ${[name, uri].filter(Boolean).join(' ')}`);
  const notes = listOf(data.notes).map((note) => `note: ${String(note)}`);
  const lines = [...where, ...listOf(data.logs), ...kept, ...notes];
  return [printableLines(lines.map(String).join('\n')), rows.length === 0 ? '' : calls]
    .filter((part) => part !== '')
    .join('\n');
}

function ended({ ok, cached, error }: Data): string {
  if (error === 'CANCELLED') return 'cancelled, may have taken effect';
  if (ok !== true) return error === undefined ? 'failed' : `failed (${String(error)})`;
  return cached === true ? 'ok, cached' : 'ok';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
