/** All servers together: what belongs to one session ends with it, and a sign-in makes a server another one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySecrets, plainSealer } from '../../test/kit/memory-secrets.ts';
import { soleReplica } from '../../test/kit/sole-replica.ts';
import { testSpool } from '../../test/kit/spool.ts';
import { SubscribedServer } from '../../test/kit/subscribed-server.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { parseServer } from '../config/config.ts';
import { Downstream } from './downstream.ts';

const connect = {
  ...{ lazy: true, preconnect: [], timeoutMs: 30_000, installTimeoutMs: 60_000, maxRetries: 0, idleMs: 0 },
  roots: [],
};
const decidedAt = systemClock.now();
const store = {
  findVerdict: async (key: string) => ({ key, modern: true, legacy: true, discover: null, decidedAt }),
  saveVerdict: async () => {},
  removeVerdict: async () => {},
};

test('the end of a session ends its subscriptions and its own links, and no others', async () => {
  await using shared = new SubscribedServer();
  await using own = new SubscribedServer();
  const downstream = new Downstream({
    ...{ connect, store, clock: systemClock, log: silentLog, env: process.env, spool: testSpool() },
  });
  await downstream.apply([
    parseServer('shared', { url: await shared.open() }, {}, 'file'),
    parseServer('own', { url: await own.open(), perSession: true }, {}, 'file'),
  ]);
  for (const session of ['x', 'y']) {
    const uri = `test://${session}`;
    for (const server of ['shared', 'own']) await downstream.subscribe({ server, uri, era: 'legacy', session });
  }
  await downstream.endSession('x');
  assert.deepEqual(shared.heard.slice(2), ['s1 unsubscribe test://x']);
  assert.deepEqual([downstream.status('shared')?.state, downstream.status('own')?.state], ['connected', 'connected']);
  await downstream.endSession('y');
  assert.deepEqual([downstream.status('shared')?.state, downstream.status('own')?.state], ['connected', 'configured']);
  await downstream.close();
});

test('after a sign-in the server is asked for its tools again, and a server that has gone is not', async () => {
  const downstream = new Downstream({
    ...{ connect, store, clock: systemClock, log: silentLog, env: process.env, spool: testSpool() },
    signIns: {
      ...{ store: new MemorySecrets(), sealer: plainSealer, replicas: soleReplica(systemClock), address: () => null },
      // Only these settings are looked at.
      config: (() => ({ access: { privateHosts: [] }, oauth: {} })) as never,
    },
  });
  await downstream.apply([parseServer('far', { url: 'https://far.example/mcp' }, {}, 'file')]);
  const told: object[] = [];
  downstream.listChanged.on((change) => told.push(change));
  for (const server of ['far', 'gone']) downstream.signIns?.changed.emit({ server, graceMs: 0 });
  assert.deepEqual(told, [{ server: 'far', kind: 'tools' }]);
  await downstream.close();
});
