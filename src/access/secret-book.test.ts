/** Secrets with names: what is kept, what is known, and what is masked. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySecrets, plainSealer } from '../../test/kit/secret-shelf.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { redactText } from '../base/redact.ts';
import { limits } from '../config/config.ts';
import { SecretBook } from './secret-book.ts';

async function openBook(store: MemorySecrets, vault = plainSealer): Promise<SecretBook> {
  const book = new SecretBook({ store, vault, clock: systemClock, log: silentLog });
  await book.open();
  return book;
}

test('a secret is there after a restart, and its values are masked, former ones too', async () => {
  const store = new MemorySecrets();
  const book = await openBook(store);
  let changes = 0;
  book.changed.on(() => {
    changes += 1;
  });
  await book.set('KEY', 'first-value-of-it');
  await book.set('KEY', 'second-value-of-it');
  assert.deepEqual([changes, book.find('KEY'), book.find('OTHER')], [2, 'second-value-of-it', undefined]);
  assert.equal(redactText('first-value-of-it second-value-of-it'), '*** ***');
  assert.equal((await openBook(store)).find('KEY'), 'second-value-of-it');
  assert.deepEqual([await book.remove('KEY'), await book.remove('KEY'), store.kept.size], [true, false, 0]);
});

test('a secret that cannot be unsealed is reported as unreadable, and can be set again', async () => {
  const store = new MemorySecrets();
  await (await openBook(store)).set('KEY', 'value-of-the-key');
  const locked = { ...plainSealer, unseal: () => Promise.reject(new Error('no key')) };
  const book = await openBook(store, locked);
  assert.equal(book.find('KEY'), null);
  assert.deepEqual(
    book.list().map(({ name, isReadable }) => [name, isReadable]),
    [['KEY', false]],
  );
  await book.set('KEY', 'another-value');
  assert.equal(book.find('KEY'), 'another-value');
});

test('a store that cannot be written changes nothing', async () => {
  const store = new MemorySecrets();
  const book = await openBook(store);
  store.onReplace = () => Promise.reject(new Error('disk full'));
  await assert.rejects(book.set('KEY', 'value-of-the-key'), /disk full/);
  assert.equal(book.find('KEY'), undefined);
});

test('wrong names are refused without being repeated, and so are values of no or too great length', async () => {
  const book = await openBook(new MemorySecrets());
  await assert.rejects(book.set('KEY=value', 'x'), (error: Error) => !error.message.includes('KEY=value'));
  await assert.rejects(book.set('KEY', ''), /1 to 65536 bytes/);
  await assert.rejects(book.set('KEY', 'x'.repeat(limits.maxSecretBytes + 1)), /1 to 65536 bytes/);
});
