/** The record of a call in the audit: what the call went through, on a server that takes as long as it is told. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeCall, saying } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import type { AuditEvent } from '../audit/audit.ts';
import { GatewayError } from '../base/errors.ts';
import { jsonSize } from '../base/json.ts';
import { silentLog } from '../base/log.ts';
import type { Result } from '../protocol/messages.ts';
import type { Call } from './call.ts';
import { Caller, type CallerOptions, CallRecorder } from './caller.ts';

/** A caller whose server does what `respond` says. */
function setUp(respond: (clock: ManualClock) => Promise<Result>) {
  const clock = new ManualClock();
  const events: AuditEvent[] = [];
  const recorder = new CallRecorder(clock);
  // Only what an ordinary call uses of the other layers.
  const caller = new Caller({
    downstream: { roots: {}, request: () => respond(clock) },
    results: {},
    metrics: { record: async () => {} },
    audit: { recordOf: (event: AuditEvent) => events.push(event) },
    approvals: {},
    recorder,
    config: () => ({ limits: { callsPerMinute: 100 }, calls: { maxFallbacks: 3 } }),
    clock,
    log: silentLog,
    onVerdict() {},
  } as unknown as CallerOptions);
  return async (parts: Partial<Call> = {}) => {
    await caller.execute(madeCall(parts)).catch(() => {});
    return events.at(-1)?.detail;
  };
}

const sizes = {
  requestBytes: jsonSize({ path: 'a' }),
  resultBytes: jsonSize(saying('done')),
};

test('a quick call says how it came and how large it was', async () => {
  const detailOf = setUp(async () => saying('done'));
  assert.deepEqual(await detailOf(), { way: 'execute', ...sizes });
});

test('the time at the server is told, also of a call that fails, and what is used again takes none', async () => {
  const slowly = async (clock: ManualClock) => {
    await clock.advance(250.4);
    return saying('done');
  };
  const detailOf = setUp(slowly);
  const cached = { cacheTtlMs: 1_000 };
  assert.deepEqual(await detailOf(cached), { way: 'execute', ...sizes, stages: { link: 250 } });
  assert.equal((await detailOf(cached))?.isCached, true);
  assert.equal((await detailOf(cached))?.stages, undefined);
  const failing = setUp(async (clock) => {
    await clock.advance(30);
    throw new GatewayError('SERVER_DISCONNECTED', 'The server "files" is gone.');
  });
  assert.deepEqual(await failing(), {
    way: 'execute',
    ...sizes,
    resultBytes: 0,
    error: 'The server "files" is gone.',
    stages: { link: 30 },
  });
});

test('corrected arguments and alternatives are told', async () => {
  const detailOf = setUp(async () => saying('No.', { isError: true }));
  const inputSchema = { type: 'object', properties: { count: { type: 'integer' } } };
  const alternative = { server: 'disk', tool: 'get', toolKey: 'disk:get', similarity: 1, successRate: 1, reason: '' };
  const advisor = { alternatives: async () => [alternative], nameOf: (key: string) => key, retry: () => undefined };
  const definition = { name: 'read', inputSchema };
  const detail = await detailOf({ params: { arguments: { count: '7' } }, definition, advisor });
  assert.deepEqual([detail?.isCorrected, detail?.alternatives, detail?.error], [true, ['disk:get'], 'No.']);
});
