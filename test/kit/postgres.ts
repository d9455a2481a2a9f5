/** A PostgreSQL for tests: one for a process, on a port of its own, gone with the process. A test gets an empty schema. */

import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from 'pg';
import { eventually } from './processes.ts';

const postgresAdvice = 'PostgreSQL is missing. Install it (Debian: apt install postgresql).';

/** The folder of its programs; Debian keeps them out of the PATH. */
const programs = globSync('/usr/lib/postgresql/*/bin/postgres')
  .sort()
  .at(-1)
  ?.replace(/postgres$/, '');

const hasPostgres = programs !== undefined;

const isRequired = process.env.TOOLCRIB_TEST_ALL === '1';
if (!hasPostgres) console.error(`Tests on PostgreSQL ${isRequired ? 'fail' : 'are skipped'}: ${postgresAdvice}`);

/** A test with an empty schema; skipped where there is no PostgreSQL, or fails, with TOOLCRIB_TEST_ALL=1. */
export function postgresTest(title: string, act: (url: string) => Promise<void>): void {
  test(title, { skip: !hasPostgres && !isRequired && postgresAdvice }, async () => {
    assert.ok(hasPostgres, postgresAdvice);
    const { url, giveBack } = await emptySchema();
    await act(url);
    await giveBack();
  });
}

/** Ends every connection of a gateway. */
export const cutLines = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'toolcrib'`;

let running: Promise<string> | undefined;
let made = 0;
/** Schemas that tests have left: emptying one is far quicker than making its tables. */
const free: string[] = [];

interface EmptySchema {
  /** Of the database, with this schema as the only one. */
  readonly url: string;
  /** Only when nobody uses it any more. */
  giveBack(): Promise<void>;
}

async function emptySchema(): Promise<EmptySchema> {
  running ??= startPostgres();
  const server = await running;
  const name = free.pop() ?? (await makeSchema(server));
  const url = `${server}?options=${encodeURIComponent(`-c search_path=${name}`)}`;
  const giveBack = async () => {
    await runSql(url, emptying);
    free.push(name);
  };
  return { url, giveBack };
}

async function makeSchema(server: string): Promise<string> {
  made += 1;
  await runSql(server, `create schema test_${made}`);
  return `test_${made}`;
}

/** As the steps of the store leave it; without triggers, because the audit lets go of nothing. */
const emptying = `set session_replication_role = replica;
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = current_schema()
        and tablename not in ('migration', 'migration_lock', 'roll_up', 'audit_retention')
      loop execute format('delete from %I', name); end loop;
    for name in select sequencename from pg_sequences where schemaname = current_schema()
      loop execute format('alter sequence %I restart', name); end loop;
  end $$;
  update roll_up set watermark = 0, generation = 0, given = 0;
  update audit_retention set expire_before = 0`;

export async function runSql(url: string, sql: string): Promise<void> {
  await queryRows(url, sql);
}

export async function queryRows(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** PostgreSQL refuses to run as root: Debian's package brings a user for it. */
const isRoot = userInfo().uid === 0;
const as = isRoot ? ['runuser', '-u', 'postgres', '--'] : [];

async function startPostgres(): Promise<string> {
  // Another user cannot enter the folder of the tests.
  const folder = mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), 'toolcrib-postgres-'));
  if (isRoot) execFileSync('chown', ['postgres', folder]);
  const data = join(folder, 'data');
  const run = (program: string, ...words: readonly string[]) => [...as, `${programs}${program}`, ...words];
  execWords(run('initdb', '-D', data, '-U', 'toolcrib', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'));
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'fsync=off'];
  const words = run('postgres', '-D', data, ...settings.flatMap((setting) => ['-c', setting]));
  const server = spawn(words[0] ?? '', words.slice(1), { stdio: 'ignore' });
  process.once('exit', () => endPostgres(server, folder));
  server.unref();
  const url = `postgres://toolcrib@127.0.0.1:${port}/postgres`;
  await eventually('PostgreSQL answers', () =>
    runSql(url, 'select 1').then(
      () => true,
      () => undefined,
    ),
  );
  return url;
}

function execWords([program = '', ...words]: readonly string[]): void {
  execFileSync(program, words, { stdio: 'ignore' });
}

/** SIGQUIT ends it at once; nothing in it is needed any more. */
function endPostgres(server: ChildProcess, folder: string): void {
  server.kill('SIGQUIT');
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
