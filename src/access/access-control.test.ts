/** Tests of who may come in: tokens that are made, found, bound to projects, revoked and expire, on a store that may fail. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { silentLog } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import { limits } from '../config/config.ts';
import type { Store, StoredToken, StoreEvent } from '../store/store.ts';
import { AccessControl, type NewToken } from './access-control.ts';
import { FileTokens } from './file-tokens.ts';
import { everybody, type Principal } from './principal.ts';
import { type Project, projectOf } from './project.ts';
import { digestOf, makeToken } from './tokens.ts';

const newToken: NewToken = {
  name: 'ci',
  scopes: ['use'],
  servers: null,
  project: null,
  surface: null,
  createdBy: 'owner',
  expiresAt: null,
};

class FakeStore {
  readonly events = new Signal<StoreEvent>();
  readonly uses: [string, number][] = [];
  rows: StoredToken[] = [];
  isBroken = false;
  isShared = false;
  unheardSince: number | null = null;
  lookups = 0;

  async findToken(digest: string): Promise<StoredToken | undefined> {
    this.lookups += 1;
    this.#check();
    return this.rows.find((row) => row.digest === digest);
  }

  async findBrowser(): Promise<undefined> {}

  async listBrowsers(): Promise<[]> {
    return [];
  }

  async listTokens(): Promise<StoredToken[]> {
    this.#check();
    return [...this.rows];
  }

  async addToken(token: StoredToken): Promise<void> {
    this.#check();
    this.rows.push(token);
  }

  async revokeToken(id: string, at: number): Promise<boolean> {
    this.#check();
    const isThere = this.rows.some((row) => row.id === id && row.revokedAt === null);
    this.rows = this.rows.map((row) => (row.id === id ? { ...row, revokedAt: at } : row));
    return isThere;
  }

  async removeEndedTokens(): Promise<number> {
    return 0;
  }

  async saveTokenUses(uses: ReadonlyMap<string, number>): Promise<void> {
    this.#check();
    this.uses.push(...uses);
  }

  #check(): void {
    if (this.isBroken) throw new Error('The store is broken.');
  }
}

async function openAccess(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-access-'));
  context.after(() => rm(folder, { recursive: true }));
  const store = new FakeStore();
  const clock = new ManualClock();
  const files = await FileTokens.open(folder);
  const known = new Map<string, Project>([['shop', projectOf('shop')]]);
  const projects = {
    find: (name: string) => known.get(name),
    list: () => [...known.values()],
    reload: async () => {},
    changed: new Signal<void>(),
  };
  const access = new AccessControl({
    store: store as unknown as Store,
    files,
    projects,
    cacheMs: () => 30_000,
    clock,
    log: silentLog,
  });
  await access.open();
  context.after(() => access.close());
  let changes = 0;
  access.changed.on(() => {
    changes += 1;
  });
  return { store, clock, files, projects, known, access, changes: () => changes };
}

test('the tokens of the data folder and those that were made come in, and nothing else', async (context) => {
  const { access, files } = await openAccess(context);
  const token = await access.createToken('1', newToken);
  assert.match(token, /^tc_[A-Za-z0-9_-]{43}$/);
  assert.equal(access.authenticate(files.owner)?.id, 'owner');
  assert.equal(access.authenticate(files.agent)?.id, 'agent');
  assert.equal(access.authenticate(token)?.id, 'token:1');
  for (const wrong of ['', 'tc_', token.slice(0, -1), `${token}x`, token.toUpperCase(), '1', 'token:1'])
    assert.equal(access.authenticate(wrong), undefined);
});

test('the store keeps only the digest of a token', async (context) => {
  const { access, store } = await openAccess(context);
  const token = await access.createToken('1', newToken);
  assert.doesNotMatch(JSON.stringify(store.rows), new RegExp(token.slice(3)));
  assert.doesNotMatch(JSON.stringify(access.tokens()), new RegExp(token.slice(3)));
});

test('a principal has what its token was given', async (context) => {
  const { access } = await openAccess(context);
  const token = await access.createToken('1', {
    ...newToken,
    scopes: ['use', 'metrics', 'root'],
    servers: ['git*'],
    project: 'shop',
    surface: 'code',
  });
  const principal = access.authenticate(token);
  assert.deepEqual([...(principal?.scopes ?? [])], ['use', 'metrics']);
  assert.deepEqual([principal?.name, principal?.servers, principal?.surface], ['ci', ['git*'], 'code']);
  assert.equal(principal?.project?.name, 'shop');
});

test('a token is revoked at once, also for those who came in before', async (context) => {
  const { access, changes } = await openAccess(context);
  const token = await access.createToken('1', newToken);
  const principal = access.authenticate(token) as Principal;
  const before = changes();
  assert.equal(await access.revokeToken('1'), true);
  assert.ok(changes() > before);
  assert.equal(access.authenticate(token), undefined);
  assert.equal(access.renew(principal), undefined);
  assert.equal(await access.revokeToken('1'), false);
  assert.notEqual(access.tokens()[0]?.revokedAt, null);
});

test('a token that could not be written is none, and one that could not be revoked stays', async (context) => {
  const { access, store } = await openAccess(context);
  const token = await access.createToken('1', newToken);
  store.isBroken = true;
  await assert.rejects(access.createToken('2', { ...newToken, name: 'other' }), /broken/);
  await assert.rejects(access.revokeToken('1'), /broken/);
  assert.equal(access.tokens().length, 1);
  assert.ok(access.authenticate(token));
});

test('a token expires to the moment, and who hears of changes hears of it', async (context) => {
  const { access, clock, changes } = await openAccess(context);
  const token = await access.createToken('1', { ...newToken, expiresAt: clock.now() + 3 * limits.expiryLookMs + 5 });
  const principal = access.authenticate(token) as Principal;
  await clock.advance(3 * limits.expiryLookMs + 4);
  assert.ok(access.authenticate(token));
  const before = changes();
  await clock.advance(1);
  assert.equal(changes(), before + 1);
  assert.equal(access.authenticate(token), undefined);
  assert.equal(access.renew(principal), undefined);
});

test('changes by another gateway on the same store are picked up', async (context) => {
  const { access, store, clock } = await openAccess(context);
  const token = await access.createToken('1', newToken);
  store.rows = store.rows.map((row) => ({ ...row, revokedAt: 1 }));
  store.events.emit({ type: 'access' });
  await clock.advance(0);
  assert.equal(access.authenticate(token), undefined);
});

test('a token that was revoked already, without a word of that, is revoked here by the next order', async (context) => {
  const { access, store } = await openAccess(context);
  const token = await access.createToken('1', newToken);
  await store.revokeToken('1', 1);
  assert.equal(await access.revokeToken('1'), false);
  assert.equal(access.authenticate(token), undefined);
});

/** A token that another gateway made, and did not tell of yet. */
function madeElsewhere(store: FakeStore, id: string): string {
  const token = makeToken();
  const digest = digestOf(token).toString('hex');
  store.rows.push({ ...newToken, name: id, id, digest, createdAt: 1, revokedAt: null, lastUsedAt: null });
  return token;
}

