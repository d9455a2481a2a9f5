/** Tests of the host of a program: its questions and their answers, the agent behind its calls, and its record when it is over. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent, saying } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { Call } from '../caller/caller.ts';
import type { Entry, ServerEntry } from '../catalog/catalog.ts';
import { parseServer } from '../config/config.ts';
import type { Result, RpcNotification } from '../protocol/messages.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { agentOfCall, CallProgress, ProgramHost } from './program-host.ts';

const agent: Principal = { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' };
const { signal } = new AbortController();

interface Setup {
  readonly host: ProgramHost;
  readonly made: readonly Call[];
}

/** A host for one server with one tool, whose calls end as `execute` says. */
function sceneOf(execute: (call: Call) => Promise<Result> = async () => saying('done')): Setup {
  const spec = parseServer('shop', { command: 'serve', cacheTtlMs: 500 }, {}, 'file');
  const definition = {
    name: 'list',
    description: 'Lists. All of it.',
    inputSchema: { type: 'object', properties: { a: {} } },
  };
  const tool: Entry = {
    key: 'shop:list',
    server: 'shop',
    name: 'list',
    serverName: 'list',
    definition,
    fingerprint: 'f',
  };
  const snapshot = {
    servers: new Map([
      ['shop', { spec, tools: [tool], listedAt: 1, hiddenTools: new Map() } as unknown as ServerEntry],
    ]),
    tools: new Map([[tool.key, tool]]),
  };
  const made: Call[] = [];
  // Only these members are used.
  const layers = {
    catalog: { snapshot, pins: { isRenewed: () => false }, settle: async () => {} },
    config: () => ({ keys: { ttlMinutes: 0 }, calls: { timeoutMs: 1_000 }, chains: { memoryMb: 64 } }),
    clock: new ManualClock(),
    search: { queryBehind: () => null },
    access: { renew: (principal: Principal) => principal },
    results: { keep: async () => ({ uri: 'toolcrib://result/x', bytes: 5 }) },
    caller: {
      execute: (call: Call) => {
        made.push(call);
        return execute(call);
      },
    },
    audit: { record: async () => {} },
  } as unknown as Uses<LayerName>;
  return { host: new ProgramHost(layers, { principal: agent, agent: madeAgent({ progressToken: 1 }) }), made };
}

async function refused(asked: Promise<unknown>, code: string, words: RegExp): Promise<GatewayError> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GatewayError && error.code === code, String(error));
  assert.match(`${error.message} ${error.hint}`, words);
  return error;
}

test("a call is an ordinary call of the agent, without its progress and with the server's reuse", async () => {
  const { host, made } = sceneOf(async () => saying('{"rows":[1]}', { _meta: { 'toolcrib/cached': { ageMs: 1 } } }));
  const input = { server: 'shop', tool: 'list', arguments: { a: 1 } };
  assert.equal(await host.answer({ kind: 'call', input }, signal), '{"rows":[1]}');
  const [call] = made;
  assert.deepEqual(
    [call?.way, call?.principal, call?.params, call?.cacheTtlMs, call?.agent.signal, call?.agent.progressToken],
    ['chain', agent, { arguments: { a: 1 }, name: 'list' }, 500, signal, undefined],
  );
  assert.deepEqual(host.ledger.rows(), [{ tool: 'shop:list', ms: 0, ok: true, cached: true }]);
});

test('trouble of a call says which tool, and is listed', async () => {
  const { host } = sceneOf(async () => {
    throw new GatewayError('TIMEOUT', 'It did not answer.', { hint: 'Wait.', data: { waitedMs: 5 } });
  });
  const error = await refused(
    host.answer({ kind: 'call', input: { toolKey: 'shop:list' } }, signal),
    'TIMEOUT',
    /Wait/,
  );
  assert.deepEqual(error.data, { waitedMs: 5, tool: 'shop:list' });
  assert.deepEqual(host.ledger.rows(), [{ tool: 'shop:list', ms: 0, ok: false, cached: false, error: 'TIMEOUT' }]);
  assert.equal(host.failedCalls.get('shop:list')?.key, 'shop:list');
});

test('an invalid call is refused before it is made', async () => {
  const { host, made } = sceneOf();
  for (const given of ['text', 7, [1]])
    await refused(
      host.answer({ kind: 'call', input: { toolKey: 'shop:list', arguments: given } }, signal),
      'ARGUMENTS_INVALID',
      /one object: servers\.shop\.list\(\{ name: value \}\)/,
    );
  await refused(host.answer({ kind: 'call', input: null }, signal), 'TOOLKEY_INVALID', /A toolKey is needed/);
  await refused(host.answer({ kind: 'types', input: {} }, signal), 'ARGUMENTS_INVALID', /types\("server"\).*shop/);
  await refused(host.answer({ kind: 'load', input: { uri: 'file:///etc' } }, signal), 'ARGUMENTS_INVALID', /toolcrib:/);
  await refused(host.answer({ kind: 'keep', input: {} }, signal), 'ARGUMENTS_INVALID', /nothing to keep/);
  assert.deepEqual([made.length, host.ledger.rows()], [0, []]);
});

