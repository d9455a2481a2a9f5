/** Jobs of the optimizer with replicas: one at a time, known to all, and cancelled by any. */

import assert from 'node:assert/strict';
import { beginJob, runCount } from '../kills/kill-job.ts';
import type { TestGateway } from '../kit/gateway.ts';
import { weather } from '../kit/optimizing-agent.ts';
import { postgresTest } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import { openReplica, readerOf } from '../kit/replicas.ts';

const options = { servers: { weather }, config: { optimize: { enabled: true } } };
const jobOf = async ({ gateway }: TestGateway, id: string) =>
  (await gateway.admin.run('optimize.jobs', { id })).jobs[0] ?? assert.fail('the job is known');

postgresTest('[REP-33] a job is known to every replica, started once, and done once', async (url) => {
  await using one = await openReplica(url, options);
  await using other = await openReplica(url, options);
  await using reader = readerOf(other.gateway);
  await eventually('it reads', () => reader.events.length > 0 || undefined);
  const id = await beginJob(one.gateway.admin);
  const again = await other.gateway.admin.run('optimize.run', { server: 'weather', promptsPerCategory: 200 });
  assert.equal('jobId' in again && again.jobId, id, 'the same order is the same job, wherever it is given');
  const done = await eventually('the job is done', async () => {
    const job = await jobOf(other, id);
    return job.state === 'done' ? job : undefined;
  });
  assert.equal(done.outcome?.calls, runCount);
  const told = await eventually('its end is told', () => {
    const jobs = reader.events.flatMap((event) =>
      event.kind === 'job' && event.data.jobId === id ? [event.data] : [],
    );
    return jobs.at(-1)?.state === 'done' ? jobs : undefined;
  });
  assert.ok(told.filter(({ state }) => state === 'running').length > 1, 'with its progress');
});

postgresTest('[REP-33] any replica cancels a job', async (url) => {
  await using one = await openReplica(url, options);
  await using other = await openReplica(url, options);
  const id = await beginJob(one.gateway.admin);
  await eventually('it runs', async () => (await jobOf(other, id)).state === 'running' || undefined);
  await other.gateway.admin.run('optimize.cancel', { id });
  assert.equal((await jobOf(other, id)).state, 'cancelled');
  await eventually('its runner has stopped', async () => (await jobOf(one, id)).state === 'cancelled' || undefined);
});
