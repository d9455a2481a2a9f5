/** Copies of whole stores between SQLite and PostgreSQL: equal, resumed where they were cut short, and never into something else. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { copyStore, createPostgresStore, createSqliteStore, type Store } from '../../src/store/store.ts';
import { everything, expected, manyCalls, order } from '../kit/many-calls.ts';
import { cutLines, postgresTest, runSql } from '../kit/postgres.ts';
import { item, listing, oddNames } from '../kit/store-test.ts';

const parts = { clock: systemClock, log: silentLog };
const calls = manyCalls(3_000);

async function withFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-copy-'));
  try {
    await act(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function use<T>(store: Store, act: (store: Store) => Promise<T>): Promise<T> {
  await store.open();
  try {
    return await act(store);
  } finally {
    await store.close();
  }
}

/** Of everything a little, with names that break carelessly written code. */
async function fill(file: string): Promise<void> {
  await use(createSqliteStore({ file, ...parts }), async (store) => {
    for (const version of ['f1', 'f2'])
      await store.applyListing('shop', listing(oddNames.map((name) => item(name, version))));
    await store.saveSwitch('shop', false);
    await store.saveVectors('m', [{ fingerprint: 'f', values: new Uint8Array([1, 255]), scale: 0.1 }]);
    await store.appendRecords(calls.slice(0, 2_000));
    await store.rollUpCalls(order);
    await store.appendRecords(calls.slice(2_000));
  });
}

const copy = (from: string, to: string, onProgress = (_rows: number) => {}, signal = new AbortController().signal) =>
  copyStore({ from, to, ...parts, signal, onProgress: ({ rows }) => onProgress(rows) });

postgresTest('[REP-03] a copy to PostgreSQL and back is equal, and goes on growing there', (url) =>
  withFolder(async (folder) => {
    const [first, second] = [join(folder, 'first.db'), join(folder, 'second.db')];
    await fill(first);
    const there = await copy(`sqlite:${first}`, url);
    await use(createPostgresStore({ url, ...parts }), async (store) => {
      assert.deepEqual(await everything(store), expected(calls));
      assert.deepEqual((await store.listListings())[0]?.items.map(({ name }) => name).sort(), [...oddNames].sort());
      // Large results stay where they are.
      const result = { id: 'a', principal: 'ann', bytes: 1, manifestBytes: 0 };
      await store.addResultChunk(result, 0, Uint8Array.of(1), { mostBytes: 1_000, ttlMs: 60_000 });
      // So do notes: they are sealed, and nothing on SQLite reads or removes them.
      const note = { id: 'n', replica: null, at: 1, leftMs: 60_000, content: 'a call' };
      assert.equal(await store.changeApprovals({ put: [note] }), true);
    });
    // And so does a gateway that was killed, with its duty.
    await runSql(
      url,
      `insert into replica (id, version, started_at, key_mark, config_mark, seen_at) values ('gone', '1', 1, 'k', 'c', 1);
      insert into duty (work, replica, term) values ('upkeep', 'gone', 't')`,
    );
    const back = await copy(url, `sqlite:${second}`);
    assert.deepEqual(back.tables, there.tables);
    await use(createPostgresStore({ url, ...parts }), async (store) => {
      await store.appendRecords(calls);
      assert.deepEqual(await everything(store), expected([...calls, ...calls]));
    });
  }),
);

postgresTest('[REP-03] calls are counted on where the rows of earlier ones are gone', (url) =>
  withFolder(async (folder) => {
    const file = join(folder, 'first.db');
    const gone = { now: Number.MAX_SAFE_INTEGER / 4, expireBefore: Number.MAX_SAFE_INTEGER / 8 };
    await use(createSqliteStore({ file, ...parts }), async (store) => {
      await store.appendRecords(calls);
      assert.equal((await store.rollUpCalls(gone)).removed, calls.length);
    });
    await copy(`sqlite:${file}`, url);
    await use(createPostgresStore({ url, ...parts }), async (store) => {
      await store.appendRecords(calls.slice(0, 10));
      assert.equal((await store.rollUpCalls(order)).rolledUp, 10);
    });
  }),
);

postgresTest('[REP-04] a copy that was cut short goes on, and nobody uses it before it is whole', (url) =>
  withFolder(async (folder) => {
    const file = join(folder, 'first.db');
    await fill(file);
    const stop = new AbortController();
    await assert.rejects(copy(`sqlite:${file}`, url, (rows) => rows > 1_000 && stop.abort(), stop.signal));
    await assert.rejects(
      use(createPostgresStore({ url, ...parts }), async () => {}),
      /a copy of .* was not finished/,
    );
    const { rows, found } = await copy(`sqlite:${file}`, url);
    assert.ok(found > 1_000 && found < rows, `${found} of ${rows}`);
    await assert.rejects(copy(`sqlite:${file}`, url), /has rows/);
    await runSql(url, cutLines);
  }),
);

postgresTest('[REP-05] a store that gateways use is not copied, and they are named', (url) =>
  withFolder(async (folder) => {
    const target = `sqlite:${join(folder, 'copy.db')}`;
    const facts = { version: '1.0.0', startedAt: 1, keyMark: 'k', configMark: 'c' };
    await use(createPostgresStore({ url, ...parts }), async (store) => {
      await store.beatReplica({ ...facts, id: 'one', url: 'http://192.0.2.1:3333' }, []);
      await assert.rejects(copy(url, target), {
        code: 'DATA_LOCKED',
        message: /^The store postgres:.* is in use by http:\/\/192\.0\.2\.1:3333\.$/,
      });
      await assert.rejects(copy(target, url), { code: 'DATA_LOCKED', message: /^The store postgres:/ });
      await store.removeReplica('one');
    });
    await copy(url, target);
  }),
);

const program = join(import.meta.dirname, '../../bin/toolcrib.js');
const toolcrib = (...words: readonly string[]) =>
  promisify(execFile)(process.execPath, [program, ...words]).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (error: { code: number; stderr: string }) => ({ code: error.code, text: error.stderr }),
  );

postgresTest('[REP-05] the command copies the store of a data folder, and refuses what is none', (url) =>
  withFolder(async (folder) => {
    await fill(join(folder, 'toolcrib.db'));
    const { code, text } = await toolcrib('store', 'copy', url, '--data', folder);
    assert.equal(code, 0, text);
    assert.match(
      text,
      /^Copied \d+ rows of \d+ tables to postgres:.*\nTo use it, set "store\.url" .*\n.*TOOLCRIB_SECRET_KEY/,
    );
    const wrong = await toolcrib('store', 'copy', 'mysql://x', '--data', folder);
    assert.equal(wrong.code, 2);
    assert.match(wrong.text, /is not a store/);
  }),
);
