/** Tests of the book of who may come in, where an issuer lets people in besides. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { silentLog } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import type { Store, StoreEvent } from '../store/store.ts';
import { AccessBook } from './access-book.ts';
import type { Guest } from './oauth/guest.ts';
import type { IssuerAccess } from './oauth/issuer-access.ts';
import { everybody, type Principal } from './principal.ts';
import { projectOf } from './project.ts';
import { TokenBook } from './token-book.ts';

const anna: Principal = { ...everybody, id: 'oauth:x:anna', name: 'anna', mark: 'all use' };
const token = 'a.b.c';

async function openBook(context: TestContext, guest: Partial<Guest> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-guests-'));
  context.after(() => rm(folder, { recursive: true }));
  const state = { isOn: true, isHere: true, asked: [] as string[] };
  const known: Guest = { principal: anna, project: null, expiresAt: 0, audiences: [], ...guest };
  const issuer = {
    changed: new Signal<void>(),
    facts: () => (state.isOn ? {} : null),
    authenticate: async (given: string, door: string) => {
      state.asked.push(`${given} ${door}`);
      return known;
    },
    find: ({ id }: Principal) => (state.isHere && id === anna.id ? known : undefined),
    admitsOwn: ({ id }: Principal, isLocal = true) => !state.isOn || (id === 'owner' && isLocal),
    close: () => {},
  } as unknown as IssuerAccess;
  const store = { events: new Signal<StoreEvent>(), listTokens: async () => [], saveTokenUses: async () => {} };
  const projects = {
    find: (name: string) => (name === 'shop' ? projectOf('shop') : undefined),
    list: () => [],
    reload: async () => {},
    changed: new Signal<void>(),
  };
  const files = await TokenBook.open(folder);
  const clock = new ManualClock();
  const book = new AccessBook({ store: store as unknown as Store, files, projects, issuer, clock, log: silentLog });
  await book.open();
  context.after(() => book.close());
  return { book, state, files, issuer };
}

const here = { isLocal: true, door: '/mcp' };

test('a token of the issuer is given to the issuer, with the door, and only while there is one', async (context) => {
  const { book, state } = await openBook(context);
  assert.equal((await book.admit(token, here))?.id, anna.id);
  for (const other of ['abc', 'a.b', 'a.b.c.d', 'a.b.c.d.e', ''])
    assert.equal(await book.admit(other, here), undefined);
  state.isOn = false;
  assert.equal(await book.admit(token, here), undefined);
  assert.deepEqual(state.asked, ['a.b.c /mcp']);
});

test("the owner comes in from this machine, and the agents' token not at all", async (context) => {
  const { book, files, state } = await openBook(context);
  const far = { ...here, isLocal: false };
  assert.equal((await book.admit(files.owner, here))?.id, 'owner');
  assert.equal(await book.admit(files.owner, far), undefined);
  assert.equal(await book.admit(files.agent, here), undefined);
  assert.equal(book.renew({ ...everybody, id: 'agent' }), undefined);
  assert.ok(book.renew({ ...everybody, id: 'owner' }));
  state.isOn = false;
  assert.equal((await book.admit(files.agent, far))?.id, 'agent');
  assert.ok(book.renew({ ...everybody, id: 'agent' }));
});

test('a guest is bound to the project of the token, or keeps the one that was chosen, and goes when the issuer says so', async (context) => {
  const free = await openBook(context);
  assert.equal((await free.book.admit(token, here))?.project, undefined);
  assert.equal(free.book.renew({ ...anna, project: projectOf('shop') })?.project?.name, 'shop');
  const bound = await openBook(context, { project: 'shop' });
  assert.equal((await bound.book.admit(token, here))?.project?.name, 'shop');
  assert.equal(bound.book.renew({ ...anna, project: projectOf('other') })?.project?.name, 'shop');
  const gone = await openBook(context, { project: 'gone' });
  assert.deepEqual(
    (await gone.book.admit(token, here))?.project?.servers,
    [],
    'it finds nothing, rather than everything',
  );
  gone.state.isHere = false;
  assert.equal(gone.book.renew(anna), undefined);
  let told = 0;
  gone.book.changed.on(() => {
    told += 1;
  });
  gone.issuer.changed.emit();
  assert.equal(told, 1);
});
