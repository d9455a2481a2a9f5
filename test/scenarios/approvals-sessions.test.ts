/** Approvals for a session, as the owner sees them and takes them back, with real agents of both eras. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectAgent, type FormAnswer } from '../kit/agents.ts';
import { choosing, untilWaiting } from '../kit/approvals.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { RawSession } from '../kit/hand-made.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { makeToken } from '../kit/tokens.ts';

type Dict = Record<string, unknown>;

const plan = hostServers({ till: { era: 'modern', entry: { permissions: { echo: 'ask', add: 'ask' } } } });
let gateway: TestGateway;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
});
after(() => gateway.close());

const door = () => `${gateway.url}/mcp?surface=direct`;

async function lastingOf(name: string) {
  return (await gateway.gateway.admin.run('approvals.lasting', {})).filter(({ principal }) => principal === name);
}

/** An agent whose user allows every tool for as long as the form offers, and what the forms offered. */
async function connectTrusting(kind: 'v1' | 'v2 modern', headers: Record<string, string>) {
  const offered: string[] = [];
  const onForm = (params: Dict): FormAnswer => {
    const chosen = choosing('Allow this tool', params);
    offered.push(chosen.content?.decision ?? '');
    return chosen;
  };
  return { agent: await connectAgent(kind, door(), { headers, onForm }), offered };
}

test('[ACC-52] an approval for a legacy session is listed, and ends with the session', async () => {
  const { name, headers } = await makeToken(gateway);
  const { agent, offered } = await connectTrusting('v1', headers);
  await using _ = agent;
  await agent.say('till.echo', { text: 'one' });
  assert.deepEqual(offered, ['Allow this tool for this session']);
  const [held, ...others] = await lastingOf(name);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [held?.toolKey, held?.holds, held?.until, held?.by, held?.client],
    ['till:echo', 'session', null, name, 'scenario-agent/1.0.0'],
  );
  const { transport } = agent.client as unknown as { transport: { terminateSession(): Promise<void> } };
  await transport.terminateSession();
  assert.deepEqual(await lastingOf(name), []);
});

test('[ACC-52] when a session ends, what the owner approved for it is gone, and nothing more can be approved for it', async () => {
  const { name, headers } = await makeToken(gateway);
  const { admin } = gateway.gateway;
  const [session, other] = [await RawSession.open(door(), headers), await RawSession.open(door(), headers)];
  const echo = { name: 'till.echo', arguments: { text: 'x' } };
  await session.request('tools/call', echo);
  const [waiting] = await untilWaiting(gateway, name);
  assert.equal(waiting?.hasSession, true);
  await admin.run('approvals.answer', { id: waiting?.id ?? '', answer: 'session' });
  assert.deepEqual(
    (await lastingOf(name)).map(({ holds, by }) => [holds, by]),
    [['session', 'owner']],
  );
  const passed = (await session.request('tools/call', echo)).message.result as Dict;
  assert.notEqual(passed.isError, true);
  assert.equal(((await other.request('tools/call', echo)).message.result as Dict).isError, true);
  await session.request('tools/call', { name: 'till.add', arguments: { a: 1, b: 2 } });
  const [, sum] = await untilWaiting(gateway, name, 2);
  assert.equal((await fetch(door(), { method: 'DELETE', headers: session.headers })).ok, true);
  assert.deepEqual(await lastingOf(name), []);
  await assert.rejects(admin.run('approvals.answer', { id: sum?.id ?? '', answer: 'session' }), /has ended/);
  await admin.run('approvals.answer', { id: sum?.id ?? '', answer: 'always' });
  assert.deepEqual(
    (await lastingOf(name)).map(({ toolKey, holds }) => [toolKey, holds]),
    [['till:add', 'always']],
  );
});

test('[ACC-54] a modern agent has no session: the form says for whom and how long, and so does the list', async () => {
  const { name, headers } = await makeToken(gateway);
  const { agent, offered } = await connectTrusting('v2 modern', headers);
  await using _ = agent;
  const before = Date.now();
  await agent.say('till.echo', { text: 'one' });
  assert.deepEqual(offered, ['Allow this tool for one hour, for every agent with the same token']);
  const [held] = await lastingOf(name);
  const ms = Date.parse(held?.until ?? '') - before;
  assert.ok(held?.holds === 'session' && ms >= 3_600_000 - 1 && ms < 3_660_000, String(ms));
  // It is as it says.
  await using other = (await connectTrusting('v2 modern', headers)).agent;
  await other.say('till.echo', { text: 'two' });
  assert.deepEqual(other.asked, []);
});

for (const kind of ['v1', 'v2 modern'] as const) {
  test(`[ACC-53] what the owner takes back of an agent of SDK ${kind} is asked about again, and stands in the audit`, async () => {
    const { name, headers } = await makeToken(gateway);
    const { admin } = gateway.gateway;
    const { agent, offered } = await connectTrusting(kind, headers);
    await using _ = agent;
    for (const text of ['one', 'two']) await agent.say('till.echo', { text });
    await agent.say('till.add', { a: 1, b: 2 });
    assert.equal(offered.length, 2);
    const [held] = await lastingOf(name);
    assert.equal(held?.toolKey, 'till:echo');
    const forgotten = await admin.run('approvals.forget', { id: held?.id ?? '' });
    assert.deepEqual(forgotten, held);
    assert.deepEqual(
      (await lastingOf(name)).map(({ toolKey }) => toolKey),
      ['till:add'],
    );
    await assert.rejects(admin.run('approvals.forget', { id: held?.id ?? '' }), /no standing approval/);
    await agent.say('till.add', { a: 3, b: 4 });
    assert.equal(offered.length, 2);
    await agent.say('till.echo', { text: 'three' });
    assert.equal(offered.length, 3);
    const { records } = await admin.run('audit.list', { kind: 'access', limit: 100 });
    const row = records.find(({ action }) => action === 'approval.forgotten');
    const detail = row?.detail as Dict | null | undefined;
    assert.deepEqual(
      [row?.principal.name, row?.server, row?.tool, detail?.approval, detail?.holds],
      ['owner', 'till', 'echo', held?.id, 'session'],
    );
  });
}
