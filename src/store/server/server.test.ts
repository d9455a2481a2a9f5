/** Stored servers at rest: nothing of their specs can be read in the files of the store, also after an earlier version had them. */

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { Vault } from '../../vault/vault.ts';
import { createSqliteStore, type Store } from '../store.ts';

const canary = 'canary-7f3a9c51';
const spec = { command: 'npx', args: ['--key', `${canary}-arg`], env: { TOKEN: `${canary}-env`.repeat(500) } };

class TestFolder {
  readonly folder: string;
  constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<TestFolder> {
    return new TestFolder(await mkdtemp(join(tmpdir(), 'sealed-')));
  }

  vault(env: NodeJS.ProcessEnv = {}): Vault {
    return Vault.open({ dataDir: this.folder, env, useKeyring: false, log: silentLog });
  }

  async store(sealer?: Vault): Promise<Store> {
    const file = join(this.folder, 'data', 'toolcrib.db');
    const store = createSqliteStore({ file, clock: systemClock, log: silentLog, sealer });
    await store.open();
    return store;
  }

  /** Which files of the store hold the canary. */
  async leaks(): Promise<string[]> {
    const names = await readdir(join(this.folder, 'data'));
    const texts = await Promise.all(names.map((name) => readFile(join(this.folder, 'data', name), 'latin1')));
    return names.filter((_, index) => texts[index]?.includes(canary));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

test('a stored server comes back as it was, and is nowhere in the files', async () => {
  await using temporary = await TestFolder.make();
  const store = await temporary.store(temporary.vault());
  await store.saveServer({ name: 'a', spec, addedAt: 1 });
  await store.saveServer({ name: 'a', spec: { ...spec, title: 'b' }, addedAt: 2 });
  assert.deepEqual(await temporary.leaks(), []);
  await store.removeServer('a');
  await store.saveServer({ name: 'a', spec, addedAt: 3 });
  assert.deepEqual(await temporary.leaks(), []);
  await store.close();
  const again = await temporary.store(temporary.vault());
  assert.deepEqual(await again.listServers(), [{ name: 'a', spec, addedAt: 3 }]);
  await again.close();
  assert.deepEqual(await temporary.leaks(), []);
  for (const name of await readdir(join(temporary.folder, 'data'))) {
    assert.equal((await stat(join(temporary.folder, 'data', name))).mode & 0o077, 0, name);
  }
});

test('plain texts of an earlier version are sealed when the store is opened, and no trace of them is left', async () => {
  await using temporary = await TestFolder.make();
  const earlier = await temporary.store();
  await earlier.saveServer({ name: 'gone', spec, addedAt: 1 });
  await earlier.saveServer({ name: 'kept', spec, addedAt: 2 });
  await earlier.removeServer('gone');
  await earlier.close();
  assert.notDeepEqual(await temporary.leaks(), []);
  const store = await temporary.store(temporary.vault());
  assert.deepEqual(await temporary.leaks(), []);
  assert.deepEqual(await store.listServers(), [{ name: 'kept', spec, addedAt: 2 }]);
  await store.close();
  assert.deepEqual(await temporary.leaks(), []);
});

test('traces of servers that were removed before go as well', async () => {
  await using temporary = await TestFolder.make();
  const earlier = await temporary.store();
  await earlier.saveServer({ name: 'gone', spec, addedAt: 1 });
  await earlier.removeServer('gone');
  await earlier.close();
  assert.notDeepEqual(await temporary.leaks(), []);
  await (await temporary.store(temporary.vault())).close();
  assert.deepEqual(await temporary.leaks(), []);
  assert.deepEqual(await readdir(temporary.folder), ['data'], 'no key where nothing is sealed');
});

test('with another key the servers are refused and stay as they are', async () => {
  await using temporary = await TestFolder.make();
  const store = await temporary.store(temporary.vault());
  await store.saveServer({ name: 'a', spec, addedAt: 1 });
  await store.close();
  const key = join(temporary.folder, 'secret-key');
  const kept = await readFile(key);
  await rm(key);
  const other = temporary.vault({ TOOLCRIB_SECRET_KEY: Buffer.alloc(32).toString('base64') });
  await assert.rejects(temporary.store(other), { code: 'STORE_BROKEN' });
  await writeFile(key, kept);
  const again = await temporary.store(temporary.vault());
  assert.deepEqual(await again.listServers(), [{ name: 'a', spec, addedAt: 1 }]);
  await again.close();
});

test('a spec that was moved to another server by hand is refused', async () => {
  await using temporary = await TestFolder.make();
  const store = await temporary.store(temporary.vault());
  await store.saveServer({ name: 'a', spec, addedAt: 1 });
  await store.close();
  using connection = new DatabaseSync(join(temporary.folder, 'data', 'toolcrib.db'));
  connection.exec("update server set name = 'b'");
  connection.close();
  const again = await temporary.store(temporary.vault());
  await assert.rejects(again.listServers(), /"server:b" was damaged or changed/);
  await again.close();
});
