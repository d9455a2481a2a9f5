/** Tests of the limit on calls. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeCall } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { RateLimit } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { limitCalls } from './authorize-call.ts';

const next = async () => ({ content: [] });

test('each principal makes as many calls as it may, and then hears when it may again', async () => {
  const stage = limitCalls(new RateLimit(new ManualClock(), () => 2));
  const call = madeCall();
  await stage(call, next);
  await stage(call, next);
  const refused = await Promise.resolve()
    .then(() => stage(call, next))
    .catch((error: unknown) => error);
  assert.ok(refused instanceof GatewayError && refused.code === 'RATE_LIMITED');
  assert.deepEqual([refused.data, refused.hint], [{ retryAfterMs: 30_000 }, 'Try again in 30 s.']);
  await stage(madeCall({ principal: { ...call.principal, id: 'token:other' } }), next);
});
