/** PostgreSQL databases for gateways under examination: one server for all, which ends with this process. */

import { messageOf } from '../../src/base/errors.ts';
import { queryRows, TestPostgres } from '../../test/kit/postgres.ts';
import type { SharedDatabase } from './database.ts';

let server: Promise<TestPostgres> | undefined;
let made = 0;

/** An empty one. */
export async function newDatabase(): Promise<SharedDatabase> {
  server ??= TestPostgres.start();
  const { url } = await server;
  made += 1;
  const name = `exam_${made}`;
  await queryRows(url, `create database ${name}`);
  return databaseAt(url.replace(/[^/]+$/, name));
}

export function databaseAt(url: string): SharedDatabase {
  const text = async () => {
    const tables = await queryRows(url, 'select tablename from pg_tables where schemaname = current_schema()');
    const found: unknown[] = [];
    for (const { tablename } of tables)
      found.push(...(await queryRows(url, `select t::text as row from "${tablename}" t`)).map(({ row }) => row));
    // Bytes are printed as hexadecimal digits, in which no word is found.
    const asText = (_: string, digits: string) => Buffer.from(digits, 'hex').toString('latin1');
    return found.join('\n').replaceAll(/\\x([0-9a-f]+)/g, asText);
  };
  return {
    url,
    text,
    fault: async () => {
      try {
        // Each row can be read, and each index leads to all of them.
        if ((await text()) === '') return 'there is nothing in it';
        await queryRows(url, checkIndexes);
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
  };
}

const checkIndexes = `create extension if not exists amcheck schema pg_catalog;
  select bt_index_check(indexrelid, true) from pg_index join pg_class on pg_class.oid = indrelid
    where relnamespace = current_schema()::regnamespace`;
