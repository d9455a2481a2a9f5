/** Cuts the logs, calls and notes of a program to fit its answer, and counts the rest. */

import { jsonSize } from '../base/json.ts';
import type { KeptValue, ProgramCall } from './call-ledger.ts';

/** Bytes of the line that says how much is missing. */
const noteBytes = 40;

/** The parts of an answer beside its result or its trouble. */
interface AnswerParts {
  readonly kept: readonly KeptValue[];
  readonly notes: readonly string[];
  readonly calls: readonly ProgramCall[];
  readonly logs: readonly string[];
  /** Lines of the log that nobody has. */
  readonly lostLogs: number;
}

/** Of the room, where not all fits. */
const shares = { kept: 0.2, notes: 0.15, calls: 0.3, logs: 0.35 };
/** All of them together, beside a large result. */
const leastShare = 0.3;
/** In this order what some leave of their share goes to the others: an address that is not told is lost. */
const partNames = ['kept', 'notes', 'calls', 'logs'] as const;

/** The parts within `room` bytes of JSON: whole if they fit together, else each its share and what the others leave. */
export function cutParts(parts: AnswerParts, room: number): Omit<AnswerParts, 'lostLogs'> {
  const bytes = shareOut(parts, room);
  return {
    kept: cutList(parts.kept, bytes.kept),
    notes: cutList(parts.notes, bytes.notes),
    calls: cutCalls(parts.calls, bytes.calls),
    logs: cutLogs(parts.logs, parts.lostLogs, bytes.logs),
  };
}

/** The bytes that the parts keep however large the result is; the logs keep only a note. */
export function leastBytes(parts: AnswerParts, room: number): number {
  const most = room * leastShare;
  const needed = partNames.reduce((sum, name) => sum + (name === 'logs' ? noteBytes : needOf(parts, name, most)), 0);
  return Math.min(needed, most);
}

function shareOut(parts: AnswerParts, room: number): Record<(typeof partNames)[number], number> {
  const bytes = { kept: 0, notes: 0, calls: 0, logs: 0 };
  let left = room;
  for (const ofShare of [true, false]) {
    for (const name of partNames) {
      const more = Math.min(needOf(parts, name, room) - bytes[name], ofShare ? shares[name] * room : left);
      bytes[name] += more;
      left -= more;
    }
  }
  return bytes;
}

function needOf(parts: AnswerParts, name: (typeof partNames)[number], most: number): number {
  return jsonSize(parts[name], most) + (name === 'logs' ? noteBytes : 0);
}

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
export function cutCalls(rows: readonly ProgramCall[], maxBytes: number): readonly ProgramCall[] {
  if (jsonSize(rows, maxBytes) <= maxBytes) return rows;
  const shown: ProgramCall[] = [];
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
function cutList<T>(items: readonly T[], maxBytes: number): readonly T[] {
  let room = maxBytes - 2;
  const end = items.findIndex((item) => {
    room -= jsonSize(item, room) + 1;
    return room < 0;
  });
  return end === -1 ? items : items.slice(0, end);
}
