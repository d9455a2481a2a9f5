/** Kept sign-ins: for one server, one issuer and one address, and readable as nothing else. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySecrets, plainSealer } from '../../../test/kit/memory-secrets.ts';
import { silentLog } from '../../base/log.ts';
import { type CredentialRecord, StoredCredentials } from './stored-credentials.ts';

const url = 'https://far.example/mcp';

function recordOf(issuer: string): CredentialRecord {
  return {
    url,
    resource: url,
    issuer: { issuer, token_endpoint: `${issuer}/token` },
    client: { id: 'c', secret: 's', method: 'client_secret_basic', kind: 'registered', redirectUri: null },
    scopes: ['a'],
    tokens: { access: 'at', refresh: 'rt', receivedAt: 1, expiresAt: null, scopes: null },
  };
}

function shelves() {
  const store = new MemorySecrets();
  let now = 0;
  const stored = new StoredCredentials({ store, sealer: plainSealer, log: silentLog, now: () => ++now });
  return { store, stored };
}

test('a record comes back as it was, for its server and address alone', async () => {
  const { stored } = shelves();
  const record = recordOf('https://id.example');
  await stored.save('far', record);
  assert.deepEqual(await stored.load('far', url), record);
  assert.equal(await stored.load('far', `${url}2`), null);
  assert.equal(await stored.load('fa', url), null);
  assert.equal(await stored.load('far2', url), null);
  await stored.remove('far');
  assert.equal(await stored.load('far', url), null);
});

test('while the store is out of reach, what was kept at the start counts for a first use alone', async () => {
  const { stored, store } = shelves();
  const record = recordOf('https://id.example');
  await stored.save('far', record);
  store.listSecrets = async () => assert.fail('The store cannot be reached.');
  await assert.rejects(stored.loadFirst('far', url), /cannot be reached/);
  Reflect.deleteProperty(store, 'listSecrets');
  await stored.open();
  store.listSecrets = async () => assert.fail('The store cannot be reached.');
  assert.deepEqual([await stored.loadFirst('far', url), await stored.loadFirst('other', url)], [record, null]);
  await assert.rejects(stored.load('far', url), /cannot be reached/);
});

test('a credential of another issuer replaces it, and nothing of the first stays', async () => {
  const { stored, store } = shelves();
  await stored.save('far', recordOf('https://id.example'));
  await stored.save('farther', recordOf('https://id.example'));
  await stored.save('far', recordOf('https://other.example'));
  assert.deepEqual([...store.kept.keys()], ['oauth/farther/https://id.example', 'oauth/far/https://other.example']);
  assert.equal((await stored.load('far', url))?.issuer.issuer, 'https://other.example');
});

test('a credential without a server is removed once it is unused for long', async () => {
  const { stored, store } = shelves();
  for (const server of ['far', 'gone', 'gone-just-now']) await stored.save(server, recordOf('https://id.example'));
  store.kept.set('other/gone', { name: 'other/gone', sealed: '', at: 0 });
  await stored.removeOthers(new Set(['far']), 3);
  const left = ['oauth/far/https://id.example', 'oauth/gone-just-now/https://id.example', 'other/gone'];
  assert.deepEqual([...store.kept.keys()].sort(), left);
});

test('a record that was moved to another server, or says another issuer than its name, is not used', async () => {
  const { stored, store } = shelves();
  await stored.save('far', recordOf('https://id.example'));
  const [kept] = [...store.kept.values()];
  assert.ok(kept);
  store.kept.set('moved', { ...kept, name: 'oauth/near/https://id.example' });
  await assert.rejects(stored.load('near', url), /another purpose/);
  const name = 'oauth/third/https://evil.example';
  const sealed = await plainSealer.seal(JSON.stringify(recordOf('https://id.example')), name);
  store.kept.set(name, { name, sealed, at: 1 });
  assert.equal(await stored.load('third', url), null);
  const broken = 'oauth/fourth/https://id.example';
  store.kept.set(broken, { name: broken, sealed: await plainSealer.seal('{"tokens":1}', broken), at: 1 });
  assert.equal(await stored.load('fourth', url), null);
});
