/** Calls with a number each, so that every one of them can be looked for. */

import type { CallRecord } from '../../src/metrics/metrics.ts';

const sharedTools = 12;
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Every other call has a tool of its own, so that its sum is that call alone; the others share a few. Some of those with
 * a tool of their own are dated long ago, so that a roll-up also has rows to remove.
 */
export function numberedCall(number: number, now: number): CallRecord {
  const isShared = number % 2 === 0;
  return {
    at: number % 5 === 1 && !isShared ? now - 3 * dayMs : now,
    server: isShared ? 'shared' : 'single',
    tool: isShared ? `tool-${number % sharedTools}` : String(number),
    outcome: number % 7 === 0 ? 'tool' : 'ok',
    errorType: null,
    error: number % 7 === 0 ? 'No.' : null,
    ms: number % 100,
    requestBytes: 1,
    resultBytes: 1,
    way: 'execute',
    isCached: false,
    principal: 'owner',
    session: String(number),
    previous: null,
    query: `query ${number % 6}`,
    suggestedFor: null,
  };
}
