/** Stored results on a store that several gateways share: kept at one, read at another. */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { eventually } from '../../test/kit/processes.ts';
import { systemClock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { createLog, silentLog } from '../base/log.ts';
import { createSqliteStore, type ResultStore } from '../store/store.ts';
import { ByteReader, collect } from './byte-source.ts';
import { NoSuchResultError } from './result-files.ts';
import { StoredResults } from './stored-results.ts';

const owner = { principal: 'ann', toolKey: 'shop:list' };
const settings = { maxResultBytes: 20_000, resultTtlMinutes: 60, resultStoreBytes: 10_000_000 };

/** A store whose results can be refused, and whose reads are counted. */
async function openSharedStore(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'shared-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const whole = createSqliteStore({ file: join(root, 'store.db'), clock: systemClock, log: silentLog });
  await whole.open();
  t.after(() => whole.close());
  const replicas = { hasUpkeep: true };
  const nothing = async (_number: number) => {};
  const onAdd = async (_number: number, _id: string) => {};
  const state = { chunksRead: 0, isAway: false, onRead: nothing, onAdd, onRemove: async () => {} };
  const store: ResultStore & { unheardSince: null } = {
    ...whole,
    unheardSince: null,
    addResultChunk: async (...chunk) => {
      if (state.isAway) throw new GatewayError('STORE_BROKEN', 'The store cannot be reached.');
      await state.onAdd(chunk[1], chunk[0].id);
      return whole.addResultChunk(...chunk);
    },
    removeExpiredResults: async () => {
      await state.onRemove();
      return whole.removeExpiredResults();
    },
    readResultChunk: async (id, number) => {
      state.chunksRead += 1;
      await state.onRead(number);
      return whole.readResultChunk(id, number);
    },
  };
  const logged: string[] = [];
  const log = createLog({ level: 'info', format: 'json', write: (line) => logged.push(line), now: Date.now });
  const gateway = (name: string, more: Partial<typeof settings> = {}, clock = new ManualClock()) => {
    const shared = { store, replicas };
    const folder = join(root, name);
    const results = new StoredResults({ folder, clock, log, settings: () => ({ ...settings, ...more }), shared });
    t.after(() => results.close());
    return { results, clock, kept: join(folder, 'kept') };
  };
  return { whole, replicas, state, logged, gateway };
}

type Hanging = PromiseWithResolvers<void>;
/** For the last copies, and then for the last chunk. */
const closeMs = 5_000 + 2_000;
const tiny = (id: string) => ({ id, principal: 'ann', bytes: 1, manifestBytes: 0 });
const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `item ${id}` }));
const longText = 'A line of a text that is long.\n'.repeat(30_000);
const mixed = {
  content: [
    { type: 'text', text: longText },
    { type: 'image', data: Buffer.alloc(300_000, 7).toString('base64'), mimeType: 'image/png' },
    { type: 'text', text: 'small' },
  ],
  structuredContent: { rows: rows(5_000) },
};

test('another gateway has the same files, with times by its own clock', async (t) => {
  const { gateway } = await openSharedStore(t);
  const [one, other] = [gateway('one'), gateway('other')];
  await other.clock.advance(5 * 60 * 60_000);
  const { id } = await one.results.keep(mixed, owner);
  const page = { part: 1, page: 2 };
  assert.deepEqual(await other.results.read(id, 'ann', page), await one.results.read(id, 'ann', page));
  const [here, there] = [join(one.kept, id), join(other.kept, id)];
  assert.deepEqual(readdirSync(there), readdirSync(here));
  for (const file of readdirSync(here).filter((name) => name !== 'manifest.json'))
    assert.ok(readFileSync(join(there, file)).equals(readFileSync(join(here, file))), file);
  const manifest = JSON.parse(readFileSync(join(there, 'manifest.json'), 'utf8')) as Record<string, number>;
  const leftMs = (manifest.expiresAt ?? 0) - other.clock.now();
  assert.ok(leftMs > 59 * 60_000 && leftMs <= 60 * 60_000, `${leftMs} ms are left`);
});

test('one fetch serves everybody who waits, and one who leaves stops nobody', async (t) => {
  const { gateway, state } = await openSharedStore(t);
  const { id } = await gateway('one').results.keep({ content: [{ type: 'text', text: longText }] }, owner);
  const other = gateway('other').results;
  const leaving = new AbortController();
  const left = assert.rejects(other.read(id, 'ann', {}, leaving.signal), { code: 'CANCELLED' });
  const read = Promise.all([1, 2, 3].map((page) => other.read(id, 'ann', { page })));
  leaving.abort();
  await left;
  for (const { text } of await read) assert.match(text, /A line of a text/);
  assert.equal(state.chunksRead, Math.ceil(longText.length / (256 * 1_024)), 'each chunk is read once');
});

test('nobody else finds it, and nothing of it is fetched for them', async (t) => {
  const { gateway, state } = await openSharedStore(t);
  const { id } = await gateway('one').results.keep(mixed, owner);
  await assert.rejects(gateway('other').results.read(id, 'ben', {}), NoSuchResultError);
  assert.equal(state.chunksRead, 0);
});

