/** A call as tests make it up. */

import type { CallRecord } from '../../src/store/store.ts';

export function madeUpCall(more: Partial<CallRecord> = {}): CallRecord {
  return {
    at: Date.UTC(2026, 0, 1),
    server: 's',
    tool: 'a',
    outcome: 'ok',
    errorType: null,
    error: null,
    ms: 10,
    requestBytes: 1,
    resultBytes: 2,
    way: 'execute',
    isCached: false,
    principal: 'owner',
    session: 'one',
    previous: null,
    query: null,
    suggestedFor: null,
    ...more,
  };
}

export function numberedCall(number: number): CallRecord {
  return madeUpCall({ session: String(number) });
}
