/** Tests of the SQLite file itself: its rights, its rows, its log and its survival. */

import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { item, listing } from '../../../test/kit/store-test.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { createSqliteStore, type Store } from '../store.ts';
import { logLimitBytes } from './checkpointer.ts';
import { createDatabase } from './create-database.ts';

const makeStore = (file: string) => createSqliteStore({ file, clock: systemClock, log: silentLog });

async function withFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-store-'));
  try {
    await act(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function withStore(act: (store: Store, file: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const file = join(folder, 'toolcrib.db');
    const store = makeStore(file);
    await store.open();
    try {
      await act(store, file);
    } finally {
      await store.close();
    }
  });
}

test(
  'folder and files are made for their owner alone, and closing leaves one file',
  { skip: process.platform === 'win32' },
  () =>
    withFolder(async (folder) => {
      const data = join(folder, 'some', 'where');
      const store = makeStore(join(data, 'toolcrib.db'));
      await store.open();
      await store.saveSwitch('a', true);
      const rightsOf = async (path: string) => (await stat(path)).mode & 0o777;
      assert.deepEqual(await readdir(data), ['toolcrib.db', 'toolcrib.db-shm', 'toolcrib.db-wal']);
      for (const name of await readdir(data)) assert.equal(await rightsOf(join(data, name)), 0o600, name);
      assert.deepEqual([await rightsOf(data), await rightsOf(join(folder, 'some'))], [0o700, 0o700]);
      await store.close();
      assert.deepEqual(await readdir(data), ['toolcrib.db']);
    }),
);

test('an unchanged row is not written', () =>
  withStore(async (store, file) => {
    await store.applyListing('s', listing([item('same'), item('changes'), item('goes')]));
    using other = new DatabaseSync(file);
    other.exec(`create table touched (what text);
      create trigger a after insert on item begin insert into touched values ('insert ' || new.name); end;
      create trigger b after update on item begin insert into touched values ('update ' || new.name); end;
      create trigger c after delete on item begin insert into touched values ('delete ' || old.name); end;`);
    await store.applyListing('s', listing([item('same'), item('changes', 'f2'), item('comes')]));
    const touched = other
      .prepare('select what from touched order by what')
      .all()
      .map(({ what }) => what);
    assert.deepEqual(touched, ['delete goes', 'insert comes', 'update changes']);
  }));

test('a second store on the same file sees what the first one wrote, and both can write', () =>
  withStore(async (store, file) => {
    const second = makeStore(file);
    await second.open();
    const turns = Array.from({ length: 50 }, (_, at) =>
      [store, second].map((one, who) => one.saveSwitch(`${who}-${at}`, true)),
    );
    await Promise.all(turns.flat());
    assert.equal((await store.listSwitches()).size, 100);
    await second.close();
    assert.equal((await store.listSwitches()).size, 100);
  }));

test('two stores that make the same new file end up sharing it', () =>
  withFolder(async (folder) => {
    const stores = Array.from({ length: 5 }, () => makeStore(join(folder, 'toolcrib.db')));
    await Promise.all(stores.map((store) => store.open()));
    await Promise.all(stores.map((store, at) => store.saveSwitch(`server-${at}`, true)));
    assert.equal((await stores[0]?.listSwitches())?.size, 5);
    for (const store of stores) await store.close();
    assert.deepEqual(await readdir(folder), ['toolcrib.db']);
  }));

test('a store that appeared while another was made in its place is kept', () =>
  withStore(async (store, file) => {
    const { ino } = await stat(file);
    await createDatabase(file);
    assert.equal((await stat(file)).ino, ino);
    await store.saveSwitch('a', true);
  }));

test('the log is shortened while the store is in use', () =>
  withStore(async (store, file) => {
    const logSize = async () => (await stat(`${file}-wal`)).size;
    const texts = ['x', 'y'].map((letter) => letter.repeat(1_000_000));
    for (let at = 0; (await logSize().catch(() => 0)) < logLimitBytes; at += 1) {
      // SQLite writes only the pages that differ.
      await store.saveServer({ name: 'big', spec: { text: texts[at % 2] }, addedAt: at });
    }
    while ((await logSize()) >= logLimitBytes) await store.saveSwitch('small', true);
    assert.equal((await store.listServers()).length, 1);
    assert.equal((await store.listSwitches()).size, 1);
  }));

test('writing in a loop lets timers run', () =>
  withStore(async (store) => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    for (let at = 0; at < 500; at += 1) await store.saveSwitch('a', at % 2 === 0);
    await Promise.all(Array.from({ length: 500 }, (_, at) => store.saveSwitch('b', at % 2 === 0)));
    clearInterval(timer);
    assert.ok(ticks >= 10, `Timers ran only ${ticks} times.`);
  }));
