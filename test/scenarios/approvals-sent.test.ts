/** Members that an agent sends beside the arguments of a call that needs approval: the approver sees them and approves them with it. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fingerprintOf } from '../../src/base/ids.ts';
import { connectAgent, type FormAnswer, KINDS } from '../kit/agents.ts';
import { allowOnce, callsOf, untilWaiting } from '../kit/approvals.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern, RawSession } from '../kit/hand-made.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { makeToken } from '../kit/tokens.ts';

type Dict = Record<string, unknown>;

const permissions = { echo: 'ask' };
const plan = hostServers({
  old: { era: 'legacy', entry: { permissions } },
  new: { era: 'modern', entry: { permissions } },
});
let gateway: TestGateway;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
});
after(() => gateway.close());

const door = () => `${gateway.url}/mcp?surface=direct`;
const said = (server: string) => callsOf(plan, server, 'echo').length;
const rooted = { 'vendor/as-user': 'root\u202e' };

/** The vendor's member in the `_meta` of the last call of a tool. */
function vendorsOf(server: string): Dict {
  const calls = plan.noted(server, 'message').filter(({ method }) => method === 'tools/call');
  const meta = (calls.at(-1)?.meta ?? {}) as Dict;
  return Object.fromEntries(Object.entries(meta).filter(([key]) => key.startsWith('vendor/')));
}

/** The audit record of the request for approval. */
function besideIn(records: readonly { readonly action: string; readonly detail: unknown }[], id: string | undefined) {
  const details = records.filter(({ action }) => action === 'approval.asked').map(({ detail }) => detail as Dict);
  return details.find(({ approval }) => approval === id)?.beside;
}

for (const kind of KINDS) {
  test(`[ACC-51] a person at an agent of SDK ${kind} sees what is sent beside the arguments`, async () => {
    const messages: string[] = [];
    const onForm = (params: Dict): FormAnswer => {
      messages.push(String(params.message));
      return allowOnce;
    };
    await using agent = await connectAgent(kind, door(), { headers: gateway.agentHeaders, onForm });
    for (const server of ['old', 'new']) {
      const call = { name: `${server}.echo`, arguments: { text: kind } };
      await agent.client.callTool({ ...call, _meta: rooted });
      const [form = ''] = messages.splice(0);
      assert.match(form, /beside the arguments:\n\n {4}\{\n {6}"_meta": \{\n {8}"vendor\/as-user": "root\\u202e"\n/);
      assert.ok(form.indexOf('vendor/as-user') < form.indexOf('\nArguments:\n'), form);
      assert.deepEqual(vendorsOf(server), rooted);
      await agent.client.callTool(call);
      assert.doesNotMatch(messages.splice(0).join(), /beside/);
      assert.deepEqual(vendorsOf(server), {});
    }
  });
}

/** Calls by hand in each era, from an agent that cannot be asked. */
const callers: Record<
  string,
  (headers: Record<string, string>) => Promise<(name: string, meta: Dict) => Promise<Dict>>
> = {
  legacy: async (headers) => {
    const session = await RawSession.open(door(), headers);
    return async (name, _meta) => {
      const params = { name, arguments: { text: 'pay' }, _meta };
      return (await session.request('tools/call', params)).message.result as Dict;
    };
  },
  modern: async (headers) => async (name, meta) => {
    const params = { name, arguments: { text: 'pay' } };
    return (await askModern(door(), headers, 'tools/call', params, { meta })).message.result as Dict;
  },
};

for (const [era, open] of Object.entries(callers)) {
  test(`[ACC-51] what the owner approves of a ${era} agent is not good for the same arguments with something beside them`, async () => {
    const { name, headers } = await makeToken(gateway);
    const call = await open(headers);
    const { admin } = gateway.gateway;
    for (const server of ['old', 'new']) {
      const count = said(server);
      const echo = `${server}.echo`;
      assert.equal((await call(echo, {})).isError, true);
      const [plain] = await untilWaiting(gateway, name);
      assert.equal(plain?.beside, null);
      await admin.run('approvals.answer', { id: plain?.id ?? '', answer: 'once' });
      const others: Dict[] = [rooted, { 'io.modelcontextprotocol/as-user': 'root' }, { traceparent: 'root' }];
      for (const meta of others) assert.equal((await call(echo, meta)).isError, true, JSON.stringify(meta));
      assert.equal(said(server), count);
      const waiting = await untilWaiting(gateway, name, others.length);
      assert.deepEqual(waiting[0]?.beside, {
        json: '{\n  "_meta": {\n    "vendor/as-user": "root\\u202e"\n  }\n}',
        isCut: false,
        characters: 50,
      });
      assert.ok(waiting.every(({ arguments: args }) => args === plain?.arguments));
      const { records } = await admin.run('audit.list', { kind: 'access', limit: 100 });
      const besides = [waiting[0], plain].map((asked) => besideIn(records, asked?.id));
      assert.deepEqual(besides, [fingerprintOf({ _meta: rooted }), undefined]);
      // Members that differ in every request make no other call.
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      const passed = await call(echo, { progressToken: 'p', traceparent });
      assert.notEqual(passed.isError, true, JSON.stringify(passed));
      await admin.run('approvals.answer', { id: waiting[0]?.id ?? '', answer: 'once' });
      assert.equal((await call(echo, { 'vendor/as-user': 'admin' })).isError, true);
      assert.notEqual((await call(echo, rooted)).isError, true);
      assert.deepEqual(vendorsOf(server), rooted);
      assert.equal(said(server), count + 2);
      for (const { id } of await untilWaiting(gateway, name, others.length))
        await admin.run('approvals.answer', { id, answer: 'refuse' });
    }
  });
}

test('[ACC-51] hop-by-hop members carry nothing to a server past the approver', async () => {
  const _meta = { 'io.modelcontextprotocol/logLevel': 'as-user', progressToken: { 'as-user': 1 } };
  const { admin } = gateway.gateway;
  for (const server of ['old', 'new']) {
    // Behind this door no progress is asked for on our own account, so that nothing takes the place of a token.
    const session = await RawSession.open(`${gateway.url}/servers/${server}/mcp?names=plain`, gateway.agentHeaders);
    const params = { name: 'echo', arguments: { text: 'hop' }, _meta };
    await session.request('tools/call', params);
    const [waiting] = await untilWaiting(gateway, 'agent');
    assert.equal(waiting?.beside, null);
    await admin.run('approvals.answer', { id: waiting?.id ?? '', answer: 'once' });
    const { result } = (await session.request('tools/call', params)).message;
    assert.notEqual((result as Dict).isError, true, JSON.stringify(result));
    const calls = plan.noted(server, 'message').filter(({ method }) => method === 'tools/call');
    assert.doesNotMatch(JSON.stringify(calls.at(-1)), /as-user/);
  }
});