const origin = { isLocal: true, door: '/mcp', isForBrowsers: false };

test('a token that another gateway made a moment ago is found in the store; alone there is no other', async (context) => {
  const { access, store } = await openAccess(context);
  const token = madeElsewhere(store, 'theirs');
  assert.equal(await access.admit(token, origin), undefined);
  assert.equal(store.lookups, 0);
  store.isShared = true;
  assert.equal((await access.admit(token, origin))?.name, 'theirs');
  const revoked = madeElsewhere(store, 'revoked');
  store.rows = store.rows.map((row) => (row.name === 'revoked' ? { ...row, revokedAt: 1 } : row));
  assert.equal(await access.admit(revoked, origin), undefined);
  assert.equal(store.lookups, 2);
});

test('a slow read of tokens does not bring back one that was revoked meanwhile', async (context) => {
  const { access, store } = await openAccess(context);
  store.isShared = true;
  const revokedThere = await access.createToken('1', newToken);
  const revokedHere = await access.createToken('2', { ...newToken, name: 'other' });
  const slow = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  store.listTokens = async () => {
    const read = [...store.rows];
    // Only the first read is slow.
    Reflect.deleteProperty(store, 'listTokens');
    begun.resolve();
    await slow.promise;
    return read;
  };
  const admitting = access.admit(madeElsewhere(store, 'theirs'), origin);
  await begun.promise;
  await store.revokeToken('1', 1);
  store.events.emit({ type: 'access', isOthers: true });
  await access.revokeToken('2');
  slow.resolve();
  assert.ok(await admitting);
  assert.equal(await access.admit(revokedThere, origin), undefined);
  assert.equal(await access.admit(revokedHere, origin), undefined);
});

