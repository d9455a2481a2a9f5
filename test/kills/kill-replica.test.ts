/** Replicas that are killed in the middle of work: another one goes on with it. */

import assert from 'node:assert/strict';
import { untilWaiting } from '../kit/approvals.ts';
import { startGatewayProcess } from '../kit/gateway-process.ts';
import { askModern } from '../kit/hand-made.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { weather } from '../kit/optimizing-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { postgresTest, queryRows } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import { openReplica, sharedKey } from '../kit/replicas.ts';
import { adminOf, beginJob, runCount } from './kill-job.ts';

postgresTest('[REP-34] another replica goes on with the job and the upkeep of one that is killed', async (url) => {
  const config = { store: { url }, optimize: { enabled: true } };
  const open = () => startGatewayProcess({ servers: { weather }, config, env: { ...process.env, ...sharedKey } });
  await using first = await open();
  await using second = await open();
  const [one, other] = [adminOf(first), adminOf(second)];
  const id = await beginJob(one);
  const stored = async () => new Map((await runsIn(url)).map(({ id: run, body }) => [run, body]));
  const before = await eventually('some prompts are judged', async () => {
    const runs = await stored();
    return runs.size > 5 ? runs : undefined;
  });
  const keeper = async () => (await queryRows(url, `select replica from duty where work = 'upkeep'`))[0]?.replica;
  const had = await keeper();
  first.kill('SIGKILL');
  await first.exited;
  await eventually('the other one has the upkeep', async () => {
    const now = await keeper();
    return (now !== undefined && now !== had) || undefined;
  });
  const job = await eventually('the job is done', async () => {
    const [found] = (await other.run('optimize.jobs', { id })).jobs;
    assert.ok(found?.state !== 'failed', JSON.stringify(found));
    return found?.state === 'done' ? found : undefined;
  });
  const runs = await stored();
  for (const [run, body] of before) assert.equal(runs.get(run), body, 'what was stored stays as it was');
  assert.deepEqual([runs.size, job.outcome?.calls], [runCount, runCount], 'none is lost, and none is judged twice');
});

async function runsIn(url: string): Promise<{ id: string; body: string }[]> {
  const rows = await queryRows(url, 'select id, body from optimizer_run');
  return rows.map(({ id, body }) => ({ id: String(id), body: String(body) }));
}

postgresTest(
  '[REP-16] a request to the owner outlives its replica that is killed, and a request to the person at an agent does not',
  async (url) => {
    const { servers } = hostServers({ shop: { entry: { permissions: { echo: 'ask' } } } });
    await using other = await openReplica(url, { servers });
    await using killed = await startGatewayProcess({
      servers,
      config: { store: { url } },
      env: { ...process.env, ...sharedKey },
    });
    const call = { name: 'shop.echo', arguments: { text: 'lost' } };
    const door = `${killed.url}/mcp?surface=direct`;
    await askModern(door, killed.agentHeaders, 'tools/call', call, { capabilities: { elicitation: {} } });
    const [lost] = await untilWaiting(other, 'agent');
    assert.equal((await new ModernAgent(killed).call('shop.echo', { text: 'kept' })).errorType, 'APPROVAL_NEEDED');
    await untilWaiting(other, 'agent', 2);
    killed.kill('SIGKILL');
    await killed.exited;
    const [kept] = await untilWaiting(other, 'agent');
    const answer = (id = '') => other.gateway.admin.run('approvals.answer', { id, answer: 'once' });
    await assert.rejects(answer(lost?.id), /No call waits/);
    await answer(kept?.id);
    assert.equal(await new ModernAgent(other).say('shop.echo', { text: 'kept' }), 'kept');
  },
);
