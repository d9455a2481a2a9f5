/**
 * Measures `toolcrib store copy` of a store with many calls from SQLite to PostgreSQL. The copy is killed once it is halfway; the same
 * command then finishes it. Afterwards every call is read from both databases and compared, apart from what the command itself compares.
 */

import { spawn } from 'node:child_process';
import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { systemClock } from '../src/base/clock.ts';
import { silentLog } from '../src/base/log.ts';
import type { CallRecord } from '../src/metrics/metrics.ts';
import { type CopyReport, createSqliteStore } from '../src/store/store.ts';
import { MeasuredPostgres } from './kit/database.ts';
import { rounded } from './kit/statistics.ts';
import { makeCalls } from './made-up-calls.ts';

const usage = 'npm run bench:store-copy -- [--calls 1000000] [--json]';
const program = join(import.meta.dirname, '../bin/toolcrib.js');
const days = 30;
const rowsPerWrite = 5_000;
const rowsPerRead = 20_000;
const lookEveryMs = 200;
/** Both databases give these alike. */
const compared = [
  'id',
  'at',
  'server',
  'tool',
  'outcome',
  'error',
  'request_bytes',
  'result_bytes',
  'session',
  'query',
];

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { calls: { type: 'string', default: '1000000' }, json: { type: 'boolean' } },
  });
  const calls = Number(values.calls);
  if (!Number.isInteger(calls) || calls < 2 * rowsPerWrite) {
    console.error(`--calls must be a whole number from ${2 * rowsPerWrite} on: ${usage}`);
    return 2;
  }
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-store-copy-'));
  try {
    const report = await measure(folder, calls);
    if (values.json) console.info(JSON.stringify(report));
    else console.table(report);
    return report.isEqual ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measure(folder: string, calls: number) {
  const file = join(folder, 'toolcrib.db');
  const made = await timed(() => fill(file, calls));
  const url = await (await MeasuredPostgres.start()).create('copy');
  const killed = await timed(() => copyUntil(folder, url, calls / 2));
  const resumed = await timed(() => startCopy(folder, url).report);
  const checked = await timed(async () => [hashOfFile(file), await hashOfDatabase(url)] as const);
  const [there, here] = checked.value;
  return {
    calls,
    rows: resumed.value.rows,
    makeSeconds: made.seconds,
    secondsUntilKilled: killed.seconds,
    callsWhenKilled: killed.value,
    rowsFoundByResumed: resumed.value.found,
    resumedSeconds: resumed.seconds,
    isEqual: there === here && resumed.value.found > 0 && resumed.value.rows >= calls,
    sha256: here,
    checkSeconds: checked.seconds,
  };
}

async function fill(file: string, calls: number): Promise<void> {
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  await store.open();
  let batch: CallRecord[] = [];
  for (const call of makeCalls(calls, days, Date.now())) {
    batch.push(call);
    if (batch.length < rowsPerWrite) continue;
    await store.appendRecords(batch);
    batch = [];
  }
  await store.appendRecords(batch);
  await store.close();
}

/** Kills the copy without warning once so many calls are there. */
async function copyUntil(folder: string, url: string, calls: number): Promise<number> {
  const { child, report } = startCopy(folder, url);
  const failed = report.then(() => true).catch(() => true);
  for (;;) {
    const copied = await callsIn(url);
    if (copied >= calls) {
      child.kill('SIGKILL');
      await failed;
      return callsIn(url);
    }
    if ((await Promise.race([failed, wait(lookEveryMs)])) === true)
      throw new Error('The copy ended before it was killed.');
  }
}

function startCopy(folder: string, url: string) {
  const child = spawn(process.execPath, [program, 'store', 'copy', url, '--data', folder, '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const report = Promise.all([text(child.stdout), ended]).then(([said, [code]]) => {
    if (code !== 0) throw new Error(`store copy ended with ${code}: ${said}`);
    return JSON.parse(said) as CopyReport; // it prints what this type says
  });
  return { child, report };
}

/** 0 until the table is made. */
async function callsIn(url: string): Promise<number> {
  const client = new Client(url);
  await client.connect();
  try {
    return Number((await client.query('select coalesce(max(id), 0) as last from call')).rows[0].last);
  } catch {
    return 0;
  } finally {
    await client.end();
  }
}

function hashOfFile(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  const hash = createHash('sha256');
  const rows = database.prepare(`select ${compared} from call order by id`).iterate();
  for (const row of rows) addRow(hash, row);
  database.close();
  return hash.digest('hex');
}

async function hashOfDatabase(url: string): Promise<string> {
  const client = new Client(url);
  await client.connect();
  const hash = createHash('sha256');
  for (let last = 0; ; ) {
    const page = `select ${compared} from call where id > $1 order by id limit ${rowsPerRead}`;
    const { rows } = await client.query(page, [last]);
    for (const row of rows) addRow(hash, row);
    if (rows.length < rowsPerRead) break;
    last = Number(rows.at(-1).id);
  }
  await client.end();
  return hash.digest('hex');
}

/** As texts, because one of the two gives large numbers as texts. */
function addRow(hash: Hash, row: Readonly<Record<string, unknown>>): void {
  hash.update(`${JSON.stringify(compared.map((column) => (row[column] === null ? null : String(row[column]))))}\n`);
}

async function timed<T>(act: () => Promise<T>): Promise<{ readonly value: T; readonly seconds: number }> {
  const start = performance.now();
  const value = await act();
  return { value, seconds: rounded((performance.now() - start) / 1_000, 1) };
}
