/** Calls that need approval, with several gateways on one database: the owner may be at any of them, and so may the agent. */

import assert from 'node:assert/strict';
import { allowOnce, callsOf, untilWaiting } from '../kit/approvals.ts';
import { askModern } from '../kit/hand-made.ts';
import { ModernAgent, type ToolAnswer } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { queryRows } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import { type Replica, readerOf, replicaTest } from '../kit/replicas.ts';
import { makeToken } from '../kit/tokens.ts';

const plan = (name: string) => hostServers({ [name]: { entry: { permissions: { echo: 'ask' } } } });

/** An agent that knocks at any of them with one token, once all know the tools. */
async function agentsOf(replicas: readonly Replica[]): Promise<{ name: string; agents: ModernAgent[] }> {
  const [first] = replicas;
  assert.ok(first);
  const { name, headers } = await makeToken(first.gateway);
  const agents = replicas.map(({ gateway }) => new ModernAgent({ url: gateway.url, agentHeaders: headers }));
  for (const agent of agents)
    await eventually(
      'its tools are known',
      async () => (await agent.tools()).some((tool) => tool.endsWith('.echo')) || undefined,
    );
  return { name, agents };
}

const idOf = ({ text, hint }: ToolAnswer) => /call_\w{6}/.exec(`${text} ${hint}`)?.[0] ?? assert.fail(text);

const answersIn = async ({ admin }: Replica) =>
  (await admin.run('audit.list', {})).records.filter(({ action }) => /^approval\.(allowed|refused)$/.test(action));

replicaTest(
  '[REP-14] a call that waits at one gateway is listed at the others and in their events, and one answer of several counts',
  { count: 3, servers: plan('shop').servers, config: { access: { askBy: ['owner'], approvalWaitMs: 60_000 } } },
  async (replicas) => {
    const [one, two, three = two] = replicas;
    const { name, agents } = await agentsOf(replicas);
    await using reader = readerOf(three);
    await eventually('it reads', () => reader.events.length > 0 || undefined);
    const call = agents[0]?.call('shop.echo', { text: 'anywhere' });
    const [here, there] = [await untilWaiting(one.gateway, name), await untilWaiting(three.gateway, name)];
    assert.deepEqual(there, here);
    await eventually(
      'it is told',
      () => reader.events.some((event) => event.kind === 'changed' && event.data.topic === 'approvals') || undefined,
    );
    const id = here[0]?.id ?? '';
    await untilWaiting(two.gateway, name);
    const answers = await Promise.allSettled([
      two.admin.run('approvals.answer', { id, answer: 'once' }),
      three.admin.run('approvals.answer', { id, answer: 'refuse' }),
    ]);
    const late = answers.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    const isAllowed = answers[0].status === 'fulfilled';
    assert.match(String(late?.reason), isAllowed ? /was already allowed once by/ : /was already refused by/);
    assert.equal((await call)?.isError, !isAllowed);
    for (const { gateway } of replicas) await untilWaiting(gateway, name, 0);
    await eventually('it is recorded', async () => (await answersIn(one)).length === 1 || undefined);
  },
);

replicaTest(
  '[REP-15] an approval of one call lets one call through, whichever gateways it is repeated at',
  { count: 3, servers: plan('till').servers, config: { access: { askBy: ['owner'] } } },
  async (replicas) => {
    const { name, agents } = await agentsOf(replicas);
    const pay = (agent: ModernAgent) => agent.call('till.echo', { text: 'five' });
    const [first, again] = [await pay(agents[0] as ModernAgent), await pay(agents[2] as ModernAgent)];
    assert.equal(idOf(again), idOf(first), 'the same call is the same request');
    await replicas[1].admin.run('approvals.answer', { id: idOf(first), answer: 'once' });
    const repeated = await Promise.all(agents.map(pay));
    assert.equal(repeated.filter(({ isError }) => !isError).length, 1, JSON.stringify(repeated));
    for (const { gateway } of replicas) await untilWaiting(gateway, name);
  },
);

