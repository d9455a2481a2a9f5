/** Tests of asking servers for their tools: whether one that fails is waited for until it was tried for the last time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { everybody } from '../access/access.ts';
import { Signal } from '../base/signal.ts';
import type { AdminContext } from './operation.ts';
import { serverOperations } from './server-operations.ts';

function stage() {
  const changed = new Signal<string>();
  const listing = Promise.withResolvers<never>();
  const status: { lastError: string | null; nextRetryAt: number | null; hint: string } = {
    ...{ lastError: null, nextRetryAt: null, hint: 'Install it.' },
  };
  const context = {
    registry: { find: (name: string) => ({ name }) },
    catalog: { relist: () => listing.promise },
    downstream: { changed, status: () => status, hurry: () => {} },
  } as unknown as AdminContext;
  const refresh = (once: boolean) =>
    serverOperations['servers.refresh'].run({
      context,
      input: { name: 'a', force: false, once },
      principal: everybody,
      agent: madeAgent(),
      signal: new AbortController().signal,
    });
  /** How it is said that a try failed and another one follows. */
  const fail = (error: string, nextRetryAt: number | null) => {
    Object.assign(status, { lastError: error, nextRetryAt });
    changed.emit('a');
  };
  return { refresh, fail, giveUp: (error: Error) => listing.reject(error), changed };
}

test('a caller of one try hears of the first new failure, not of an older one', async () => {
  const { refresh, fail } = stage();
  const asked = refresh(true);
  fail('from long ago', null);
  fail('could not be started', 1_000);
  const [outcome] = await asked;
  assert.equal(outcome?.error, 'could not be started');
});

test('a caller who waits hears of the last failure', async () => {
  const { refresh, fail, giveUp } = stage();
  const asked = refresh(false);
  fail('could not be started', 1_000);
  giveUp(new Error('after the last try'));
  const [outcome] = await asked;
  assert.deepEqual([outcome?.error, outcome?.hint], ['after the last try', 'Install it.']);
});
