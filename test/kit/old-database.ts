/** Databases as earlier versions made them, by the steps that there were. */

import { DatabaseSync } from 'node:sqlite';
import { migrations } from '../../src/store/records.ts';
import { applicationId } from '../../src/store/sqlite/check-database.ts';
import { createKysely } from '../../src/store/sqlite/sqlite-dialect.ts';

const tablesOfSteps = `
  create table "migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
  create table "migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
  insert into migration_lock values ('migration_lock', 0)`;

/** `last`: the name of the last step, or the beginning of the one after it. */
export async function makeOldDatabase(file: string, last: string): Promise<void> {
  using connection = new DatabaseSync(file);
  connection.exec(`pragma journal_mode = wal; pragma application_id = ${applicationId}`);
  connection.exec(tablesOfSteps);
  const db = createKysely(connection);
  for (const [name, { up }] of Object.entries(migrations)) {
    if (name > last) return;
    await up(db);
    connection.prepare('insert into migration values (?, ?)').run(name, '2026-01-01T00:00:00.000Z');
  }
}
