/** Tests of who came in with tokens of the issuer: they stay as long as one of their tokens lets them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { limits } from '../../config/config.ts';
import type { Scope } from '../principal.ts';
import type { Guest } from './guest.ts';
import { GuestBook } from './guest-book.ts';

const minuteMs = 60_000;

function openBook() {
  const clock = new ManualClock();
  const told = { count: 0 };
  const book = new GuestBook(clock, () => {
    told.count += 1;
  });
  const guest = (id: string, scopes: readonly Scope[], minutes: number, rest = 'all'): Guest => ({
    principal: { id, name: id, scopes: new Set(scopes), mark: `${rest} ${scopes.join(',')}` },
    project: null,
    audiences: [],
    expiresAt: clock.now() + minutes * minuteMs,
  });
  return { clock, told, book, guest };
}

test('somebody stays until their token expires, and that is told when it happens', async () => {
  const { clock, told, book, guest } = openBook();
  const anna = guest('anna', ['use'], 5);
  book.add(anna);
  assert.equal(book.find(anna.principal), anna);
  assert.equal(book.find(guest('bert', ['use'], 5).principal), undefined);
  await clock.advance(5 * minuteMs - 1);
  assert.deepEqual([book.find(anna.principal), told.count], [anna, 0]);
  await clock.advance(1);
  assert.deepEqual([book.find(anna.principal), told.count], [undefined, 1]);
});

test('a token that says the same and lasts longer keeps them, an older one does not shorten it', async () => {
  const { clock, told, book, guest } = openBook();
  const early = guest('anna', ['use'], 5);
  book.add(early);
  book.add(guest('anna', ['use'], 10));
  book.add(early);
  await clock.advance(9 * minuteMs);
  assert.ok(book.find(early.principal));
  assert.equal(told.count, 0);
  await clock.advance(minuteMs);
  assert.equal(book.find(early.principal), undefined);
});

test('a token with more scopes keeps who came with fewer as they were, and one with fewer nobody who has more', async () => {
  const { clock, book, guest } = openBook();
  const few = guest('anna', ['use'], 5);
  const many = guest('anna', ['use', 'admin'], 10);
  book.add(few);
  book.add(many);
  await clock.advance(6 * minuteMs);
  assert.deepEqual([...(book.find(few.principal)?.principal.scopes ?? [])], ['use']);
  book.add(guest('anna', ['use'], 20));
  await clock.advance(5 * minuteMs);
  assert.ok(book.find(few.principal));
  assert.equal(book.find(many.principal), undefined);
});

test('a token for other servers, projects or audiences keeps nobody', async () => {
  const { clock, book, guest } = openBook();
  const some = guest('anna', ['use'], 5, 'some');
  book.add(some);
  book.add(guest('anna', ['use', 'admin'], 10, 'others'));
  await clock.advance(6 * minuteMs);
  assert.equal(book.find(some.principal), undefined);
});

test('there is a limit to how many are known, and those whose tokens end first make room', () => {
  const { told, book, guest } = openBook();
  for (let at = 0; at <= limits.issuerGuests; at += 1) book.add(guest(`guest-${at}`, ['use'], 60 + at));
  assert.equal(book.find(guest('guest-0', ['use'], 60).principal), undefined);
  assert.ok(book.find(guest('guest-1', ['use'], 60).principal));
  assert.equal(told.count, 1);
});
