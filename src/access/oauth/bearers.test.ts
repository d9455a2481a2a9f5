/** Tests of who came in with tokens of the issuer: they stay as long as one of their tokens lets them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { limits } from '../../config/config.ts';
import type { Scope } from '../principal.ts';
import type { Bearer } from './bearer.ts';
import { Bearers } from './bearers.ts';

const minuteMs = 60_000;

function openBearers() {
  const clock = new ManualClock();
  const told = { count: 0 };
  const bearers = new Bearers(clock, () => {
    told.count += 1;
  });
  const bearer = (id: string, scopes: readonly Scope[], minutes: number, rest = 'all'): Bearer => ({
    principal: { id, name: id, scopes: new Set(scopes), mark: `${rest} ${scopes.join(',')}` },
    project: null,
    audiences: [],
    expiresAt: clock.now() + minutes * minuteMs,
  });
  return { clock, told, bearers, bearer };
}

test('somebody stays until their token expires, and that is told when it happens', async () => {
  const { clock, told, bearers, bearer } = openBearers();
  const anna = bearer('anna', ['use'], 5);
  bearers.add(anna);
  assert.equal(bearers.find(anna.principal), anna);
  assert.equal(bearers.find(bearer('bert', ['use'], 5).principal), undefined);
  await clock.advance(5 * minuteMs - 1);
  assert.deepEqual([bearers.find(anna.principal), told.count], [anna, 0]);
  await clock.advance(1);
  assert.deepEqual([bearers.find(anna.principal), told.count], [undefined, 1]);
});

test('a token that lasts longer does not hide the end of another one', async () => {
  const { clock, told, bearers, bearer } = openBearers();
  bearers.add(bearer('anna', ['use'], 0.5));
  bearers.add(bearer('bert', ['use'], 60));
  await clock.advance(minuteMs / 2);
  assert.equal(told.count, 1);
});

test('a token that says the same and lasts longer keeps them, an older one does not shorten it', async () => {
  const { clock, told, bearers, bearer } = openBearers();
  const early = bearer('anna', ['use'], 5);
  bearers.add(early);
  bearers.add(bearer('anna', ['use'], 10));
  bearers.add(early);
  await clock.advance(9 * minuteMs);
  assert.ok(bearers.find(early.principal));
  assert.equal(told.count, 0);
  await clock.advance(minuteMs);
  assert.equal(bearers.find(early.principal), undefined);
});

test('a token with more scopes keeps who came with fewer as they were, and one with fewer nobody who has more', async () => {
  const { clock, bearers, bearer } = openBearers();
  const few = bearer('anna', ['use'], 5);
  const many = bearer('anna', ['use', 'admin'], 10);
  bearers.add(few);
  bearers.add(many);
  await clock.advance(6 * minuteMs);
  assert.deepEqual([...(bearers.find(few.principal)?.principal.scopes ?? [])], ['use']);
  bearers.add(bearer('anna', ['use'], 20));
  await clock.advance(5 * minuteMs);
  assert.ok(bearers.find(few.principal));
  assert.equal(bearers.find(many.principal), undefined);
});

test('a token for other servers, projects or audiences keeps nobody', async () => {
  const { clock, bearers, bearer } = openBearers();
  const some = bearer('anna', ['use'], 5, 'some');
  bearers.add(some);
  bearers.add(bearer('anna', ['use', 'admin'], 10, 'others'));
  await clock.advance(6 * minuteMs);
  assert.equal(bearers.find(some.principal), undefined);
});

test('there is a limit to how many are known, and those whose tokens end first make room', () => {
  const { told, bearers, bearer } = openBearers();
  for (let at = 0; at <= limits.issuerBearers; at += 1) bearers.add(bearer(`bearer-${at}`, ['use'], 60 + at));
  assert.equal(bearers.find(bearer('bearer-0', ['use'], 60).principal), undefined);
  assert.ok(bearers.find(bearer('bearer-1', ['use'], 60).principal));
  assert.equal(told.count, 1);
});
