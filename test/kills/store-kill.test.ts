/** A process that is killed while it writes: what it had acknowledged is there, and the file is whole. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createSqliteStore } from '../../src/store/store.ts';

const rounds = 6;
const itemsPerListing = 40;
/** More than one statement takes. */
const vectorsPerBatch = 250;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-kill-'));
});
after(() => rm(folder, { recursive: true }));

/** Writes one listing after the other and says each number once its write was acknowledged. */
const writer = `
  const [file, source, first] = process.argv.slice(1);
  const { createSqliteStore } = await import(source + 'store/store.ts');
  const { systemClock } = await import(source + 'base/clock.ts');
  const { silentLog } = await import(source + 'base/log.ts');
  const { writeSync } = await import('node:fs');
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  await store.open();
  for (let at = Number(first); ; at += 1) {
    const fingerprint = String(at);
    const items = Array.from({ length: ${itemsPerListing} }, (_, n) =>
      ({ kind: 'tool', name: 'tool-' + n, fingerprint, definition: { at } }));
    await store.applyListing('s', { serverInfo: null, capabilities: {}, instructions: null, items, listedAt: at });
    await store.saveVectors('m', Array.from({ length: ${vectorsPerBatch} }, (_, n) =>
      ({ fingerprint: 'vector-' + n, values: new Uint8Array(256), scale: at })));
    await store.saveSwitch('server-' + at, true);
    writeSync(1, at + '\\n');
  }`;

/** Runs a writer, kills it after it acknowledged `count` writes, and returns the numbers it acknowledged. */
async function killWriter(file: string, first: number, count: number): Promise<number[]> {
  const source = new URL('../../src/', import.meta.url).href;
  const args = ['--input-type=module', '-e', writer, file, source, String(first)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.split('\n').length > count) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL', 'The writer ended by itself.');
  return text.trimEnd().split('\n').map(Number);
}

async function assertWhole(file: string, acknowledged: readonly number[]): Promise<void> {
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  await store.open();
  const switches = await store.listSwitches();
  for (const at of acknowledged) assert.ok(switches.has(`server-${at}`), `Write ${at} was lost.`);
  const [listing] = await store.listListings();
  const at = listing?.listedAt ?? -1;
  assert.ok(at >= (acknowledged.at(-1) ?? 0), `A listing after ${at} was lost.`);
  // A transaction is there as a whole: its head, all of its items and their history.
  assert.deepEqual(new Set(listing?.items.map(({ fingerprint }) => fingerprint)), new Set([String(at)]));
  const changes = await store.listChanges({ limit: itemsPerListing });
  assert.deepEqual(new Set(changes.map(({ newFingerprint }) => newFingerprint)), new Set([String(at)]));
  const vectors = await store.listVectors('m');
  const [scale = -1, ...otherScales] = new Set(vectors.map((vector) => vector.scale));
  assert.ok(scale >= (acknowledged.at(-1) ?? 0), `Vectors after ${scale} were lost.`);
  assert.deepEqual([vectors.length, otherScales], [vectorsPerBatch, []]);
  await store.close();
  using connection = new DatabaseSync(file, { readOnly: true });
  assert.equal(connection.prepare('pragma integrity_check').get()?.integrity_check, 'ok');
}

test(`${rounds} kills in the middle of writing lose nothing that was acknowledged`, async () => {
  const file = join(folder, 'toolcrib.db');
  const acknowledged: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // The killed one may have written one more than it said.
    const first = (acknowledged.at(-1) ?? 0) + 2;
    acknowledged.push(...(await killWriter(file, first, 1 + ((round * 7) % 23))));
    await assertWhole(file, acknowledged);
  }
  assert.ok(acknowledged.length >= rounds);
});
