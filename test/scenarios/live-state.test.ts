/** The live state of a real gateway: whatever happens, and whatever its reader misses, it ends up as a fresh snapshot. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../exam/kit/random.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { CutReader, changeSomething, sameAsFresh, stormServers } from '../kit/live-storm.ts';

const kinds = ['begin', 'changed', 'minute', 'record', 'server', 'server-removed'];
/** `TOOLCRIB_LIVE_STEPS` runs it for longer. */
const steps = Number(process.env.TOOLCRIB_LIVE_STEPS ?? 60);

test('[LIVE-01] after random changes and cut streams the live view is that of a fresh snapshot', async () => {
  await using gateway = await openTestGateway({ servers: stormServers });
  const reader = new CutReader(gateway);
  const random = new Random(7);
  try {
    for (let step = 0; step < steps; step += 1) {
      await Promise.all([changeSomething(gateway, random), changeSomething(gateway, random)]);
      if (random.share() < 0.2) reader.cut();
      if (step % 20 === 19) await sameAsFresh(gateway, reader);
    }
    await sameAsFresh(gateway, reader);
    assert.deepEqual([...reader.kinds].sort(), kinds, 'all of these were read');
  } finally {
    await reader.close();
  }
});
