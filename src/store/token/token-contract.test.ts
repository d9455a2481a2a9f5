/** The store's promises about tokens. */

import assert from 'node:assert/strict';
import { oddNames, storeTest } from '../../../test/kit/store-test.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Store, StoredToken, StoreEvent } from '../store.ts';

storeTest('tokens are kept as they were given, the oldest first', async (store, reopen) => {
  const wide = token('wide', { createdAt: 2 });
  const narrow = token('narrow', {
    createdAt: 1,
    scopes: ['use', 'metrics'],
    servers: ['files', 'git*'],
    project: 'shop',
    surface: 'direct',
    createdBy: 'token:7',
    expiresAt: Date.UTC(2126, 0, 1),
  });
  await store.addToken(wide);
  await store.addToken(narrow);
  assert.deepEqual(await store.listTokens(), [narrow, wide]);
  assert.deepEqual(await store.findToken(narrow.digest), narrow);
  assert.equal(await store.findToken('unknown'), undefined);
  assert.deepEqual(await (await reopen()).listTokens(), [narrow, wide]);
});

storeTest('a token for no server at all is none for every server', async (store) => {
  await store.addToken(token('none', { servers: [] }));
  assert.deepEqual((await store.listTokens())[0]?.servers, []);
});

storeTest('odd names, projects and patterns come back to the letter', async (store, reopen) => {
  const odd = oddNames.map((name, at) =>
    token(name, {
      id: `id-${at}`,
      digest: `d${at}`,
      createdAt: at,
      project: name,
      surface: name,
      createdBy: name,
      servers: [name],
    }),
  );
  for (const item of odd) await store.addToken(item);
  assert.deepEqual(await (await reopen()).listTokens(), odd);
});

storeTest('of two tokens with one name, or with one digest, the second is refused', async (store) => {
  await store.addToken(token('ci'));
  const again = token('ci', { id: 'other', digest: 'other' });
  await assert.rejects(store.addToken(again), (error) => error instanceof GatewayError && error.code === 'NAME_TAKEN');
  await assert.rejects(store.addToken(token('twin', { digest: 'digest of ci' })));
  assert.deepEqual(await names(store), ['ci']);
});

storeTest('the last use is the latest that was told, and is not told on', async (store, reopen) => {
  await store.addToken(token('a'));
  await store.addToken(token('b'));
  const told = listen(store);
  await store.saveTokenUses(new Map([['id of a', 500]]));
  await store.saveTokenUses(
    new Map([
      ['id of a', 400],
      ['id of b', 300],
      ['id of nobody', 1],
    ]),
  );
  assert.deepEqual(told, []);
  const after = await (await reopen()).listTokens();
  assert.deepEqual(
    after.map(({ lastUsedAt }) => lastUsedAt),
    [500, 300],
  );
});

storeTest('a revoked token stays as one, once, and its name is free again', async (store) => {
  await store.addToken(token('ci'));
  assert.equal(await store.revokeToken('id of ci', 7), true);
  assert.equal(await store.revokeToken('id of ci', 8), false);
  assert.equal(await store.revokeToken('ci', 8), false);
  assert.equal((await store.listTokens())[0]?.revokedAt, 7);
  await store.addToken(token('ci', { id: 'second', digest: 'second', createdAt: 9 }));
  assert.deepEqual(
    (await store.listTokens()).map(({ id, revokedAt }) => [id, revokedAt]),
    [
      ['id of ci', 7],
      ['second', null],
    ],
  );
});

storeTest('tokens that ended before a moment are removed, and no others', async (store) => {
  await store.addToken(token('lives'));
  await store.addToken(token('lives on', { expiresAt: 1_000 }));
  await store.addToken(token('has expired', { expiresAt: 99 }));
  await store.addToken(token('was revoked'));
  await store.addToken(token('was just revoked'));
  await store.revokeToken('id of was revoked', 50);
  await store.revokeToken('id of was just revoked', 100);
  assert.equal(await store.removeEndedTokens(100), 2);
  assert.deepEqual((await names(store)).sort(), ['lives', 'lives on', 'was just revoked']);
});

storeTest('changes of tokens are told after they can be read', async (store) => {
  const told = listen(store);
  const seen: Promise<string[]>[] = [];
  store.events.on(() => seen.push(names(store)));
  await store.addToken(token('a'));
  await store.revokeToken('id of a', 1);
  await store.revokeToken('id of a', 1);
  await assert.rejects(store.addToken(token('b', { digest: 'digest of a' })));
  assert.deepEqual(told, [{ type: 'access' }, { type: 'access' }]);
  assert.deepEqual(await Promise.all(seen), [['a'], ['a']]);
});

function token(name: string, more: Partial<StoredToken> = {}): StoredToken {
  return {
    id: `id of ${name}`,
    name,
    digest: `digest of ${name}`,
    scopes: ['use'],
    servers: null,
    project: null,
    surface: null,
    createdBy: null,
    createdAt: 1,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...more,
  };
}

async function names(store: Store): Promise<string[]> {
  return (await store.listTokens()).map(({ name }) => name);
}

function listen(store: Store): StoreEvent[] {
  const told: StoreEvent[] = [];
  store.events.on((event) => told.push(event));
  return told;
}
