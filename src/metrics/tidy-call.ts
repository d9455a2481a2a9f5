/** A record in the form in which every store can keep it: finite numbers, short texts. */

import type { CallRecord } from '../store/store.ts';

/** Characters of an error and of a query that are kept. */
export const mostErrorCharacters = 200;
export const mostQueryCharacters = 300;
/** The latest time that a date can hold. */
const latestTime = 8.64e15;

export function tidyCall(call: CallRecord, now: number): CallRecord {
  return {
    ...call,
    at: call.at >= 0 && call.at <= latestTime ? Math.floor(call.at) : now,
    ms: Number.isFinite(call.ms) ? Math.max(0, call.ms) : 0,
    error: shortened(call.error, mostErrorCharacters),
    requestBytes: wholeNumber(call.requestBytes),
    resultBytes: wholeNumber(call.resultBytes),
    query: shortened(call.query, mostQueryCharacters),
  };
}

function wholeNumber(value: number): number {
  return value > 0 && value <= Number.MAX_SAFE_INTEGER ? Math.floor(value) : 0;
}

/** Never ends in half a character. */
function shortened(text: string | null, most: number): string | null {
  if (text === null || text.length <= most) return text;
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}
