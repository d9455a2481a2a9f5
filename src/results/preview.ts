/** The beginning of a result within a number of bytes: whole rows and whole lines as far as that goes. */

import { jsonSize } from '../base/json.ts';
import type { PartFacts, ResultSummary } from './part-facts.ts';
import { splitRows } from './read-page.ts';
import { tidied } from './tidy-json.ts';

/** JSON that came as text is shown by its lines, unless they are longer than this. */
const readableLine = 1_000;
/** Bytes of the note about the cut, at most. */
const noteBytes = 100;
/** Of what a result may take, the part that its beginning gets where the rest is left out. */
const previewShare = 0.25;
/** The least that its beginning gets, however little the result may take: without it nobody knows what there is to read. */
export const leastPreviewBytes = 500;

/** Bytes of the beginning that is shown of a result that may take `maxBytes` and is larger. */
export function previewBytes(maxBytes: number): number {
  return Math.max(leastPreviewBytes, Math.floor(maxBytes * previewShare));
}

interface Beginning {
  readonly unit: 'line' | 'row';
  readonly total: number | null;
  readonly lines: readonly string[];
  /** How many of the first lines are no rows. */
  readonly extra: number;
}

/** Within this number of bytes, as they are sent. Empty where there is nothing to show, or no room for it. */
export function previewOf({ parts, heads }: ResultSummary, maxBytes: number): string {
  const taken: string[] = [];
  const left = { bytes: maxBytes - noteBytes };
  const isShown = ({ kind, isCopy }: PartFacts) => kind !== 'binary' && !isCopy;
  const isLabelled = parts.filter(isShown).length > 1;
  for (const [at, facts] of parts.entries()) {
    if (!isShown(facts)) continue;
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

function take(line: string, left: { bytes: number }, taken: string[]): boolean {
  // A line break takes as much as the two quotes that are counted.
  const bytes = jsonSize(line, left.bytes);
  if (bytes > left.bytes) return false;
  left.bytes -= bytes;
  taken.push(line);
  return true;
}

/** As much of a line as fits with an ellipsis. */
function cutLine(line: string, left: { readonly bytes: number }): string {
  const room = left.bytes - Buffer.byteLength('…');
  let piece = line.slice(0, Math.max(0, room)).toWellFormed();
  for (let size = jsonSize(piece); size > room && piece !== ''; size = jsonSize(piece))
    piece = line.slice(0, Math.min(piece.length - 1, Math.floor((piece.length * room) / size))).toWellFormed();
  return piece;
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
