/** The store's promises about secrets. */

import assert from 'node:assert/strict';
import { storeTest } from '../../../test/kit/store-test.ts';
import { isTermOver, type StoredSecret, type StoreEvent } from '../store.ts';

storeTest(
  'secrets are listed by the beginning of their names, the newest first, and survive',
  async (store, reopen) => {
    await store.replaceSecrets('a/', [secret('a/one', 1), secret('a/two', 2)]);
    await store.replaceSecrets('a%/', [secret('a%/one', 3)]);
    const after = await reopen();
    assert.deepEqual(await after.listSecrets('a/'), [secret('a/two', 2), secret('a/one', 1)]);
    assert.deepEqual(await after.listSecrets('a%/'), [secret('a%/one', 3)]);
    assert.deepEqual(await after.listSecrets('b/'), []);
  },
);

storeTest('a secret is found by the beginning of its name, odd characters included', async (store) => {
  const names = ['a/🛠️/one', 'a/🛠️"/two', 'a/🛠️\0/three', '"a/four', 'A/five', 'a_/six', 'a%/seven'];
  for (const name of names) await store.replaceSecrets(name, [{ name, sealed: '', at: 1 }]);
  for (const beginning of [...names, '', 'a', 'a/', 'a/🛠️', 'a/🛠️\0', '"', '_', '%']) {
    const found = (await store.listSecrets(beginning)).map(({ name }) => name);
    const meant = names.filter((name) => name.startsWith(beginning));
    assert.deepEqual(found.sort(), meant.sort(), beginning);
  }
});

storeTest('those with the same beginning are replaced together, others are left alone', async (store) => {
  await store.replaceSecrets('a/', [secret('a/one', 1), secret('a/two', 2)]);
  await store.replaceSecrets('a_b/', [secret('a_b/one', 1)]);
  await store.replaceSecrets('a/', [secret('a/two', 5)]);
  assert.deepEqual(await store.listSecrets('a'), [secret('a/two', 5), secret('a_b/one', 1)]);
  await store.replaceSecrets('a/', []);
  assert.deepEqual(await store.listSecrets(''), [secret('a_b/one', 1)]);
});

storeTest('one secret is removed once, whoever asks', async (store) => {
  await store.replaceSecrets('a/', [secret('a/one', 1), secret('a/two', 2)]);
  const answers = await Promise.all([1, 2, 3].map(() => store.removeSecret('a/one')));
  assert.deepEqual(answers.sort(), [false, false, true]);
  assert.deepEqual(await store.listSecrets('a/'), [secret('a/two', 2)]);
});

storeTest('with a server that is removed its secrets go as well', async (store) => {
  await store.saveServer({ name: 'far', spec: { url: 'https://far.example/mcp' }, addedAt: 1 });
  await store.replaceSecrets('oauth/far/', [secret('oauth/far/https://issuer.example', 1)]);
  await store.replaceSecrets('oauth/farther/', [secret('oauth/farther/https://issuer.example', 1)]);
  await store.removeServer('far');
  assert.deepEqual(
    (await store.listSecrets('oauth/')).map(({ name }) => name),
    ['oauth/farther/https://issuer.example'],
  );
});

storeTest('secrets that are replaced or removed are told by the beginning of their names', async (store) => {
  const told: StoreEvent[] = [];
  store.events.on((event) => told.push(event));
  await store.replaceSecrets('a/', []);
  await store.replaceSecrets('a/', [secret('a/one', 1)]);
  await store.replaceSecrets('a/', []);
  await store.saveServer({ name: 'far', spec: {}, addedAt: 1 });
  await store.replaceSecrets('oauth/far/', [secret('oauth/far/https://issuer.example', 1)]);
  await store.removeServer('far');
  const far = { type: 'secrets', prefix: 'oauth/far/' };
  const a = { type: 'secrets', prefix: 'a/' };
  assert.deepEqual(told, [a, a, { type: 'servers' }, far, far, { type: 'servers' }]);
});

storeTest('secrets are replaced under a term as long as it lasts, and then no more', async (store) => {
  const facts = { id: 'a', url: null, version: '1.0.0', startedAt: 1, keyMark: '', configMark: '' };
  const term = { work: 'renewal', replica: 'a', term: 'one' };
  await store.beatReplica(facts, []);
  assert.ok(await store.takeDuty(term));
  await store.replaceSecrets('a/', [secret('a/one', 1)], term);
  await store.dropDuty(term);
  assert.ok(await store.takeDuty({ ...term, term: 'two' }));
  await assert.rejects(store.replaceSecrets('a/', [], term), isTermOver);
  assert.deepEqual(await store.listSecrets('a/'), [secret('a/one', 1)]);
});

function secret(name: string, at: number): StoredSecret {
  return { name, sealed: `sealed ${name}`, at };
}
