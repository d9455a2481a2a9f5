/** Files that must not be used: each is refused with its name, the reason and a way out, and stays as it is. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, open, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { item, listing } from '../../../test/kit/store-test.ts';
import { systemClock } from '../../base/clock.ts';
import { GatewayError } from '../../base/errors.ts';
import { type Log, silentLog } from '../../base/log.ts';
import { createSqliteStore } from '../store.ts';

const isRoot = process.getuid?.() === 0;
const makeStore = (file: string) => createSqliteStore({ file, clock: systemClock, log: silentLog });

let folder = '';
let good = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-damage-'));
  good = join(folder, 'good.db');
  const store = makeStore(good);
  await store.open();
  await store.applyListing('s', listing(Array.from({ length: 500 }, (_, at) => item(`tool-${at}`))));
  await store.close();
});
after(() => rm(folder, { recursive: true }));

/** A copy of a good file, in a folder of its own. */
async function copyGood(name: string): Promise<string> {
  const file = join(folder, name, 'toolcrib.db');
  await mkdir(join(folder, name));
  await copyFile(good, file);
  return file;
}

async function hashOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

async function overwrite(file: string, position: number, bytes: Uint8Array): Promise<void> {
  await using handle = await open(file, 'r+');
  await handle.write(bytes, 0, bytes.length, position);
}

/** The file of the first page of a table's tree. */
function rootPageOf(file: string, table: string): number {
  using connection = new DatabaseSync(file, { readOnly: true });
  return Number(connection.prepare('select rootpage from sqlite_schema where name = ?').get(table)?.rootpage);
}

async function assertRefused(file: string, reason: RegExp): Promise<void> {
  const hash = await hashOf(file);
  const store = makeStore(file);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await assert.rejects(store.open(), (error) => {
      assert.ok(error instanceof GatewayError);
      assert.equal(error.code, 'STORE_BROKEN');
      assert.ok(error.message.includes(file), error.message);
      assert.match(error.message, reason);
      assert.match(error.hint ?? '', /backup.*move/i);
      return true;
    });
  }
  await store.close();
  assert.equal(await hashOf(file), hash, 'The file was changed.');
}

const noise = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 151 + 13) % 256);

const damages: Record<string, { readonly reason: RegExp; readonly damage: (file: string) => Promise<void> }> = {
  'a header of garbage': { reason: /not an SQLite database/, damage: (file) => overwrite(file, 0, noise(100)) },
  'a text file': { reason: /not an SQLite database/, damage: (file) => writeFile(file, 'hello\n'.repeat(100)) },
  'an empty file': { reason: /empty/, damage: (file) => truncate(file, 0) },
  'a file cut within the header': { reason: /not an SQLite database/, damage: (file) => truncate(file, 50) },
  'a file cut in the middle': { reason: /cut off/, damage: (file) => truncate(file, 20_000) },
  'a file cut within a page': {
    reason: /cut off/,
    damage: async (file) => truncate(file, (await readFile(file)).length - 100),
  },
  'a first page of garbage': { reason: /damaged/, damage: (file) => overwrite(file, 100, noise(3_000)) },
  'a later page of garbage': {
    reason: /damaged/,
    damage: (file) => overwrite(file, (rootPageOf(file, 'item') - 1) * 4096, noise(4096)),
  },
  'a database of another program': {
    reason: /not one that Toolcrib made/,
    damage: async (file) => {
      await rm(file);
      using connection = new DatabaseSync(file);
      connection.exec('create table t (x); insert into t values (1)');
    },
  },
  'a database without its tables': {
    reason: /tables are missing/,
    damage: async (file) => {
      using connection = new DatabaseSync(file);
      connection.exec('drop table migration');
    },
  },
  'a database of a newer version': {
    reason: /newer version.*9999-from-the-future/,
    damage: async (file) => {
      using connection = new DatabaseSync(file);
      connection.exec(`insert into migration values ('9999-from-the-future', '2126-01-01')`);
    },
  },
};

