/** Tests of how events that come again and again get into the record. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import type { AuditEvent } from './audit-event.ts';
import { RepeatedEvents } from './repeated-events.ts';

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