test('a schema comes with what is told of a tool, unless only the sentence is wanted', async () => {
  const { host } = sceneOf();
  const info = async (more: object) =>
    JSON.parse(await host.answer({ kind: 'info', input: { toolKey: 'shop.list', ...more } }, signal)) as Record<
      string,
      unknown
    >;
  assert.deepEqual((await info({})).inputSchema, { type: 'object', properties: { a: {} } });
  assert.equal((await info({ detail: 'brief' })).inputSchema, undefined);
});

test('values are kept up to a number, with the names they were given', async () => {
  const { host } = sceneOf();
  const keep = (input: object) => host.answer({ kind: 'keep', input }, signal);
  assert.equal(await keep({ value: { a: 1 }, name: 'mine' }), '"toolcrib://result/x"');
  for (let count = 1; count < 50; count += 1) await keep({ value: null });
  await refused(keep({ value: 1 }), 'RATE_LIMITED', /at most 50 values.*one list or object/);
  assert.deepEqual(host.kept.slice(0, 2), [
    { name: 'mine', uri: 'toolcrib://result/x', bytes: 5 },
    { uri: 'toolcrib://result/x', bytes: 5 },
  ]);
});

test('a host is busy until the last call has ended', async () => {
  const pending = Promise.withResolvers<Result>();
  const { host } = sceneOf(() => pending.promise);
  const calling = host.answer({ kind: 'call', input: { toolKey: 'shop:list' } }, signal);
  assert.equal(host.isBusy, true);
  let isSettled = false;
  const settled = host.settled().then(() => {
    isSettled = true;
  });
  await Promise.resolve();
  assert.equal(isSettled, false);
  pending.resolve(saying('late'));
  assert.equal(await calling, '"late"');
  await settled;
  assert.equal(host.isBusy, false);
});

test('[CHAIN-39] numbers that JavaScript would round come as texts, and a note says where', async () => {
  const { host } = sceneOf(async () => saying('{"rows":[{"id":1234567890123456789}]}'));
  const input = { toolKey: 'shop:list' };
  assert.equal(await host.answer({ kind: 'call', input }, signal), '{"rows":[{"id":"1234567890123456789"}]}');
  await host.answer({ kind: 'call', input }, signal);
  assert.equal(host.notes.size, 1);
  assert.match([...host.notes].join(), /The result of shop:list has numbers .* texts: rows\[\]\.id\./);
});

test('of types, names count once and only so many can be asked for', async () => {
  const { host } = sceneOf();
  const types = (names: unknown[]) => host.answer({ kind: 'types', input: { names } }, signal);
  assert.equal(await types(Array(100_000).fill('shop')), await types(['shop']));
  const many = Array.from({ length: 101 }, (_, at) => `shop:${at}`);
  await refused(types(many), 'ARGUMENTS_INVALID', /101 names; at most 100/);
});

test('the kept values of a program are bounded in bytes, too', async () => {
  const { host } = sceneOf();
  const keep = () => host.answer({ kind: 'keep', input: { value: 'x'.repeat(10 * 2 ** 20) } }, signal);
  for (let kept = 0; kept < 3; kept += 1) await keep();
  await refused(keep(), 'TOO_LARGE', /at most 33554432 bytes/);
  assert.equal(host.kept.length, 3);
});

test('only an agent that answers while a call goes on can be asked by it', () => {
  const capabilities = { elicitation: {} };
  const modern = agentOfCall(madeAgent({ capabilities, progressToken: 7 }), signal);
  assert.deepEqual([modern.capabilities, modern.ask, modern.progressToken], [{}, undefined, undefined]);
  const ask = async () => ({});
  const legacy = agentOfCall(madeAgent({ era: 'legacy', capabilities, ask }), signal);
  assert.deepEqual([legacy.capabilities, legacy.ask, legacy.signal], [capabilities, ask, signal]);
});

test('progress grows, comes at intervals, and only where it was asked for', async () => {
  const heard: RpcNotification[] = [];
  const clock = new ManualClock();
  const notify = (message: RpcNotification) => heard.push(message);
  const progress = new CallProgress(madeAgent({ progressToken: 't', notify }), clock);
  progress.note(1);
  progress.note(2);
  await clock.advance(300);
  progress.note(2);
  await clock.advance(300);
  progress.note(2);
  assert.deepEqual(
    heard.map(({ method, params }) => [method, params?.progressToken, params?.progress, params?.message]),
    [
      ['notifications/progress', 't', 1, '1 call done'],
      ['notifications/progress', 't', 2, '2 calls done'],
    ],
  );
  new CallProgress(madeAgent({ notify }), clock).note(5);
  assert.equal(heard.length, 2);
});
