/** The audit in an SQLite file: the table itself refuses to be changed. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { madeUpEvent } from '../../../test/kit/made-up-event.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { createSqliteStore } from '../store.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-audit-'));
});
after(() => rm(folder, { recursive: true }));

test('no statement can change, replace or remove a record that is to be kept', async () => {
  const file = join(folder, 'audit.db');
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  await store.open();
  await store.appendRecords([], [madeUpEvent({ at: 1_000 }), madeUpEvent({ at: 2_000 }), madeUpEvent({ at: 500 })]);
  using connection = new DatabaseSync(file);
  const columns = `at, kind, action, principal, principal_name, outcome`;
  const values = `1, 'access', 'x', 'x', 'x', 'x'`;
  for (const statement of [
    `update audit set outcome = 'ok'`,
    'delete from audit',
    'delete from audit where id = 1',
    `insert or replace into audit (id, ${columns}) values (1, ${values})`,
    `insert into audit (id, ${columns}) values (1, ${values}) on conflict do update set outcome = 'x'`,
  ])
    assert.throws(() => connection.exec(statement), /only added to|older than its retention/, statement);
  assert.deepEqual(await store.removeAudit(1_500, 0), { removed: 1, next: 1 });
  // The last record is old enough, too, and stays.
  assert.throws(() => connection.exec('delete from audit where id = 3'), /retention/);
  const { records } = await store.listAudit({ filter: {}, order: 'oldest', limit: 10 });
  assert.deepEqual(
    records.map(({ id }) => id),
    [2, 3],
  );
  await store.close();
});
