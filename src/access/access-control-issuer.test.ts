/** Tests of access control where an issuer of tokens lets people in, too. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { silentLog } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import type { Store, StoreEvent } from '../store/store.ts';
import { AccessControl } from './access-control.ts';
import { FileTokens } from './file-tokens.ts';
import type { Bearer } from './oauth/bearer.ts';
import type { IssuerAccess } from './oauth/issuer-access.ts';
import { everybody, type Principal } from './principal.ts';
import { projectOf } from './project.ts';

const anna: Principal = { ...everybody, id: 'oauth:x:anna', name: 'anna', mark: 'all use' };
const token = 'a.b.c';

async function openAccess(context: TestContext, bearer: Partial<Bearer> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-bearers-'));
  context.after(() => rm(folder, { recursive: true }));
  const state = { isOn: true, isHere: true, asked: [] as string[] };
  const known: Bearer = { principal: anna, project: null, expiresAt: 0, audiences: [], ...bearer };
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
  const store = {
    events: new Signal<StoreEvent>(),
    listTokens: async () => [],
    listBrowsers: async () => [],
    saveTokenUses: async () => {},
  };
  const projects = {
    find: (name: string) => (name === 'shop' ? projectOf('shop') : undefined),
    list: () => [],
    reload: async () => {},
    changed: new Signal<void>(),
  };
  const files = await FileTokens.open(folder);
  const clock = new ManualClock();
  const access = new AccessControl({
    store: store as unknown as Store,
    files,
    projects,
    issuer,
    cacheMs: () => 30_000,
    clock,
    log: silentLog,
  });
  await access.open();
  context.after(() => access.close());
  return { access, state, files, issuer };
}

const here = { isLocal: true, door: '/mcp', isForBrowsers: false };

test('a token of the issuer is given to the issuer, with the door, and only while there is one', async (context) => {
  const { access, state } = await openAccess(context);
  assert.equal((await access.admit(token, here))?.id, anna.id);
  for (const other of ['abc', 'a.b', 'a.b.c.d', 'a.b.c.d.e', ''])
    assert.equal(await access.admit(other, here), undefined);
  state.isOn = false;
  assert.equal(await access.admit(token, here), undefined);
  assert.deepEqual(state.asked, ['a.b.c /mcp']);
});

test("the owner comes in from this machine, and the agents' token not at all", async (context) => {
  const { access, files, state } = await openAccess(context);
  const far = { ...here, isLocal: false };
  assert.equal((await access.admit(files.owner, here))?.id, 'owner');
  assert.equal(await access.admit(files.owner, far), undefined);
  assert.equal(await access.admit(files.agent, here), undefined);
  assert.equal(access.renew({ ...everybody, id: 'agent' }), undefined);
  assert.ok(access.renew({ ...everybody, id: 'owner' }));
  state.isOn = false;
  assert.equal((await access.admit(files.agent, far))?.id, 'agent');
  assert.ok(access.renew({ ...everybody, id: 'agent' }));
});

test('a bearer is bound to the project of the token, or keeps the one that was chosen, and goes when the issuer says so', async (context) => {
  const free = await openAccess(context);
  assert.equal((await free.access.admit(token, here))?.project, undefined);
  assert.equal(free.access.renew({ ...anna, project: projectOf('shop') })?.project?.name, 'shop');
  const bound = await openAccess(context, { project: 'shop' });
  assert.equal((await bound.access.admit(token, here))?.project?.name, 'shop');
  assert.equal(bound.access.renew({ ...anna, project: projectOf('other') })?.project?.name, 'shop');
  const gone = await openAccess(context, { project: 'gone' });
  assert.deepEqual(
    (await gone.access.admit(token, here))?.project?.servers,
    [],
    'it finds nothing, rather than everything',
  );
  gone.state.isHere = false;
  assert.equal(gone.access.renew(anna), undefined);
  let told = 0;
  gone.access.changed.on(() => {
    told += 1;
  });
  gone.issuer.changed.emit();
  assert.equal(told, 1);
});
