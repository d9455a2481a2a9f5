/** Kysely on node:sqlite: statements that are prepared once. */

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createKysely } from './sqlite-dialect.ts';

test('a statement that was prepared before a table changed reads the table as it is now', async () => {
  const db = createKysely(new DatabaseSync(':memory:'));
  const rows = () => sql`select * from tool`.execute(db).then((result) => result.rows);
  await sql`create table tool (name text)`.execute(db);
  await sql`insert into tool values ('read')`.execute(db);
  assert.deepEqual(await rows(), [{ __proto__: null, name: 'read' }]);
  await sql`alter table tool add column uses integer default 3`.execute(db);
  assert.deepEqual(await rows(), [{ __proto__: null, name: 'read', uses: 3 }]);
  await sql`drop table tool`.execute(db);
  await assert.rejects(rows(), /no such table: tool/);
  await db.destroy();
});

test('each statement is prepared once, until there are too many', async () => {
  const connection = new DatabaseSync(':memory:');
  const prepared: string[] = [];
  const prepare = connection.prepare.bind(connection);
  connection.prepare = (text) => {
    prepared.push(text);
    return prepare(text);
  };
  const db = createKysely(connection);
  const ask = (amount: number) => sql`select ${sql.raw(String(amount))} as amount`.execute(db);
  const [first, again] = [await ask(-1), await ask(-1)];
  assert.deepEqual(again.rows, first.rows);
  assert.equal(prepared.length, 1);
  for (let amount = 0; amount < 1_000; amount += 1) await ask(amount);
  await ask(-1);
  assert.equal(prepared.length, 1_002);
  await db.destroy();
});
