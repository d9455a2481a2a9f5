/** Members that pass for known ones by case or Unicode form: refused at every door, so that no server reads what no check has seen. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern, post, RawSession } from '../kit/hand-made.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { PlaceFile, RawBridge } from '../kit/stdio-agent.ts';
import type { Dict, Message } from '../servers/rpc.ts';

const tools = ['safe', 'wipe'].map((name) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } }));
const entry = { permissions: { wipe: 'deny' }, projects: ['team'] };
const plan = hostServers({ good: { tools, modes: { journalRaw: true }, entry } });
let gateway: TestGateway;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
});
after(() => gateway.close());

/** The doors, each with a call that is right in itself. */
const doors: readonly (readonly [door: string, name: string, args?: Dict])[] = [
  ['/mcp?surface=direct', 'good.safe'],
  ['/mcp?surface=full', 'tool_execute', { toolKey: 'good:safe', arguments: {} }],
  ['/mcp?surface=code', 'call_tool_chain', { code: 'return await servers.good.safe({})' }],
  ['/projects/team/mcp?surface=direct', 'good.safe'],
  ['/servers/good/mcp', 'good.safe'],
  ['/servers/good/mcp?names=plain', 'safe'],
  ['/gateway/mcp', 'list_servers'],
];

/** "ſ" is a small s, "ａ" the wide form of a, and the last one holds a character without a shape. */
const disguises = ['Name', 'NAME', 'Arguments', 'argumentſ', 'ａrguments', '_Meta', ' name', 'na\u200bme'];

function assertRefused({ error }: Message, member: string, code: number): void {
  assert.equal(error?.code, code, `${member}: ${JSON.stringify(error)}`);
  assert.ok(error.message.includes(JSON.stringify(member)), error.message);
}

/** The request that reached the server, as it came. */
function received(): string {
  return plan
    .noted('good', 'raw')
    .map(({ text }) => String(text))
    .join('\n');
}

test('[BAD-16] a member of params that passes for a known one is refused at every door, in both eras', async () => {
  for (const [door, name, args = {}] of doors) {
    const url = `${gateway.url}${door}`;
    const headers = door === '/gateway/mcp' ? gateway.ownerHeaders : gateway.agentHeaders;
    const session = await RawSession.open(url, headers);
    for (const member of disguises) {
      const params = { name, arguments: args, [member]: 'wipe' };
      const [modern, legacy] = [
        await askModern(url, headers, 'tools/call', params),
        await session.request('tools/call', params),
      ];
      for (const { status, message } of [modern, legacy]) {
        assert.equal(status, 400);
        assertRefused(message, member, -32602);
      }
      assert.equal(modern.message.id, 'raw-1');
    }
  }
  const session = await RawSession.open(`${gateway.url}/mcp`, gateway.agentHeaders, { version: '2025-03-26' });
  const batch = [{ jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'greet', Name: 'other' } }];
  assertRefused((await session.send(batch)).message, 'Name', -32602);
  assert.doesNotMatch(received(), /wipe|other/);
});

test('[BAD-16] a member of the envelope that passes for a known one is refused', async () => {
  const url = `${gateway.url}/servers/good/mcp?names=plain`;
  const session = await RawSession.open(url, gateway.agentHeaders);
  for (const member of ['Method', 'PARAMS', 'Id', 'ｊsonrpc', 'Result']) {
    const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'safe' }, [member]: { name: 'wipe' } };
    assertRefused((await session.send(body)).message, member, -32600);
  }
  const note = { jsonrpc: '2.0', method: 'notifications/progress', Params: { name: 'wipe' } };
  assertRefused((await session.send(note)).message, 'Params', -32600);
  assertRefused((await post(url, gateway.agentHeaders, note)).message, 'Params', -32600);
  assert.doesNotMatch(received(), /wipe/);
});

test('[BAD-16] agents on stdio hear the same refusal, for the request that it is about', async () => {
  using place = new PlaceFile();
  place.set(`${gateway.url}/mcp?surface=direct`, gateway.agentHeaders);
  await using bridge = new RawBridge(place.launch());
  await bridge.open();
  const params = { name: 'good.safe', arguments: {}, Name: 'wipe' };
  for (const id of [bridge.ask('tools/call', params), bridge.askModern('tools/call', params)])
    assertRefused((await bridge.answerTo(id)) as unknown as Message, 'Name', -32602);
  bridge.send({ id: 'envelope', method: 'ping', Method: 'tools/call' });
  assertRefused((await bridge.answerTo('envelope')) as unknown as Message, 'Method', -32600);
  assert.doesNotMatch(received(), /wipe/);
});

test('[BAD-17] other unknown members and everything in _meta reach the server unchanged', async () => {
  const more = { names: 1, 'x-Name': [{ Arguments: 2 }], Größe: null, argument_s: 'kept' };
  const _meta = { Name: 'kept', 'example.com/Arguments': { Name: 3 } };
  const params = { name: 'safe', arguments: { Name: 4, Arguments: 5 }, ...more, _meta };
  const url = `${gateway.url}/servers/good/mcp?names=plain`;
  await askModern(url, gateway.agentHeaders, 'tools/call', params, { meta: _meta });
  const session = await RawSession.open(url, gateway.agentHeaders);
  await session.request('tools/call', params);
  const calls = received()
    .split('\n')
    .map((text) => JSON.parse(text) as { method: string; params: typeof params })
    .filter((message) => message.method === 'tools/call' && 'x-Name' in message.params);
  assert.equal(calls.length, 2);
  for (const { params: got } of calls) {
    assert.deepEqual({ ...got, _meta: undefined }, { ...params, _meta: undefined });
    assert.deepEqual({ ...got._meta, ..._meta }, got._meta);
  }
});
