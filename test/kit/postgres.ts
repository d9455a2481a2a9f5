/** A PostgreSQL for tests: one for a process, on a port of its own, gone with the process. A test gets an empty schema. */

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
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

/** Why tests on PostgreSQL are skipped; false: they are not. */
export const skipsPostgres = !hasPostgres && !isRequired && postgresAdvice;

/** A test with an empty schema; skipped where there is no PostgreSQL, or fails, with TOOLCRIB_TEST_ALL=1. */
export function postgresTest(title: string, act: (url: string) => Promise<void>): void {
  test(title, { skip: skipsPostgres }, async () => {
    const { url, giveBack } = await emptySchema();
    await act(url);
    await giveBack();
  });
}

/** Ends every connection of a gateway. */
export const cutLines = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'toolcrib'`;

let running: Promise<TestPostgres> | undefined;
let made = 0;
/** Schemas that tests have left: emptying one is far quicker than making its tables. */
const free: string[] = [];

interface EmptySchema {
  /** Of the database, with this schema as the only one. */
  readonly url: string;
  /** Only when nobody uses it any more. */
  giveBack(): Promise<void>;
}

export async function emptySchema(): Promise<EmptySchema> {
  assert.ok(hasPostgres, postgresAdvice);
  running ??= TestPostgres.start();
  const { url: server } = await running;
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
const user = isRoot && hasPostgres ? { uid: idOf('-u'), gid: idOf('-g') } : {};

function idOf(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'postgres']));
}

/** A server on a port of its own, which can go away and come back with its data. */
export class TestPostgres {
  readonly url: string;
  readonly #data: string;
  readonly #settings: readonly string[];
  #server: ChildProcess | undefined;

  private constructor(folder: string, port: number, more: readonly string[]) {
    this.url = `postgres://toolcrib@127.0.0.1:${port}/postgres`;
    this.#data = join(folder, 'data');
    const own = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'fsync=off'];
    this.#settings = [...own, ...more].flatMap((setting) => ['-c', setting]);
  }

  /** `more`: settings such as `log_statement=all`. */
  static async start(more: readonly string[] = []): Promise<TestPostgres> {
    assert.ok(hasPostgres, postgresAdvice);
    // Another user cannot enter the folder of the tests.
    const folder = mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), 'toolcrib-postgres-'));
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
    const made = new TestPostgres(folder, await freePort(), more);
    const words = ['-D', made.#data, '-U', 'toolcrib', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    execFileSync(`${programs}initdb`, words, { stdio: 'ignore', ...user });
    process.once('exit', () => made.#end(folder));
    await made.comeBack();
    return made;
  }

  /** Resolves when it answers. */
  async comeBack(): Promise<void> {
    this.#server = spawn(`${programs}postgres`, ['-D', this.#data, ...this.#settings], { stdio: 'ignore', ...user });
    this.#server.unref();
    await eventually('PostgreSQL answers', () =>
      runSql(this.url, 'select 1').then(
        () => true,
        () => undefined,
      ),
    );
  }

  /** Ends it with every connection; `immediate`: as a crash does, without a last word to its clients. */
  async goAway(mode: 'fast' | 'immediate'): Promise<void> {
    await promisify(execFile)(`${programs}pg_ctl`, ['-D', this.#data, '-m', mode, '-w', 'stop'], user);
  }

  /** SIGQUIT ends it at once; nothing in it is needed any more. */
  #end(folder: string): void {
    this.#server?.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
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