describe('a file is refused and left alone:', () => {
  for (const [name, { damage, reason }] of Object.entries(damages)) {
    test(name, async () => {
      const file = await copyGood(name.replaceAll(' ', '-'));
      await damage(file);
      await assertRefused(file, reason);
    });
  }

  test('a folder in its place', async () => {
    const file = join(folder, 'folder-in-place');
    await mkdir(file);
    await assert.rejects(makeStore(file).open(), { code: 'STORE_BROKEN', message: /is not a file/ });
  });

  test('a log without its file', async () => {
    const file = await copyGood('lost-file');
    await rename(file, `${file}-wal`);
    await assert.rejects(makeStore(file).open(), { code: 'STORE_BROKEN', message: /missing, but its log/ });
    assert.equal(await hashOf(`${file}-wal`), await hashOf(good));
  });

  test('a file and a folder that may not be written', { skip: isRoot && 'root may write everything' }, async () => {
    const file = await copyGood('read-only');
    await chmod(file, 0o400);
    await assertRefused(file, /may not read and write/);
    await chmod(file, 0o600);
    await chmod(join(folder, 'read-only'), 0o500);
    await assertRefused(file, /may not read and write/);
    await assert.rejects(makeStore(join(folder, 'read-only', 'new.db')).open(), { code: 'STORE_BROKEN' });
    await chmod(join(folder, 'read-only'), 0o700);
  });
});

test('a refused store opens once its file was mended', async () => {
  const file = await copyGood('mended');
  await overwrite(file, 0, noise(100));
  const store = makeStore(file);
  await assert.rejects(store.open(), { code: 'STORE_BROKEN' });
  await copyFile(good, file);
  await store.open();
  assert.equal((await store.listListings())[0]?.items.length, 500);
  await store.close();
});

test('a store whose log was deleted opens with what its file holds', async () => {
  const file = await copyGood('no-log');
  const store = makeStore(file);
  await store.open();
  await store.saveSwitch('in-the-log-only', true);
  const copy = join(folder, 'no-log', 'copy.db');
  await copyFile(file, copy);
  await store.close();
  const second = makeStore(copy);
  await second.open();
  assert.equal((await second.listListings())[0]?.items.length, 500);
  assert.equal((await second.listSwitches()).size, 0);
  await second.close();
});

test('a store of an older version is brought up to date', async () => {
  const file = await copyGood('older');
  {
    using connection = new DatabaseSync(file);
    connection.exec('pragma foreign_keys = off');
    const isOurs = "type = 'table' and name not like 'sqlite_%' and name not like 'migration%'";
    for (const { name } of connection.prepare(`select name from sqlite_schema where ${isOurs}`).all())
      connection.exec(`drop table "${name}"`);
    connection.exec('delete from migration');
  }
  const store = makeStore(file);
  await store.open();
  await store.applyListing('s', listing([item('a')]));
  await store.close();
  await store.open();
  assert.equal((await store.listListings())[0]?.items.length, 1);
  await store.close();
});

test('a big file is checked while it is in use; damage stops writes, not reads', async () => {
  const file = await copyGood('big');
  await overwrite(file, (rootPageOf(file, 'change_by_name') - 1) * 4096, noise(4096));
  const errors: string[] = [];
  const log: Log = { ...silentLog, error: (event) => errors.push(event) };
  const store = createSqliteStore({ file, clock: systemClock, log, smallFileBytes: 1 });
  await store.open();
  assert.equal((await store.listListings())[0]?.items.length, 500);
  while (errors.length === 0) await turn();
  assert.match(String(errors), /damaged/);
  await assert.rejects(store.saveSwitch('a', true), { code: 'STORE_BROKEN', message: /damaged/ });
  assert.equal((await store.listListings())[0]?.items.length, 500);
  await store.close();
});

test('a store can be closed while its big file is still being checked', async () => {
  const file = await copyGood('closed-early');
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog, smallFileBytes: 1 });
  await store.open();
  await store.saveSwitch('a', true);
  await store.close();
  await store.open();
  assert.equal((await store.listSwitches()).get('a'), true);
  await store.close();
});
