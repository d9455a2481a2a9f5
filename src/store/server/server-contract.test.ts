/** The store's promises about servers, switches and verdicts. */

import assert from 'node:assert/strict';
import { item, listing, oddNames, storeTest } from '../../../test/kit/store-test.ts';
import type { EraVerdict, StoreEvent } from '../store.ts';

storeTest('servers are added, replaced, listed by name and survive', async (store, reopen) => {
  await store.saveServer({ name: 'zeta', spec: { command: 'zeta' }, addedAt: 1 });
  await store.saveServer({ name: 'alpha', spec: { url: 'http://localhost/mcp' }, addedAt: 2 });
  await store.saveServer({ name: 'zeta', spec: { command: 'zeta', args: ['--new'] }, addedAt: 3 });
  const expected = [
    { name: 'alpha', spec: { url: 'http://localhost/mcp' }, addedAt: 2 },
    { name: 'zeta', spec: { command: 'zeta', args: ['--new'] }, addedAt: 3 },
  ];
  assert.deepEqual(await store.listServers(), expected);
  assert.deepEqual(await (await reopen()).listServers(), expected);
});

storeTest('a spec comes back as it was given', async (store) => {
  const spec = JSON.parse(
    '{"__proto__":{"polluted":true},"env":{"Ключ":"🛠️ \\ud800 \\u0000"},"n":1e300,"list":[null,false]}',
  );
  await store.saveServer({ name: 'odd', spec, addedAt: Date.UTC(2126, 0, 1) });
  const [server] = await store.listServers();
  assert.equal(JSON.stringify(server?.spec), JSON.stringify(spec));
  assert.equal(server?.addedAt, Date.UTC(2126, 0, 1));
  assert.equal('polluted' in {}, false);
});

storeTest('removing a server takes its listing and switch along and leaves its history', async (store, reopen) => {
  await store.saveServer({ name: 'gone', spec: { command: 'x' }, addedAt: 1 });
  await store.saveSwitch('gone', false);
  await store.saveSwitch('stays', false);
  await store.applyListing('gone', listing([item('one')]));
  await store.applyListing('stays', listing([item('two')]));
  assert.equal(await store.removeServer('gone'), true);
  const after = await reopen();
  assert.deepEqual(await after.listServers(), []);
  assert.deepEqual([...(await after.listSwitches())], [['stays', false]]);
  assert.deepEqual(
    (await after.listListings()).map(({ server }) => server),
    ['stays'],
  );
  assert.deepEqual(
    (await after.listChanges({ server: 'gone' })).map(({ name }) => name),
    ['one'],
  );
});

storeTest('removing a server that was never added changes nothing', async (store) => {
  await store.saveSwitch('from-the-file', false);
  await store.applyListing('from-the-file', listing([item('one')]));
  assert.equal(await store.removeServer('from-the-file'), false);
  assert.equal((await store.listSwitches()).get('from-the-file'), false);
  assert.equal((await store.listListings()).length, 1);
});

storeTest('switches are saved, turned and survive', async (store, reopen) => {
  await store.saveSwitch('a', true);
  await store.saveSwitch('__proto__', true);
  await store.saveSwitch('a', false);
  const switches = await (await reopen()).listSwitches();
  assert.deepEqual(Object.fromEntries([...switches].map(([key, value]) => [`server ${key}`, value])), {
    'server a': false,
    'server __proto__': true,
  });
});

storeTest('verdicts are saved, replaced, found and removed', async (store, reopen) => {
  const verdict: EraVerdict = { key: 'npx server', modern: true, legacy: null, discover: { a: 1 }, decidedAt: 5 };
  assert.equal(await store.findVerdict(verdict.key), undefined);
  await store.saveVerdict(verdict);
  assert.deepEqual(await store.findVerdict(verdict.key), verdict);
  const newer: EraVerdict = { key: verdict.key, modern: false, legacy: true, discover: null, decidedAt: 6 };
  await store.saveVerdict(newer);
  const after = await reopen();
  assert.deepEqual(await after.findVerdict(verdict.key), newer);
  await after.saveVerdict({ ...newer, legacy: false });
  assert.equal((await after.findVerdict(verdict.key))?.legacy, false);
  await after.removeVerdict(verdict.key);
  await after.removeVerdict(verdict.key);
  assert.equal(await after.findVerdict(verdict.key), undefined);
});

storeTest('odd verdict keys stay apart', async (store) => {
  for (const [at, key] of oddNames.entries()) {
    await store.saveVerdict({ key, modern: true, legacy: null, discover: null, decidedAt: at });
  }
  for (const [at, key] of oddNames.entries()) {
    const found = await store.findVerdict(key);
    assert.deepEqual([found?.key, found?.decidedAt], [key, at]);
  }
});

storeTest('changes of servers and switches are told after they can be read, verdicts are not', async (store) => {
  const told: StoreEvent[] = [];
  const seen: Promise<number>[] = [];
  store.events.on((event) => {
    told.push(event);
    seen.push(store.listServers().then((servers) => servers.length));
  });
  const changes = [
    () => store.saveServer({ name: 'a', spec: {}, addedAt: 1 }),
    () => store.saveSwitch('a', false),
    () => store.saveVerdict({ key: 'k', modern: true, legacy: null, discover: null, decidedAt: 1 }),
    () => store.removeServer('a'),
    () => store.removeServer('a'),
  ];
  for (const change of changes) {
    await change();
    // Reads take connections of their own, and might see the next change.
    await Promise.all(seen);
  }
  assert.deepEqual(told, [{ type: 'servers' }, { type: 'servers' }, { type: 'servers' }]);
  assert.deepEqual(await Promise.all(seen), [1, 1, 0]);
});
