/** Records of other gateways: each is told once, and those that were told are not remembered without end. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredAuditRecord } from '../store/store.ts';
import { mostLiveRecords } from './live-events.ts';
import { OtherRecords } from './other-records.ts';

const record = (id: number) => ({ id }) as StoredAuditRecord;
const recordsUpTo = (last: number, count: number) => Array.from({ length: count }, (_, at) => record(last - at));
const settled = () => new Promise(setImmediate);

test('each record of another gateway is told once, beside many of our own', async () => {
  const told: number[] = [];
  let latest: StoredAuditRecord[] = [];
  const list = async () => ({ records: latest, upto: 0, isMore: false });
  const others = new OtherRecords({ list }, ({ id }) => told.push(id));
  for (let last = 1; last <= 3 * mostLiveRecords; last += 1) {
    // Every other one is ours.
    if (last % 2 === 0) others.note(record(last));
    latest = recordsUpTo(last, Math.min(last, mostLiveRecords));
    if (last % 50 === 0) others.look();
    if (last % 50 === 0) await settled();
  }
  const theirs = Array.from({ length: 1.5 * mostLiveRecords }, (_, at) => 2 * at + 1);
  assert.deepEqual(told, theirs);
});

test('of our own records, only as many are remembered as looks can meet', async () => {
  const told: number[] = [];
  let latest: StoredAuditRecord[] = [];
  const list = async () => ({ records: latest, upto: 0, isMore: false });
  const others = new OtherRecords({ list }, ({ id }) => told.push(id));
  for (let id = 0; id <= 2 * mostLiveRecords; id += 1) others.note(record(id));
  latest = [record(0)];
  others.look();
  await settled();
  assert.deepEqual(told, [0]);
});
