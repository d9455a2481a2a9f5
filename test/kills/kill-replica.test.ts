/** Replicas that are killed in the middle of work: another one goes on with it. */

import assert from 'node:assert/strict';
import { startGatewayProcess } from '../kit/gateway-process.ts';
import { weather } from '../kit/optimizing-agent.ts';
import { postgresTest, queryRows } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import { sharedKey } from '../kit/replicas.ts';
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
