/** Who hears of the end of a job. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bothHalves, evaluating, playedJobs } from '../../test/kit/played-jobs.ts';
import { writtenSnapshot } from '../../test/kit/written-catalog.ts';
import { everybody, type Principal } from '../access/access.ts';
import { EventHub } from './event-hub.ts';
import type { AdminContext } from './operation.ts';

test('a job on a server that was removed ends for all that could follow it, and for nobody else', async () => {
  const { jobs, store, ended } = playedJobs();
  store.prompts = bothHalves('direct', 3);
  // A hub uses no more of the layers than this.
  const layers = { catalog: { snapshot: writtenSnapshot({ weather: { forecast: 'Does it.' } }) }, optimizer: { jobs } };
  const hub = new EventHub(layers as unknown as AdminContext);
  const heard = (principal: Principal) => {
    const states: unknown[] = [];
    hub.follow({ after: undefined, principal: () => principal, onEvent: ({ data }) => states.push(data.state) });
    return states;
  };
  const [all, some, others] = [undefined, ['wea*'], ['other']].map((servers) => heard({ ...everybody, servers }));
  const job = await jobs.start(evaluating, 'owner');
  layers.catalog.snapshot = writtenSnapshot({ other: { forecast: 'Does it.' } });
  await ended(job.id);
  assert.deepEqual([all?.at(-1), some?.at(-1), others], ['done', 'done', [undefined]]);
  hub.close();
});
