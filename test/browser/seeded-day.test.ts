/** The made-up day is the same each time, and its calls and its audit tell the same story. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomeKinds } from '../../src/store/store.ts';
import { dayMs, seedDay } from './seeded-day.ts';

const now = Date.UTC(2026, 2, 12, 15);
const workers = [
  { principal: 'a', name: 'ann', client: 'editor/1.0', project: null, share: 2 },
  { principal: 'b', name: 'bot', client: 'bot/1.0', project: 'shop', share: 1, isTireless: true },
];
const toolKeys = ['forge:list_workflow_runs', 'forge:get_job_logs', 'maps:maps_geo', 'maps:maps_direction_transit'];
const plan = { now, workers, toolKeys };

test('a day is made up of a seed alone', () => {
  assert.deepEqual(seedDay(plan), seedDay(plan));
  assert.notDeepEqual(seedDay({ ...plan, seed: 2 }).calls, seedDay(plan).calls);
});

test('every call of a day has its record in the audit, in the order of time', () => {
  const { calls, events } = seedDay(plan);
  assert.ok(calls.length >= 5_000);
  assert.deepEqual(new Set(calls.map(({ outcome }) => outcome)), new Set(outcomeKinds));
  const told = events.filter(({ kind }) => kind === 'execution');
  const factsOf = ({
    at,
    server,
    tool,
    outcome,
    errorType,
    ms,
    principal,
  }: (typeof calls)[number] | (typeof told)[number]) =>
    JSON.stringify([at, server, tool, outcome, errorType, ms, principal]);
  assert.deepEqual(told.map(factsOf), calls.map(factsOf));
  const times = events.map(({ at }) => at);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  assert.ok(Math.min(...times) >= now - dayMs && Math.max(...times) < now);
});