test('a fetched result takes room: it pushes out older ones, and can be fetched again', async (t) => {
  const { gateway } = await openSharedStore(t);
  const one = gateway('one').results;
  const text = 'x'.repeat(600_000);
  const keep = async () => (await one.keep({ content: [{ type: 'text', text }] }, owner)).id;
  const [first, second] = [await keep(), await keep()];
  const { results: other, kept } = gateway('other', { resultStoreBytes: 1_000_000 });
  for (const id of [first, second, first]) {
    await other.read(id, 'ann', {});
    assert.deepEqual(readdirSync(kept), [id]);
  }
});

test('a result that is removed while it is fetched is gone, and leaves nothing', async (t) => {
  const { gateway, whole, state } = await openSharedStore(t);
  const { id } = await gateway('one').results.keep({ content: [{ type: 'text', text: longText }] }, owner);
  // It has to make room.
  state.onRead = async (number) => {
    if (number === 1) await whole.addResultChunk(tiny('new'), 0, Uint8Array.of(1), { mostBytes: 1_000, ttlMs: 60_000 });
  };
  const { results: other, kept } = gateway('other');
  await assert.rejects(other.read(id, 'ann', {}), NoSuchResultError);
  assert.deepEqual(readdirSync(kept), []);
});

test('a store that refuses fails no call: the result is read here, and copied when the store is back', async (t) => {
  const { gateway, state, logged } = await openSharedStore(t);
  const [one, other] = [gateway('one'), gateway('other')];
  state.isAway = true;
  const ids: string[] = [];
  for (const _ of [1, 2]) ids.push((await one.results.keep(mixed, owner)).id);
  assert.equal(one.results.unshared, 2);
  assert.equal(logged.filter((line) => line.includes('Only this gateway can read')).length, 1, logged.join(''));
  const [first = '', second = ''] = ids;
  await one.results.read(first, 'ann', {});
  await assert.rejects(other.results.read(first, 'ann', {}), NoSuchResultError);
  assert.deepEqual(await one.results.idsOf('ann'), [second, first]);
  state.isAway = false;
  await eventually('both are copied', async () => {
    await one.clock.advance(2_000);
    return one.results.unshared === 0 || undefined;
  });
  for (const id of ids) await other.results.read(id, 'ann', {});
  assert.deepEqual(new Set(await other.results.idsOf('ann')), new Set(ids));
});

test('one result is copied at a time, however many are kept at once', async (t) => {
  const { gateway, whole, state } = await openSharedStore(t);
  const { results } = gateway('one');
  const copied: string[] = [];
  state.onAdd = async (_, id) => void copied.push(id);
  const kept = await Promise.all([1, 2, 3, 4].map(() => results.keep(mixed, owner)));
  const ids = new Set(kept.map(({ id }) => id));
  assert.equal(results.unshared, 0);
  assert.deepEqual(new Set((await whole.listResults('ann')).map(({ id }) => id)), ids);
  const turns = copied.filter((id, at) => id !== copied[at - 1]);
  assert.deepEqual([turns.length, new Set(turns)], [4, ids]);
});

test('a result that the store refuses every time holds up no other one', async (t) => {
  const { gateway, whole, state, logged } = await openSharedStore(t);
  const { results, clock } = gateway('one');
  const keep = async () => (await results.keep(mixed, owner)).id;
  let refused: string | undefined;
  state.onAdd = async (_, id) => {
    refused ??= id;
    if (id === refused) throw new GatewayError('STORE_BUSY', 'The store is busy.');
  };
  const [bad, second, third] = [await keep(), await keep(), await keep()];
  const left = (count: number) =>
    eventually(`${count} wait`, async () => {
      await clock.advance(2_000);
      return results.unshared === count || undefined;
    });
  await left(1);
  for (const id of [second, third]) assert.ok(await whole.findResult(id, 'ann'));
  refused = '';
  await left(0);
  assert.ok(await whole.findResult(bad, 'ann'));
  assert.deepEqual(
    logged.map((line) => (JSON.parse(line) as { level: string }).level),
    ['warn', 'info'],
  );
});

test('a result whose file was cut off is not copied, and keeps no other one from it', async (t) => {
  const { gateway, whole, state, logged } = await openSharedStore(t);
  const { results, clock, kept } = gateway('one');
  state.isAway = true;
  const [broken, fine] = [await results.keep(mixed, owner), await results.keep(mixed, owner)];
  truncateSync(join(kept, broken.id, 'part-1'), 10);
  state.isAway = false;
  await clock.advance(2_000);
  await eventually('none waits', () => results.unshared === 0 || undefined);
  assert.deepEqual(
    (await whole.listResults('ann')).map(({ id }) => id),
    [fine.id],
  );
  assert.equal(logged.filter((line) => line.includes('could not be copied')).length, 1, logged.join(''));
});

