/** What of a program's logs, calls and notes fits into its answer, and what is said of the rest. */

import { jsonSize } from '../../base/json-size.ts';
import type { CallRow } from './call-ledger.ts';

/** Bytes of the line that says how much is missing. */
const noteBytes = 40;

/** As many lines as fit, from the beginning and the end; `lost` are lines after these that nobody has. */
export function cutLogs(lines: readonly string[], lost: number, maxBytes: number): readonly string[] {
  const whole = lost > 0 ? [...lines, missing(lost)] : lines;
  if (jsonSize(whole, maxBytes) <= maxBytes) return whole;
  const head: string[] = [];
  const tail: string[] = [];
  let room = maxBytes - noteBytes;
  for (let from = 0, to = lines.length - 1; from <= to; ) {
    // The beginning says what was meant, the end what came of it: both get the same.
    const isHead = head.length <= tail.length;
    const line = lines[isHead ? from : to] as string;
    room -= jsonSize(line, room) + 1;
    if (room < 0) break;
    if (isHead) {
      head.push(line);
      from += 1;
    } else {
      tail.unshift(line);
      to -= 1;
    }
  }
  const left = lines.length - head.length - tail.length + lost;
  return maxBytes < noteBytes ? [] : [...head, missing(left), ...tail];
}

function missing(count: number): string {
  return `… ${count} ${count === 1 ? 'line' : 'lines'} left out …`;
}

/** As many rows as fit; one more stands for the others. */
export function cutCalls(rows: readonly CallRow[], maxBytes: number): readonly CallRow[] {
  if (jsonSize(rows, maxBytes) <= maxBytes) return rows;
  const shown: CallRow[] = [];
  let room = maxBytes - 100;
  for (const row of rows) {
    room -= jsonSize(row, room) + 1;
    if (room < 0) break;
    shown.push(row);
  }
  const others = rows.slice(shown.length);
  const count = others.reduce((sum, row) => sum + (row.count ?? 1), 0);
  const ms = others.reduce((sum, row) => sum + row.ms, 0);
  const sum = {
    tool: 'others',
    ms,
    ok: others.every(({ ok }) => ok),
    cached: others.every(({ cached }) => cached),
    count,
  };
  return [...shown, sum];
}

/** The first of a list that fit. */
export function cutList<T>(items: readonly T[], maxBytes: number): readonly T[] {
  let room = maxBytes - 2;
  const end = items.findIndex((item) => {
    room -= jsonSize(item, room) + 1;
    return room < 0;
  });
  return end === -1 ? items : items.slice(0, end);
}
