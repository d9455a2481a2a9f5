/** Databases that earlier versions made: each opens, keeps its rows and takes what is new. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { madeUpEvent } from '../../../test/kit/made-up-event.ts';
import { call } from '../../../test/kit/many-calls.ts';
import { makeOldDatabase } from '../../../test/kit/old-database.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { limits } from '../../config/config.ts';
import { migrations } from '../records.ts';
import { createSqliteStore, type DisclosureSum, type EraVerdict, type StoredUse, type StoredVector } from '../store.ts';
import { applicationId } from './check-database.ts';

/** The tables of the first version, as SQLite keeps them: written down here, so that a change of the first step is seen. */
const firstTables: readonly string[] = [
  'CREATE TABLE "migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null)',
  'CREATE TABLE "migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null)',
  'CREATE TABLE "server" ("name" text primary key, "spec" text not null, "added_at" bigint not null)',
  'CREATE TABLE "switch" ("server" text primary key, "is_enabled" integer not null)',
  'CREATE TABLE "listing" ("server" text primary key, "head" text not null, "listed_at" bigint not null, "stale_since" bigint, "stale_reason" text)',
  'CREATE TABLE "item" ("server" text not null references "listing" ("server") on delete cascade, "kind" text not null, "name" text not null, "fingerprint" text not null, "definition" text not null, constraint "item_key" primary key ("server", "kind", "name"))',
  'CREATE TABLE "change" ("id" integer primary key autoincrement, "server" text not null, "kind" text not null, "name" text not null, "change" text not null, "at" bigint not null, "old_fingerprint" text, "new_fingerprint" text, "old_definition" text, "new_definition" text)',
  'CREATE INDEX "change_by_server" on "change" ("server", "id")',
  'CREATE INDEX "change_by_name" on "change" ("name", "id")',
  'CREATE TABLE "verdict" ("key" text primary key, "modern" integer not null, "legacy" integer, "discover" text, "decided_at" bigint not null)',
];

const firstRows = `
  insert into migration values ('0001-servers-and-listings', '2026-01-01T00:00:00.000Z');
  insert into migration_lock values ('migration_lock', 0);
  insert into server values ('s', '{"command":"x"}', 1);
  insert into switch values ('s', 0);
  insert into listing values ('s', '{"serverInfo":null,"capabilities":{},"instructions":null,"source":"x"}', 2, 3, 'why');
  insert into item values ('s', 'tool', 'a', 'f', '{"name":"a"}');
  insert into change values (7, 's', 'tool', 'a', 'added', 2, null, 'f', null, '{"name":"a"}');
  insert into verdict values ('k', 1, null, '{}', 4);`;

const disclosure: DisclosureSum = {
  ...{ day: 20_000, project: null, surface: 'search', kind: 'list' },
  ...{ count: 1, tokens: 10, calls: 0, directTokens: 0 },
};

const verdict: EraVerdict = { key: 'k', modern: true, legacy: null, discover: {}, decidedAt: 4 };

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-migration-'));
});
after(() => rm(folder, { recursive: true }));

const makeStore = (file: string) => createSqliteStore({ file, clock: systemClock, log: silentLog });

function makeFirst(file: string): void {
  using connection = new DatabaseSync(file);
  connection.exec(`pragma journal_mode = wal; pragma application_id = ${applicationId}`);
  connection.exec(`${firstTables.join(';')};${firstRows}`);
}

function namesOfSteps(file: string): string[] {
  using connection = new DatabaseSync(file, { readOnly: true });
  const rows = connection.prepare('select name from migration order by name').all();
  return rows.map(({ name }) => String(name));
}