test('a gateway that ends makes the copies that are missing, or says how many there are', async (t) => {
  const { gateway, whole, state, logged } = await openSharedStore(t);
  const ended = [gateway('one').results, gateway('two').results];
  state.isAway = true;
  const kept = await Promise.all(ended.map((results) => results.keep(mixed, owner)));
  await ended[0]?.close();
  assert.match(logged.at(-1) ?? '', /stops before the database has these large results.*"results":1/);
  state.isAway = false;
  await ended[1]?.close();
  const found = await Promise.all(kept.map(({ id }) => whole.findResult(id, 'ann')));
  assert.deepEqual([found[0], found[1]?.id], [undefined, kept[1]?.id]);
});

test('a store that hangs keeps no gateway from ending', async (t) => {
  const { gateway, state } = await openSharedStore(t);
  const [one, other] = [gateway('one'), gateway('other')];
  const { id } = await one.results.keep(mixed, owner);
  const [hanging, adding, reading] = [1, 2, 3].map(() => Promise.withResolvers<void>()) as [Hanging, Hanging, Hanging];
  const hang = (begun: Hanging) => () => {
    begun.resolve();
    return hanging.promise;
  };
  [state.onAdd, state.onRead] = [hang(adding), hang(reading)];
  const answers = Promise.allSettled([one.results.keep(mixed, owner), other.results.read(id, 'ann', {})]);
  await Promise.all([adding.promise, reading.promise]);
  for (const { results, clock } of [one, other]) {
    const closing = results.close();
    await clock.advance(closeMs);
    await closing;
  }
  hanging.resolve();
  await answers;
});

test('a result that is gone is copied no longer, and later ones are', async (t) => {
  const { gateway, whole, state } = await openSharedStore(t);
  const more = { resultTtlMinutes: 60 };
  const { results, clock } = gateway('one', more);
  state.isAway = true;
  await results.keep(mixed, owner);
  more.resultTtlMinutes = 1;
  await results.keep(mixed, owner);
  await clock.advance(62_000);
  await eventually('one waits', () => results.unshared === 1 || undefined);
  await eventually('none waits', async () => {
    await clock.advance(60_000);
    return results.unshared === 0 || undefined;
  });
  state.isAway = false;
  await clock.advance(2_000);
  const { id } = await results.keep(mixed, owner);
  assert.ok(await whole.findResult(id, 'ann'));
});

test('an answer waits for a slow store, but not for one that hangs', async (t) => {
  const { gateway, whole, state } = await openSharedStore(t);
  const { results, clock } = gateway('one');
  const keep = async () => (await results.keep({ content: [{ type: 'text', text: longText }] }, owner)).id;
  state.onAdd = () => clock.advance(2_000);
  assert.ok(await whole.findResult(await keep(), 'ann'), 'four chunks take 8 seconds');
  const hanging = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  state.onAdd = (number) => {
    begun.resolve();
    return number === 0 ? hanging.promise : Promise.resolve();
  };
  const keeping = keep();
  await begun.promise;
  await clock.advance(10_000);
  const id = await keeping;
  assert.equal(await whole.findResult(id, 'ann'), undefined);
  hanging.resolve();
  await eventually('it is copied all the same', () => whole.findResult(id, 'ann'));
});

test('one gateway removes results whose time is over', async (t) => {
  const { gateway, whole, replicas } = await openSharedStore(t);
  const { results, clock } = gateway('one');
  results.open();
  await whole.addResultChunk(tiny('over'), 0, Uint8Array.of(1), { mostBytes: 1_000, ttlMs: 0 });
  const minuteLater = async () => {
    await clock.advance(60_000);
    // Its removal comes before this in the queue of writes.
    await whole.saveSwitch('shop', true);
    return whole.readResultChunk('over', 0);
  };
  replicas.hasUpkeep = false;
  assert.ok(await minuteLater(), 'it is the work of another one');
  replicas.hasUpkeep = true;
  assert.equal(await minuteLater(), undefined);
});

test('a gateway that ended while results were being removed removes none later', async (t) => {
  const { gateway, state } = await openSharedStore(t);
  const { results, clock } = gateway('one');
  const [begun, removed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  state.onRemove = () => {
    begun.resolve();
    return removed.promise;
  };
  results.open();
  await clock.advance(60_000);
  await begun.promise;
  const closing = results.close();
  removed.resolve();
  await closing;
  assert.deepEqual(clock.waits, []);
});

test('a run of bytes is taken in any portions, and closed before its end', async () => {
  const ended: string[] = [];
  async function* source() {
    try {
      for (const text of ['abc', 'd', 'efgh', 'i']) yield Buffer.from(text);
    } finally {
      ended.push('closed');
    }
  }
  const taken: string[] = [];
  {
    await using reader = new ByteReader(source());
    for (const bytes of [2, 4, 0, 1]) taken.push((await collect(reader.take(bytes))).toString());
    assert.deepEqual(ended, []);
  }
  assert.deepEqual([taken, ended], [['ab', 'cdef', '', 'g'], ['closed']]);
  const whole = new ByteReader(source());
  assert.equal((await collect(whole.take(Number.POSITIVE_INFINITY))).toString(), 'abcdefghi');
});
