/** The audit log on a real store: one record an event, in order, and nothing lost without a trace. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { createSqliteStore, RecordWriter, type Store, type StoredAuditRecord } from '../store/store.ts';
import type { AuditEvent } from './audit-event.ts';
import { AuditLog, firstSweepMs, RepeatedEvents, sweepEveryMs } from './audit-log.ts';

const dayMs = 24 * 60 * 60 * 1_000;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-audit-audit-'));
});
after(() => rm(folder, { recursive: true }));

interface Harness {
  readonly audit: AuditLog;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly file: string;
  readonly settings: { arguments: boolean; retentionDays: number; maxRecords: number };
  readonly replicas: { hasUpkeep: boolean };
}

async function withAudit(name: string, act: (harness: Harness) => Promise<void>): Promise<void> {
  const file = join(folder, `${name}.db`);
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  await store.open();
  const clock = new ManualClock();
  const settings = { arguments: false, retentionDays: 30, maxRecords: 1_000_000 };
  const replicas = { hasUpkeep: true };
  const writer = new RecordWriter({ store, clock, log: silentLog });
  const audit = new AuditLog({
    store,
    writer,
    clock,
    log: silentLog,
    replicas,
    settings: () => settings,
  });
  audit.open();
  try {
    await act({ audit, store, clock, file, settings, replicas });
  } finally {
    audit.close();
    await writer.close();
    await store.close();
  }
}

function event(more: Partial<AuditEvent> = {}): AuditEvent {
  const principal = { id: 'agent', name: 'agent' };
  return { kind: 'discovery', action: 'tools.list', principal, outcome: 'ok', ...more };
}

test('an event is committed before its record is done', () =>
  withAudit('committed', async ({ audit, file }) => {
    await audit.record(event());
    using other = new DatabaseSync(file, { readOnly: true });
    assert.equal(other.prepare('select count(*) as n from audit').get()?.n, 1);
  }));

test('who listens hears of each record as a listing shows it', () =>
  withAudit('told', async ({ audit }) => {
    const told: StoredAuditRecord[] = [];
    audit.written.on((records) => told.push(...records));
    const events = [event({ tool: 'a', ms: 1.23456 }), event({ tool: 'b', arguments: { token: 'x' } }), event()];
    await Promise.all(events.map((one) => audit.record(one)));
    await audit.recordRepeated(event({ detail: { note: 'seen' } }), 'me');
    assert.equal(told.length, 4);
    assert.deepEqual(told, (await audit.tail({ after: 0, limit: 10 })).records);
  }));

test('the newest come first, the tail comes in order, and both can be followed page by page', () =>
  withAudit('pages', async ({ audit }) => {
    for (let number = 0; number < 25; number += 1) await audit.record(event({ tool: `t${number % 5}` }));
    const newest = await audit.list({ tool: 't0', limit: 3 });
    assert.deepEqual(
      newest.records.map(({ id }) => id),
      [21, 16, 11],
    );
    const rest = await audit.list({ tool: 't0', limit: 3, before: newest.upto });
    assert.deepEqual([rest.records.map(({ id }) => id), rest.isMore], [[6, 1], false]);
    const tail = await audit.tail({ after: 20, limit: 100 });
    assert.deepEqual([tail.records.map(({ id }) => id), tail.upto], [[21, 22, 23, 24, 25], 25]);
    assert.equal(await audit.last(), 25);
  }));

test('the setting for arguments is read for each event', () =>
  withAudit('arguments', async ({ audit, settings }) => {
    await audit.record(event({ arguments: { query: 'weather', token: 'secret' } }));
    settings.arguments = true;
    await audit.record(event({ arguments: { query: 'weather', token: 'secret' } }));
    const { records } = await audit.tail({ after: 0, limit: 10 });
    assert.deepEqual(
      records.map((record) => record.arguments),
      [null, { query: 'weather', token: '***' }],
    );
    assert.equal(records[0]?.argumentsHash, records[1]?.argumentsHash);
  }));

test('a store that refuses holds up nobody for long, gets everything later, and a gap is told in the record', () =>
  withAudit('refusing', async ({ audit, clock, file }) => {
    using other = new DatabaseSync(file);
    other.exec('begin immediate');
    const first = audit.record(event({ tool: 'first' }));
    await clock.awaited(2_000);
    await clock.advance(4_000);
    await first;
    for (let number = 0; number < 10_004; number += 1) await audit.record(event());
    other.exec('commit');
    await clock.advance(5_000);
    while ((await audit.list({ action: 'audit.gap', limit: 1 })).records.length === 0) await turn();
    const [gap] = (await audit.list({ limit: 1 })).records;
    const detail = { waited: 10_005, dropped: 201, kinds: { discovery: 201 } };
    assert.deepEqual([gap?.action, gap?.outcome, gap?.detail], ['audit.gap', 'failed', detail]);
    assert.equal(gap?.id, 10_005 - 201 + 1);
  }));

test('records past their retention are removed in steps while the gateway runs', () =>
  withAudit('retention', async ({ audit, clock, settings }) => {
    const records = Array.from({ length: 500 }, () => audit.record(event()));
    await Promise.all(records);
    const ids = async () => (await audit.tail({ after: 0, limit: 1_000 })).records.map(({ id }) => id);
    const moveOn = async (days: number) => {
      await clock.advance(days * dayMs - firstSweepMs);
      await audit.record(event());
      for (let looks = 0; looks < 20; looks += 1) await clock.advance(sweepEveryMs);
      return ids();
    };
    assert.equal((await moveOn(29)).length, 501);
    // The last record stays until there is another one.
    assert.deepEqual(await moveOn(2), [501, 502]);
    settings.retentionDays = 1;
    assert.deepEqual(await moveOn(2), [503]);
  }));

test('of several replicas one removes what is old', () =>
  withAudit('upkeep', async ({ audit, clock, replicas }) => {
    replicas.hasUpkeep = false;
    await audit.record(event());
    await clock.advance(40 * dayMs);
    for (let looks = 0; looks < 3; looks += 1) await clock.advance(sweepEveryMs);
    assert.equal((await audit.tail({ after: 0, limit: 10 })).records.length, 1);
  }));

test('of more records than are to be kept the oldest go, which is a record itself, and a flood is not waited out', () =>
  withAudit('number', async ({ audit, settings }) => {
    settings.maxRecords = 1_000;
    await Promise.all(Array.from({ length: 1_050 }, () => audit.record(event())));
    while ((await audit.list({ action: 'audit.trimmed', limit: 1 })).records.length === 0) await audit.record(event());
    const [trimmed] = (await audit.list({ action: 'audit.trimmed', limit: 1 })).records;
    assert.deepEqual([trimmed?.principal, trimmed?.outcome], ['gateway', 'ok']);
    const left = (await audit.tail({ after: 0, limit: 5_000 })).records;
    assert.ok(left.length >= 1_000 && left.length <= 1_200, `${left.length}`);
    assert.equal((left[0]?.id ?? 0) - 1, trimmed?.detail?.removed);
  }));

test('an event that somebody causes again and again is one record, and those that follow are one more at the end', () =>
  withAudit('repeated', async ({ audit }) => {
    const refused = event({ action: 'tokens.create', outcome: 'refused' });
    for (let at = 0; at < 50; at += 1) await audit.recordRepeated(refused, 'agent');
    const counts = async () => (await audit.list({ limit: 10 })).records.map(({ detail }) => detail?.count);
    assert.deepEqual(await counts(), [1]);
    audit.close();
    while ((await audit.last()) < 2) await turn();
    assert.deepEqual(await counts(), [49, 1]);
  }));

function stage() {
  const clock = new ManualClock();
  const events: AuditEvent[] = [];
  const repeated = new RepeatedEvents(clock, async (event) => void events.push(event));
  const note = (address: string, action = 'sign-in.refused') =>
    repeated.note({ kind: 'access', action, principal, outcome: 'refused', detail: { address } }, address);
  const told = () => events.splice(0).map(({ detail, action }) => `${action} ${detail?.address} ${detail?.count}`);
  return { clock, events, repeated, note, told };
}

const principal = { id: 'nobody', name: 'nobody' };

test('the first of somebody is told at once, the others together after a minute, and none twice', async () => {
  const { clock, repeated, note, told } = stage();
  for (let at = 0; at < 100; at += 1) await note('a');
  await note('b');
  await note('a', 'tokens.create');
  assert.deepEqual(told(), ['sign-in.refused a 1', 'sign-in.refused b 1', 'tokens.create a 1']);
  await clock.advance(60_000);
  assert.deepEqual(told(), ['sign-in.refused a 99']);
  await clock.advance(600_000);
  assert.deepEqual(told(), []);
  await note('a');
  await note('a');
  repeated.tell();
  assert.deepEqual(told(), ['sign-in.refused a 1', 'sign-in.refused a 1']);
});

test('very many are counted together beyond a number', async () => {
  const { clock, events, note } = stage();
  for (let at = 0; at < 5_000; at += 1) await note(`192.0.2.${at}`);
  await clock.advance(60_000);
  assert.equal(events.length, 1_001);
  assert.deepEqual([events.at(-1)?.principal.id, events.at(-1)?.detail], ['others', { count: 4_000 }]);
});