test('a database of the first version opens, keeps its rows and takes vectors, uses, calls and disclosure', async () => {
  const file = join(folder, 'first.db');
  makeFirst(file);
  const vector: StoredVector = { fingerprint: 'f', values: Uint8Array.of(0, 127, 128, 255), scale: 0.5 };
  const use: StoredUse = { query: 'q', toolKey: 's:a', good: 1, bad: 0, at: 5 };
  const store = makeStore(file);
  await store.open();
  assert.deepEqual([await store.listVectors('m'), await store.listUses()], [[], []]);
  await store.saveVectors('m', [vector]);
  await store.addUses([use]);
  await store.appendRecords([call()]);
  await store.addDisclosure([disclosure]);
  await store.close();

  await store.open();
  assert.deepEqual(await store.listServers(), [{ name: 's', spec: { command: 'x' }, addedAt: 1 }]);
  assert.deepEqual([...(await store.listSwitches())], [['s', false]]);
  const [listing] = await store.listListings();
  assert.deepEqual([listing?.source, listing?.listedAt, listing?.staleSince, listing?.staleReason], ['x', 2, 3, 'why']);
  assert.deepEqual(listing?.items, [{ kind: 'tool', name: 'a', fingerprint: 'f', definition: { name: 'a' } }]);
  assert.deepEqual(
    (await store.listChanges({})).map(({ id, name, newDefinition }) => ({ id, name, newDefinition })),
    [{ id: 7, name: 'a', newDefinition: { name: 'a' } }],
  );
  assert.deepEqual(await store.findVerdict('k'), verdict);
  assert.deepEqual([await store.listVectors('m'), await store.listUses()], [[vector], [use]]);
  assert.deepEqual((await store.listCallTallies(1)).unrolled, 1);
  assert.deepEqual(await store.listDisclosure(0), [disclosure]);
  await store.close();
  assert.deepEqual(namesOfSteps(file), Object.keys(migrations).sort());
});

test('the tables of the first version are made as they ever were', async () => {
  const file = join(folder, 'new.db');
  const store = makeStore(file);
  await store.open();
  await store.close();
  using connection = new DatabaseSync(file, { readOnly: true });
  const statements = connection.prepare('select sql from sqlite_schema').all();
  const made = new Set(statements.map(({ sql }) => sql));
  for (const statement of firstTables) assert.ok(made.has(statement), statement);
});

test('steps that were released make the tables that they ever made', async () => {
  const file = join(folder, 'released.db');
  await makeOldDatabase(file, '0019-note-versions');
  using connection = new DatabaseSync(file, { readOnly: true });
  const statements = connection.prepare('select sql from sqlite_schema where sql is not null order by name').all();
  const hash = createHash('sha256').update(statements.map(({ sql }) => String(sql).replaceAll(/\s+/g, ' ')).join('\n'));
  // Another value means that a column of a released table was declared differently: add a column with `since` instead.
  assert.equal(hash.digest('hex').slice(0, 16), '80cde609abcd54e8');
});

test('a database from before decisions could be undone and requests had ids opens, keeps its rows and takes both', async () => {
  const file = join(folder, 'before-requests.db');
  await makeOldDatabase(file, '0010-projects-of-the-file');
  {
    using connection = new DatabaseSync(file);
    connection.exec(`insert into audit (at, kind, action, principal, principal_name, request_id, outcome)
      values (1, 'execution', 'tools.call', 'agent', 'agent', '1', 'ok')`);
  }
  const store = makeStore(file);
  await store.open();
  await store.appendRecords([], [madeUpEvent()]);
  const { records } = await store.listAudit({ filter: {}, order: 'oldest', limit: 10 });
  assert.deepEqual(
    records.map(({ requestId, rpcId, trace, project }) => [requestId, rpcId, trace, project]),
    [
      [null, '1', null, null],
      ['r1', '1', 't1', 'shop'],
    ],
  );
  assert.deepEqual(await store.listPins(), []);
  await store.close();
  assert.deepEqual(namesOfSteps(file), Object.keys(migrations).sort());
});

test('browsers from before their last use was kept stay signed in as long as they were', async () => {
  const file = join(folder, 'before-browser-times.db');
  await makeOldDatabase(file, '0014-browsers');
  const [madeAt, expiresAt] = [1_000_000_000, 1_100_000_000];
  {
    using connection = new DatabaseSync(file);
    connection.prepare('insert into browser values (?, ?, ?, ?, ?)').run('d', 'owner', 's', madeAt, expiresAt);
  }
  const store = makeStore(file);
  await store.open();
  const times = { usedAt: expiresAt - limits.browserIdleMs, endsAt: madeAt + limits.browserMs };
  const browser = { digest: 'd', principal: 'owner', signedInBy: 's', madeAt, expiresAt, ...times };
  assert.deepEqual(await store.listBrowsers(), [browser]);
  await store.close();
});