test('unknown tokens are looked up once, and only so often in a minute', async (context) => {
  const { access, store, clock } = await openAccess(context);
  store.isShared = true;
  const guess = makeToken();
  for (const token of [guess, guess, 'guess', `${guess}x`]) assert.equal(await access.admit(token, origin), undefined);
  assert.equal(store.lookups, 1);
  for (let at = 0; at < 2 * limits.tokenLookupsPerMinute; at += 1) await access.admit(makeToken(), origin);
  assert.equal(store.lookups, limits.tokenLookupsPerMinute);
  const token = madeElsewhere(store, 'theirs');
  assert.equal(await access.admit(token, origin), undefined);
  await clock.advance(1_000);
  assert.ok(await access.admit(token, origin), 'it is not taken for a guess');
});

test('rights that were read count for a while where changes are not heard of, and the owner comes in after it', async (context) => {
  const { access, store, clock, files } = await openAccess(context);
  store.isShared = true;
  const token = await access.createToken('1', newToken);
  await clock.advance(1_000);
  const isRefused = (used: string) =>
    assert.rejects(async () => access.admit(used, origin), { code: 'STORE_BROKEN', message: /store is unreachable/ });
  store.unheardSince = clock.elapsed();
  await clock.advance(30_000);
  assert.ok(await access.admit(token, origin));
  await isRefused(madeElsewhere(store, 'unknown'));
  await clock.advance(1);
  await isRefused(token);
  await isRefused(files.agent);
  assert.ok(await access.admit(files.owner, origin));
  // It hears again, and cannot read what was changed.
  store.unheardSince = null;
  assert.ok(await access.admit(token, origin));
  store.isBroken = true;
  store.events.emit({ type: 'access', isOthers: true });
  await clock.advance(30_001);
  await isRefused(token);
  store.isBroken = false;
  await clock.advance(1_000);
  assert.ok(await access.admit(token, origin));
});

test('when tokens cannot be read again, those that were known stay in use', async (context) => {
  const { access, store, clock } = await openAccess(context);
  const token = await access.createToken('1', newToken);
  store.isBroken = true;
  store.events.emit({ type: 'access' });
  await clock.advance(0);
  assert.ok(access.authenticate(token));
});

test('a principal is renewed into its project as that is now', async (context) => {
  const { access, files, known, projects, changes } = await openAccess(context);
  const bound = access.authenticate(await access.createToken('1', { ...newToken, project: 'shop' })) as Principal;
  const agent = access.authenticate(files.agent) as Principal;
  const visiting = { ...agent, project: projectOf('shop') };
  const other: Project = { ...projectOf('shop'), servers: ['till'], mark: 'another' };
  known.set('shop', other);
  const before = changes();
  projects.changed.emit();
  assert.equal(changes(), before + 1);
  assert.equal(access.renew(bound)?.project, other);
  assert.equal(access.renew(visiting)?.project, other);
  assert.equal(access.renew(agent)?.project, undefined);
  assert.equal(access.renew({ ...everybody, project: projectOf('shop') })?.project, other);
});

test('a token whose project is gone finds nothing, rather than everything', async (context) => {
  const { access, known } = await openAccess(context);
  const token = await access.createToken('1', { ...newToken, project: 'shop' });
  known.clear();
  assert.deepEqual(access.authenticate(token)?.project, projectOf('shop'));
});

test('the last use is known at once, and written once a minute and at the end', async (context) => {
  const { access, store, clock } = await openAccess(context);
  const token = await access.createToken('1', newToken);
  const start = clock.now();
  assert.equal(access.tokens()[0]?.lastUsedAt, null);
  access.authenticate(token);
  await clock.advance(limits.tokenUseWriteMs - 1);
  access.authenticate(token);
  assert.equal(access.tokens()[0]?.lastUsedAt, start + limits.tokenUseWriteMs - 1);
  assert.deepEqual(store.uses, []);
  await clock.advance(1);
  assert.deepEqual(store.uses, [['1', start + limits.tokenUseWriteMs - 1]]);
  access.authenticate(token);
  await access.close();
  assert.deepEqual(store.uses.at(-1), ['1', start + limits.tokenUseWriteMs]);
});