replicaTest(
  '[REP-15] an approval for a session counts at every gateway until it is revoked at any, and so does a refusal',
  { count: 3, servers: plan('shop').servers, config: { access: { askBy: ['owner'] } } },
  async (replicas) => {
    const [one, two, three = two] = replicas;
    const { agents } = await agentsOf(replicas);
    const [atOne, atTwo, atThree] = agents as [ModernAgent, ModernAgent, ModernAgent];
    const first = await atOne.call('shop.echo', { text: 'first' });
    await two.admin.run('approvals.answer', { id: idOf(first), answer: 'session' });
    for (const agent of agents) assert.equal(await agent.say('shop.echo', { text: 'more' }), 'more');
    const lasting = await eventually('it is listed', async () => {
      const [found] = await three.admin.run('approvals.lasting', {});
      return found;
    });
    await three.admin.run('approvals.forget', { id: lasting.id });
    await eventually(
      'it is asked about again',
      async () => (await atTwo.call('shop.echo', { text: 'later' })).errorType === 'APPROVAL_NEEDED' || undefined,
    );
    await eventually(
      'it is listed nowhere',
      async () => (await one.admin.run('approvals.lasting', {})).length === 0 || undefined,
    );
    const asked = await atTwo.call('shop.echo', { text: 'later' });
    await one.admin.run('approvals.answer', { id: idOf(asked), answer: 'refuse' });
    assert.equal((await atThree.call('shop.echo', { text: 'later' })).errorType, 'ACCESS_DENIED');
  },
);

const server = plan('form');

replicaTest(
  '[REP-14] an agent that was asked at one gateway comes back to another, after the owner answered at a third',
  { count: 3, servers: server.servers },
  async (replicas) => {
    const [one, two, three = two] = replicas;
    const { name, headers } = await makeToken(one.gateway);
    const doorOf = ({ gateway }: Replica) => `${gateway.url}/mcp?surface=direct`;
    const params = { name: 'form.echo', arguments: { text: 'by form' } };
    const able = { capabilities: { elicitation: {} } };
    for (const answer of ['once', 'refuse'] as const) {
      const asked = (await askModern(doorOf(one), headers, 'tools/call', params, able)).message.result;
      const { requestState } = asked as { requestState: string };
      const [waiting] = await untilWaiting(three.gateway, name);
      await three.admin.run('approvals.answer', { id: waiting?.id ?? '', answer });
      const inputResponses = { 'toolcrib-approval': allowOnce };
      const answered = { ...params, requestState, inputResponses };
      const back = await askModern(doorOf(two), headers, 'tools/call', answered, able);
      assert.equal((back.message.result as { isError?: boolean }).isError === true, answer === 'refuse');
    }
    assert.equal(callsOf(server, 'form', 'echo').length, 1);
  },
);

replicaTest(
  '[REP-17] [REP-16] the database shows neither the arguments of a call that waits nor its tool, and keeps it when its gateway ends',
  { servers: plan('shop').servers, config: { access: { askBy: ['owner'] } } },
  async ([one, other], url) => {
    const { name, agents } = await agentsOf([one, other]);
    await agents[0]?.call('shop.echo', { text: 'nobody reads this' });
    const [waiting] = await untilWaiting(other.gateway, name);
    assert.match(waiting?.arguments ?? '', /nobody reads this/);
    const rows = JSON.stringify(await queryRows(url, 'select * from approval_note'));
    assert.match(rows, /request:/);
    assert.doesNotMatch(rows, /nobody reads|shop|echo/);
    await one.gateway.close();
    await other.admin.run('approvals.answer', { id: waiting?.id ?? '', answer: 'once' });
    assert.equal(await agents[1]?.say('shop.echo', { text: 'nobody reads this' }), 'nobody reads this');
  },
);
