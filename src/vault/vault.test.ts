/** The vault: what is sealed is read again only with the right key and for the right purpose, and the key is kept safely. */

import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import type { Keyring } from './keyring.ts';
import { Vault, type VaultOptions } from './vault.ts';

const keyA = Buffer.alloc(32, 1).toString('base64');
const keyB = Buffer.alloc(32, 2).toString('base64');

class Folder {
  readonly path: string;
  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<Folder> {
    return new Folder(await mkdtemp(join(tmpdir(), 'vault-')));
  }

  vault(more: Partial<VaultOptions> = {}): Vault {
    return Vault.open({ dataDir: this.path, env: {}, useKeyring: false, log: silentLog, keyring: noKeyring, ...more });
  }

  get keyFile(): string {
    return join(this.path, 'secret-key');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

const denied = () => Promise.reject(new Error('access denied'));
const noKeyring: Keyring = { read: denied, write: denied, remove: denied };

function memoryKeyring(entries = new Map<string, string>()): Keyring & { entries: Map<string, string> } {
  return {
    entries,
    read: async (name) => entries.get(name) ?? null,
    write: async (name, value) => void entries.set(name, value),
    remove: async (name) => void entries.delete(name),
  };
}

async function troubleOf(act: Promise<unknown>): Promise<GatewayError> {
  const error = await act.then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GatewayError, String(error));
  assert.equal(error.code, 'STORE_BROKEN');
  return error;
}

test('a secret comes back as it was, also after a restart, and looks different each time it is sealed', async () => {
  await using folder = await Folder.make();
  const vault = folder.vault();
  for (const text of ['', 'canary-secret', 'grüße 🌞'.repeat(1_000)]) {
    const [one, two] = [await vault.seal(text, 'a'), await vault.seal(text, 'a')];
    assert.notEqual(one, two);
    assert.match(one, /^v1\.[A-Za-z0-9_-]{12}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/);
    assert.ok(!Buffer.from(one.split('.')[3] ?? '', 'base64url').includes('canary'));
    assert.equal(await folder.vault().unseal(one, 'a'), text);
  }
});

test('nothing is touched before a first secret, and then the key is for its owner alone', async () => {
  await using folder = await Folder.make();
  const vault = folder.vault();
  assert.equal(await vault.location(), null);
  assert.deepEqual(await readdir(folder.path), []);
  await vault.seal('x', 'a');
  assert.deepEqual(await readdir(folder.path), ['secret-key']);
  assert.equal((await stat(folder.keyFile)).mode & 0o777, 0o600);
  assert.equal(await vault.location(), 'file');
  await chmod(folder.keyFile, 0o644);
  await folder.vault().seal('x', 'a');
  assert.equal((await stat(folder.keyFile)).mode & 0o777, 0o600);
});

test('a secret for one purpose is of no use for another', async () => {
  await using folder = await Folder.make();
  const vault = folder.vault();
  const sealed = await vault.seal('x', 'server:a');
  const trouble = await troubleOf(vault.unseal(sealed, 'server:b'));
  assert.match(trouble.message, /"server:b" was damaged or changed/);
});

test('a changed secret is refused, whatever was changed', async () => {
  await using folder = await Folder.make();
  const vault = folder.vault();
  const sealed = await vault.seal('a secret of some length', 'a');
  for (let at = 3; at < sealed.length; at += 1) {
    if (sealed[at] === '.') continue;
    const other = sealed[at] === 'A' ? 'w' : 'A';
    await troubleOf(vault.unseal(`${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`, 'a'));
  }
  for (const broken of ['', 'plain text', 'v2.x.y.z', sealed.slice(0, -20), `${sealed}A`]) {
    await troubleOf(vault.unseal(broken, 'a'));
  }
});

test('without the key nothing is read, the three places are named, and nothing is changed', async () => {
  await using folder = await Folder.make();
  const sealed = await folder.vault().seal('x', 'a');
  const key = await readFile(folder.keyFile, 'utf8');
  await rm(folder.keyFile);
  const lost = await troubleOf(folder.vault().unseal(sealed, 'a'));
  assert.match(lost.message, /TOOLCRIB_SECRET_KEY.*keyring.*secret-key/);
  assert.deepEqual(await readdir(folder.path), []);
  await writeFile(folder.keyFile, keyB);
  await troubleOf(folder.vault().unseal(sealed, 'a'));
  assert.equal(await readFile(folder.keyFile, 'utf8'), keyB);
  await writeFile(folder.keyFile, key);
  assert.equal(await folder.vault().unseal(sealed, 'a'), 'x');
});

test('a key in the environment goes before the file, which is still read for what it sealed', async () => {
  await using folder = await Folder.make();
  const before = await folder.vault().seal('old', 'a');
  const vault = folder.vault({ env: { TOOLCRIB_SECRET_KEY: ` ${keyA}\n` } });
  const after = await vault.seal('new', 'a');
  assert.deepEqual([await vault.unseal(before, 'a'), await vault.unseal(after, 'a')], ['old', 'new']);
  assert.equal(await vault.location(), 'environment');
  await troubleOf(folder.vault().unseal(after, 'a'));
  const other = await troubleOf(folder.vault({ env: { TOOLCRIB_SECRET_KEY: keyB } }).unseal(after, 'a'));
  assert.match(other.message, /^TOOLCRIB_SECRET_KEY does not match the key/);
  const urlSafe = Buffer.alloc(32, 0xff).toString('base64url');
  await folder.vault({ env: { TOOLCRIB_SECRET_KEY: urlSafe } }).seal('x', 'a');
});

test('a key in the environment leaves no file', async () => {
  await using folder = await Folder.make();
  await folder.vault({ env: { TOOLCRIB_SECRET_KEY: keyA } }).seal('x', 'a');
  assert.deepEqual(await readdir(folder.path), []);
});

test('an invalid key is reported and not shown', async () => {
  await using folder = await Folder.make();
  for (const text of ['canary', 'canary canary', Buffer.alloc(31, 7).toString('base64')]) {
    const trouble = await troubleOf(folder.vault({ env: { TOOLCRIB_SECRET_KEY: text } }).seal('x', 'a'));
    assert.match(trouble.message, /must be 32 bytes in base64/);
    assert.ok(!trouble.message.includes(text));
  }
  await writeFile(folder.keyFile, 'canary');
  assert.ok(!(await troubleOf(folder.vault().seal('x', 'a'))).message.includes('canary'));
  assert.equal(await readFile(folder.keyFile, 'utf8'), 'canary');
});

test('where there is a keyring the key goes there, and the folder only says so', async () => {
  await using folder = await Folder.make();
  const keyring = memoryKeyring();
  const sealed = await folder.vault({ useKeyring: true, keyring }).seal('x', 'a');
  const [[name, key] = ['', '']] = [...keyring.entries];
  assert.equal(await readFile(folder.keyFile, 'utf8'), `keyring:${name}\n`);
  assert.ok(!(await readFile(folder.keyFile, 'utf8')).includes(key));
  assert.equal(await folder.vault().location(), 'keyring');
  // Also when it is not to be used for new keys.
  assert.equal(await folder.vault({ useKeyring: false, keyring }).unseal(sealed, 'a'), 'x');
});

test('a keyring that is missing, denies or forgets leads to the file', async () => {
  const forgetful: Keyring = { ...memoryKeyring(), read: async () => null };
  for (const keyring of [noKeyring, forgetful]) {
    await using folder = await Folder.make();
    const vault = folder.vault({ useKeyring: true, keyring });
    const sealed = await vault.seal('x', 'a');
    assert.equal(await vault.location(), 'file');
    assert.equal(await folder.vault().unseal(sealed, 'a'), 'x');
  }
});

test('a keyring that no longer gives the key is told of, no other key is made, and it may come back', async () => {
  await using folder = await Folder.make();
  const keyring = memoryKeyring();
  const sealed = await folder.vault({ useKeyring: true, keyring }).seal('x', 'a');
  const file = await readFile(folder.keyFile, 'utf8');
  let isLocked = true;
  const lockable: Keyring = { ...keyring, read: (name) => (isLocked ? denied() : keyring.read(name)) };
  const vault = folder.vault({ useKeyring: true, keyring: lockable });
  for (const act of [() => vault.unseal(sealed, 'a'), () => vault.seal('y', 'a')]) {
    assert.match((await troubleOf(act())).message, /keyring.*access denied/);
  }
  isLocked = false;
  assert.equal(await vault.unseal(sealed, 'a'), 'x');
  await vault.seal('y', 'a');
  keyring.entries.clear();
  assert.match((await troubleOf(folder.vault({ keyring }).seal('y', 'a'))).message, /is not in the keyring/);
  assert.equal(await readFile(folder.keyFile, 'utf8'), file);
});

test('of several that start at once, all have the same key', async () => {
  for (const keyring of [noKeyring, memoryKeyring()]) {
    await using folder = await Folder.make();
    const vaults = Array.from({ length: 8 }, () => folder.vault({ useKeyring: true, keyring }));
    const sealed = await Promise.all(vaults.flatMap((vault) => [vault.seal('x', 'a'), vault.seal('x', 'a')]));
    assert.equal(new Set(sealed.map((text) => text.split('.')[1])).size, 1);
    for (const text of sealed) assert.equal(await folder.vault({ keyring }).unseal(text, 'a'), 'x');
    assert.deepEqual(await readdir(folder.path), ['secret-key']);
    if ('entries' in keyring) assert.equal((keyring.entries as Map<string, string>).size, 1);
  }
});

test('a gateway on PostgreSQL without a key is told of the file that has one, only if there is one', async () => {
  await using folder = await Folder.make();
  const hint = () =>
    folder
      .vault()
      .sharedKey()
      .then(
        () => assert.fail('there is none'),
        (error: GatewayError) => error.hint ?? '',
      );
  assert.doesNotMatch(await hint(), /secret-key/);
  await writeFile(folder.keyFile, keyA);
  assert.match(
    await hint(),
    /if you moved from SQLite, to the key in ".*secret-key"\. Make a key only for a new database/,
  );
  await writeFile(folder.keyFile, 'keyring:AAAAAAAAAAAA');
  assert.match(await hint(), /to the key in the keyring that ".*secret-key" names\./);
  const shared = await folder.vault({ env: { TOOLCRIB_SECRET_KEY: keyB } }).sharedKey();
  assert.equal(shared.id.length, 12);
});

test('on a database of several gateways, what was sealed before needs the key of all, and the place of the right one is told', async () => {
  await using folder = await Folder.make();
  const sealed = await folder.vault().seal('secret', 'p');
  const vault = folder.vault({ env: { TOOLCRIB_SECRET_KEY: keyB } });
  await vault.sharedKey();
  await assert.rejects(vault.unseal(sealed, 'p'), {
    message: /does not match the key that sealed/,
    hint: `Set it to the key in "${folder.keyFile}", on every gateway. Nothing was changed.`,
  });
  const elsewhere = await folder.vault({ env: { TOOLCRIB_SECRET_KEY: keyA } }).seal('secret', 'p');
  await assert.rejects(vault.unseal(elsewhere, 'p'), { hint: /If you moved from SQLite, it is in "secret-key"/ });
});
