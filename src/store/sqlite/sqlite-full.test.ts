/** A disk that is full: writes fail loudly, reads go on, and the store heals by itself when there is space again. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { item, listing } from '../../../test/kit/store-test.ts';
import { systemClock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { openRecords } from '../records.ts';
import { createSqliteStore, type Store } from '../store.ts';
import { SqliteDatabase } from './sqlite-database.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-full-'));
});
after(() => rm(folder, { recursive: true }));

const bigListing = listing(
  Array.from({ length: 2_000 }, (_, at) => ({ ...item(`tool-${at}`), definition: { text: 'x'.repeat(1_000) } })),
);

async function assertFull(store: Store): Promise<void> {
  await assert.rejects(store.applyListing('big', bigListing), { code: 'STORE_BROKEN', message: /disk is full/ });
  assert.deepEqual(
    (await store.listListings()).map(({ server }) => server),
    ['small'],
  );
  assert.equal((await store.listChanges({ server: 'big' })).length, 0);
}

test('a database that may not grow refuses writes, keeps what it has, and goes on when it may grow', async () => {
  const database = new SqliteDatabase({ file: join(folder, 'limited.db'), clock: systemClock, log: silentLog });
  const store = Object.assign(database, openRecords(database));
  await store.open();
  await store.applyListing('small', listing([item('a')]));
  await database.read((db) => sql`pragma max_page_count = 40`.execute(db));
  await assertFull(store);
  await assertFull(store);
  await store.saveSwitch('still-fits', true);
  await database.read((db) => sql`pragma max_page_count = 1000000`.execute(db));
  assert.equal((await store.applyListing('big', bigListing)).added.length, 2_000);
  await store.close();
});

test('a full disk', async (context) => {
  const disk = await mkdtemp(join(folder, 'disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk], { stdio: 'pipe' });
  } catch (error) {
    return context.skip(`needs the right to mount a small disk (${messageOf(error)})`);
  }
  try {
    const file = join(disk, 'data', 'toolcrib.db');
    const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
    await store.open();
    await store.applyListing('small', listing([item('a')]));
    await fill(join(disk, 'filler'));
    await assertFull(store);
    await assertFull(store);
    await rm(join(disk, 'filler'));
    assert.deepEqual((await store.applyListing('small', listing([item('b')]))).added, ['b']);
    await store.close();
    await store.open();
    assert.equal((await store.listListings())[0]?.items[0]?.name, 'b');
    await store.close();
    await assertNoNewStore(disk);
    await assertReadOnlyRefused(disk, file);
  } finally {
    // Lazily, because a test that failed half way still has files open there.
    execFileSync('umount', ['--lazy', disk]);
  }
});

/** Uses every byte that is left. */
async function fill(file: string): Promise<void> {
  await assert.rejects(writeFile(file, Buffer.alloc(4_000_000)), { code: 'ENOSPC' });
}

async function assertNoNewStore(disk: string): Promise<void> {
  await fill(join(disk, 'filler'));
  const store = createSqliteStore({ file: join(disk, 'data', 'new.db'), clock: systemClock, log: silentLog });
  await assert.rejects(store.open(), { code: 'STORE_BROKEN' });
  await rm(join(disk, 'filler'));
  await store.open();
  await store.close();
}

async function assertReadOnlyRefused(disk: string, file: string): Promise<void> {
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  await assert.rejects(store.open(), { code: 'STORE_BROKEN', message: /may not read and write/ });
}
