/** Secrets with names: what is kept, what is known, and what is masked. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySecrets, plainSealer } from '../../test/kit/memory-secrets.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { redactText } from '../base/redact.ts';
import { limits } from '../config/config.ts';
import { NamedSecrets } from './named-secrets.ts';

async function openSecrets(store: MemorySecrets, vault = plainSealer): Promise<NamedSecrets> {
  const secrets = new NamedSecrets({ store, vault, clock: systemClock, log: silentLog });
  await secrets.open();
  return secrets;
}

test('a secret is there after a restart, and its values are masked, former ones too', async () => {
  const store = new MemorySecrets();
  const secrets = await openSecrets(store);
  let changes = 0;
  secrets.changed.on(() => {
    changes += 1;
  });
  await secrets.set('KEY', 'first-value-of-it');
  await secrets.set('KEY', 'second-value-of-it');
  assert.deepEqual([changes, secrets.find('KEY'), secrets.find('OTHER')], [2, 'second-value-of-it', undefined]);
  assert.equal(redactText('first-value-of-it second-value-of-it'), '*** ***');
  assert.equal((await openSecrets(store)).find('KEY'), 'second-value-of-it');
  assert.deepEqual([await secrets.remove('KEY'), await secrets.remove('KEY'), store.kept.size], [true, false, 0]);
});

test('a secret that cannot be unsealed is reported as unreadable, and can be set again', async () => {
  const store = new MemorySecrets();
  await (await openSecrets(store)).set('KEY', 'value-of-the-key');
  const locked = { ...plainSealer, unseal: () => Promise.reject(new Error('no key')) };
  const secrets = await openSecrets(store, locked);
  assert.equal(secrets.find('KEY'), null);
  assert.deepEqual([secrets.names, secrets.describe('KEY')?.isReadable], [['KEY'], false]);
  await secrets.set('KEY', 'another-value');
  assert.equal(secrets.find('KEY'), 'another-value');
});

test('after a change by another gateway only the new secret is unsealed', async () => {
  const store = new MemorySecrets();
  const unsealed: string[] = [];
  const unseal: typeof plainSealer.unseal = (sealed, name) => {
    unsealed.push(name);
    return plainSealer.unseal(sealed, name);
  };
  const secrets = await openSecrets(store, { ...plainSealer, unseal });
  for (const name of ['A', 'B', 'C']) await secrets.set(name, `value-of-${name}`);
  const name = 'named/B/';
  store.kept.set(name, { name, sealed: await plainSealer.seal('newer-value', name), at: 1 });
  const changed = Promise.withResolvers<void>();
  secrets.changed.on(changed.resolve);
  store.events.emit({ type: 'secrets', prefix: 'named/' });
  await changed.promise;
  assert.deepEqual([unsealed, secrets.find('A'), secrets.find('B')], [[name], 'value-of-A', 'newer-value']);
  await secrets.close();
});

test('a store that cannot be written changes nothing', async () => {
  const store = new MemorySecrets();
  const secrets = await openSecrets(store);
  store.onReplace = () => Promise.reject(new Error('disk full'));
  await assert.rejects(secrets.set('KEY', 'value-of-the-key'), /disk full/);
  assert.equal(secrets.find('KEY'), undefined);
});

test('wrong names are refused without being repeated, and so are values of no or too great length', async () => {
  const secrets = await openSecrets(new MemorySecrets());
  await assert.rejects(secrets.set('KEY=value', 'x'), (error: Error) => !error.message.includes('KEY=value'));
  await assert.rejects(secrets.set('KEY', ''), /1 to 65536 bytes/);
  await assert.rejects(secrets.set('KEY', 'x'.repeat(limits.maxSecretBytes + 1)), /1 to 65536 bytes/);
});
