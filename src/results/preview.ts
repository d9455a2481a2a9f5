/** The beginning of a result within a number of tokens: whole rows and whole lines as far as that goes. */

import { cutToTokens, estimateTokens } from '../base/estimate-tokens.ts';
import { jsonSize } from '../base/json-size.ts';
import type { PartFacts, Portrait } from './part-facts.ts';
import { splitRows } from './read-page.ts';
import { tidied } from './tidy-json.ts';

/** JSON that came as text is shown by its lines, unless they are longer than this. */
const readableLine = 1_000;
/** What the note about the cut takes at most. */
const noteTokens = 20;

export interface PreviewRoom {
  readonly tokens: number;
  /** As they are sent. */
  readonly bytes: number;
}

interface Beginning {
  readonly unit: 'line' | 'row';
  readonly total: number | null;
  readonly lines: readonly string[];
  /** How many of the first lines are no rows. */
  readonly extra: number;
}

/** Empty where there is nothing to show, or no room for it. */
export function previewOf({ parts, heads }: Portrait, room: PreviewRoom): string {
  const taken: string[] = [];
  const left = { tokens: room.tokens - noteTokens, bytes: room.bytes - 100 };
  const isLabelled = parts.filter(({ kind }) => kind !== 'binary').length > 1;
  for (const [at, facts] of parts.entries()) {
    if (facts.kind === 'binary') continue;
    const begin = beginningOf(facts, heads[at] ?? '');
    if (isLabelled && !take(`Part ${at + 1}:`, left, taken)) break;
    let shown = 0;
    while (shown < begin.lines.length && take(begin.lines[shown] as string, left, taken)) shown += 1;
    if (isComplete(begin, shown, facts, heads[at] ?? '')) continue;
    if (shown === 0) return finish(taken, cutLine(begin.lines[0] ?? '', left), '[Cut here, inside it.]');
    const of = begin.total === null ? '' : ` of ${begin.total}`;
    const count = Math.max(0, shown - begin.extra);
    return finish(taken, '', `[Cut here: ${count}${of} ${begin.unit}s are shown.]`);
  }
  return taken.join('\n');
}

function finish(taken: readonly string[], piece: string, note: string): string {
  if (taken.length === 0 && piece === '') return '';
  return [...taken, ...(piece === '' ? [] : [`${piece}…`]), note].join('\n');
}

function take(line: string, left: { tokens: number; bytes: number }, taken: string[]): boolean {
  const bytes = jsonSize(line);
  // A line may be joined to its line break in another way than alone.
  const tokens = line.length > left.bytes ? Number.POSITIVE_INFINITY : estimateTokens(`${line}\n`) + 1;
  if (tokens > left.tokens || bytes > left.bytes) return false;
  left.tokens -= tokens;
  left.bytes -= bytes;
  taken.push(line);
  return true;
}

function cutLine(line: string, left: { readonly tokens: number; readonly bytes: number }): string {
  // The ellipsis and the line break take two or three; a byte takes at most six as it is sent.
  const piece = cutToTokens(line, left.tokens - 4);
  return jsonSize(piece) <= left.bytes ? piece : piece.slice(0, Math.floor(left.bytes / 6)).toWellFormed();
}

function beginningOf(facts: PartFacts, head: string): Beginning {
  const isCut = Buffer.byteLength(head) < facts.bytes;
  const rows = facts.json?.rows;
  if (!rows || (facts.kind === 'text' && facts.longestLine <= readableLine)) {
    const lines = head.split('\n');
    // The last one is cut, unless it is the only one or the end.
    if (lines.length > 1 && (isCut || lines.at(-1) === '')) lines.pop();
    return { unit: 'line', total: facts.lines, lines, extra: 0 };
  }
  const bytes = Buffer.from(head);
  const before = tidied(bytes.subarray(0, rows.start)).toString();
  const items = splitRows(bytes.subarray(rows.start, rows.end));
  if (bytes.length < rows.end && items.length > 1) items.pop();
  const lines = [before, ...items.map((item) => tidied(item).toString())];
  const after = isCut ? [] : [tidied(bytes.subarray(rows.end)).toString()];
  return { unit: 'row', total: rows.count, lines: [...lines, ...after], extra: 1 };
}

function isComplete({ lines }: Beginning, shown: number, facts: PartFacts, head: string): boolean {
  return shown === lines.length && Buffer.byteLength(head) >= facts.bytes;
}
