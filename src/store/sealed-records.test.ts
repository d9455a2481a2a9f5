/** Sealed data in any record keeps a gateway without its key from starting, on every database, and no second key is made. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { postgresTest } from '../../test/kit/postgres.ts';
import { systemClock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { limits } from '../config/config.ts';
import { Vault } from '../vault/vault.ts';
import { createPostgresStore, createSqliteStore, type Store } from './store.ts';

const note = { id: 'n', replica: null, at: 1, leftMs: 60_000, content: '{"call":"canary"}' };

/** One entry for each record with sealed data. */
const sealings: Readonly<Record<string, (store: Store, vault: Vault) => Promise<unknown>>> = {
  'an added server': (store) => store.saveServer({ name: 'a', spec: { command: 'x' }, addedAt: 1 }),
  'a named secret': async (store, vault) =>
    store.replaceSecrets('named/K/', [{ name: 'named/K/', sealed: await vault.seal('canary', 'named/K/'), at: 1 }]),
  'the note of a call that waits': (store) => store.changeApprovals({ put: [note] }),
};

type Make = (vault: Vault) => Store;

/** `folder`: of the keys. */
async function actOn(folder: string, make: Make, seal: (store: Store, vault: Vault) => Promise<unknown>) {
  const vaultWith = (fill?: number) => {
    const env = fill === undefined ? {} : { TOOLCRIB_SECRET_KEY: Buffer.alloc(32, fill).toString('base64') };
    return Vault.open({ dataDir: folder, env, useKeyring: false, log: silentLog });
  };
  const opened = async (vault: Vault) => {
    const store = make(vault);
    await store.open();
    return store;
  };
  await (await opened(vaultWith(1))).close();
  const vault = vaultWith(2);
  const store = await opened(vault);
  await seal(store, vault);
  await store.close();
  for (const other of [vaultWith(), vaultWith(1)]) {
    await assert.rejects(opened(other), (error) => {
      assert.ok(error instanceof GatewayError);
      assert.match(`${error.message} ${error.hint}`, /TOOLCRIB_SECRET_KEY.*secret-key.*nothing was changed/i);
      return error.code === 'STORE_BROKEN';
    });
  }
  assert.deepEqual(await readdir(folder), [], 'no key was made');
  await (await opened(vaultWith(2))).close();
}

for (const [what, seal] of Object.entries(sealings)) {
  test(`SQLite: ${what} needs its key`, async () => {
    await using disk = await TestFolder.make();
    const file = join(disk.path, 'data', 'toolcrib.db');
    await actOn(disk.keys, (sealer) => createSqliteStore({ file, clock: systemClock, log: silentLog, sealer }), seal);
  });
  postgresTest(`PostgreSQL: ${what} needs its key`, async (url) => {
    await using disk = await TestFolder.make();
    await actOn(disk.keys, (sealer) => createPostgresStore({ url, clock: systemClock, log: silentLog, sealer }), seal);
  });
}

test('an ended sign-in needs no key, but a waiting one does', async () => {
  await using disk = await TestFolder.make();
  const file = join(disk.path, 'toolcrib.db');
  const open = async (fill: number) => {
    const env = { TOOLCRIB_SECRET_KEY: Buffer.alloc(32, fill).toString('base64') };
    const vault = Vault.open({ dataDir: disk.keys, env, useKeyring: false, log: silentLog });
    const store = createSqliteStore({ file, clock: systemClock, log: silentLog, sealer: vault });
    await store.open();
    const keep = async (at: number) => {
      const name = `sign-in/${at}/far`;
      await store.replaceSecrets(name, [{ name, sealed: await vault.seal('{}', name), at }]);
    };
    return { store, keep };
  };
  const first = await open(1);
  await first.keep(Date.now() - 2 * limits.signInTtlMs);
  await first.store.close();
  const second = await open(2);
  await second.keep(Date.now());
  await second.store.close();
  await assert.rejects(open(1), { code: 'STORE_BROKEN' });
});

test('every table with sealed texts is checked', async () => {
  await using disk = await TestFolder.make();
  const file = join(disk.path, 'toolcrib.db');
  const sealer = Vault.open({ dataDir: disk.keys, env: {}, useKeyring: false, log: silentLog });
  let held: readonly string[] = [];
  const spy = {
    seal: sealer.seal.bind(sealer),
    unseal: sealer.unseal.bind(sealer),
    holdKeysOf: async (sealed: readonly string[]) => {
      held = sealed;
    },
  };
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog, sealer: spy });
  await store.open();
  for (const seal of Object.values(sealings)) await seal(store, sealer);
  await store.close();
  await store.open();
  await store.close();
  using connection = new DatabaseSync(file, { readOnly: true });
  const tables = connection.prepare("select name from sqlite_master where type = 'table'").all();
  const rows = tables.flatMap(({ name }) => connection.prepare(`select * from "${String(name)}"`).all());
  const found = rows.flatMap((row) => Object.values(row)).filter((value) => /^v1\.[\w-]{12}\./.test(String(value)));
  assert.deepEqual([...held].sort(), found.sort());
  assert.equal(found.length, Object.keys(sealings).length);
});

test('a server of an earlier version is not sealed with a new key while the key of other secrets is missing', async () => {
  await using disk = await TestFolder.make();
  const file = join(disk.path, 'toolcrib.db');
  const vault = () => Vault.open({ dataDir: disk.keys, env: {}, useKeyring: false, log: silentLog });
  const open = async (sealer?: Vault) => {
    const store = createSqliteStore({ file, clock: systemClock, log: silentLog, sealer });
    await store.open();
    return store;
  };
  const plain = await open();
  await plain.saveServer({ name: 'a', spec: { command: 'x' }, addedAt: 1 });
  const first = vault();
  await plain.replaceSecrets('named/K/', [{ name: 'named/K/', sealed: await first.seal('canary', 'named/K/'), at: 1 }]);
  await plain.close();
  const keyFile = join(disk.keys, 'secret-key');
  const key = await readFile(keyFile, 'utf8');
  await rm(keyFile);
  await assert.rejects(open(vault()), { code: 'STORE_BROKEN' });
  assert.deepEqual(await readdir(disk.keys), []);
  await writeFile(keyFile, key);
  const again = vault();
  const store = await open(again);
  // The key file may disappear while the gateway runs.
  await rm(keyFile);
  const [kept] = await store.listSecrets('named/');
  const late = await again.seal('late', 'p');
  assert.equal(late.split('.')[1], kept?.sealed.split('.')[1]);
  await store.close();
});

class TestFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  get keys(): string {
    return join(this.path, 'keys');
  }

  static async make(): Promise<TestFolder> {
    const folder = new TestFolder(await mkdtemp(join(tmpdir(), 'sealed-records-')));
    await mkdir(folder.keys);
    return folder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}
