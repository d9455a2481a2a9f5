/** The usage history: what it learns, how it fades, what it keeps and what it forgets. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { type Log, silentLog } from '../../base/log.ts';
import { toVector, type Vector } from '../../meaning/meaning.ts';
import { halfLifeMs, type StoredUse, sumOfUses, type UseKey, type UseStore } from '../../store/store.ts';
import { mostUses, rereadMs, UsageHistory } from './usage-history.ts';
import { writeDelayMs } from './use-writer.ts';

const words = ['create', 'issue', 'bug', 'report', 'send', 'mail', 'weather', 'today'];

/** A query means the words of the list that it has. */
function vectorOf(text: string): Vector | null {
  return toVector(words.map((word) => (text.includes(word) ? 1 : 0)));
}

class MemoryStore implements UseStore {
  readonly rows = new Map<string, StoredUse>();
  readonly writes: string[] = [];
  isBroken = false;
  isShared = false;

  async listUses(): Promise<StoredUse[]> {
    this.#check();
    return [...this.rows.values()];
  }

  async addUses(uses: readonly StoredUse[]): Promise<void> {
    this.writes.push(`add ${uses.length}`);
    this.#check();
    for (const use of uses) {
      const id = `${use.query}|${use.toolKey}`;
      const known = this.rows.get(id);
      this.rows.set(id, known ? { ...known, ...sumOfUses(known, use) } : use);
    }
  }

  async removeUses(uses: readonly UseKey[]): Promise<void> {
    this.writes.push(`remove ${uses.length}`);
    this.#check();
    for (const use of uses) this.rows.delete(`${use.query}|${use.toolKey}`);
  }

  #check(): void {
    if (this.isBroken) throw new Error('The disk is full.');
  }
}

async function openHistory(store = new MemoryStore(), clock = new ManualClock(), log: Log = silentLog) {
  const history = new UsageHistory({ store, clock, log, vectorOf });
  await history.open();
  return { history, store, clock };
}

function repeat(times: number, act: () => void): void {
  for (let at = 0; at < times; at += 1) act();
}

test('a tool that served a query is lifted for it: hardly by one call, clearly by five', async () => {
  const { history } = await openHistory();
  history.record('Create an issue', 'git:new', 'good');
  const once = history.boosts('create an  issue').get('git:new');
  assert.ok(once && once.boost > 0 && once.boost <= 0.04, `${once?.boost}`);
  repeat(4, () => history.record('create an issue', 'git:new', 'good'));
  const often = history.boosts('create an issue').get('git:new');
  assert.ok(often && often.boost > 0.16, `${often?.boost}`);
  assert.deepEqual([often.good, often.bad, often.likeQuery], [5, 0, 'create an issue']);
});

test('a like query profits by how like it is, another not at all', async () => {
  const { history } = await openHistory();
  repeat(5, () => history.record('create issue bug', 'git:new', 'good'));
  const like = history.boosts('create issue bug report').get('git:new');
  assert.ok(like && Math.abs(like.good - 5 * Math.sqrt(3 / 4)) < 0.1, `${like?.good}`);
  assert.equal(like.likeQuery, 'create issue bug');
  assert.equal(history.boosts('weather today').size, 0);
  assert.equal(history.boosts('words unknown to the model').size, 0);
  assert.equal(history.boosts('').size, 0);
});

test('evidence of several like queries adds up, and the strongest is named', async () => {
  const { history } = await openHistory();
  repeat(2, () => history.record('issue bug', 'git:new', 'good'));
  repeat(3, () => history.record('bug, an issue', 'git:new', 'good'));
  const boost = history.boosts('an issue: bug').get('git:new');
  assert.ok(boost && Math.abs(boost.good - 5) < 0.1);
  assert.equal(boost.likeQuery, 'bug, an issue');
});

test('a tool that keeps failing is pushed down', async () => {
  const { history } = await openHistory();
  history.record('send mail', 'mail:send', 'bad');
  assert.equal(history.boosts('send mail').get('mail:send')?.boost, 0);
  repeat(7, () => history.record('send mail', 'mail:send', 'bad'));
  assert.ok((history.boosts('send mail').get('mail:send')?.boost ?? 0) < -0.03);
});

test('one call that several queries led to counts once', async () => {
  const { history } = await openHistory();
  history.recordCall(['issue bug', 'bug issue', 'Issue  bug', ' '], 'git:new', 'good');
  const boost = history.boosts('issue bug').get('git:new');
  assert.ok(boost && Math.abs(boost.good - 1) < 0.01 && boost.boost <= 0.04);
  history.recordCall([], 'git:other', 'good');
  history.record('  ', 'git:other', 'good');
  assert.equal(history.size, 2);
});

test('a call counts half after two weeks, and nothing at last', async () => {
  const { history, clock } = await openHistory();
  repeat(4, () => history.record('send mail', 'mail:send', 'good'));
  await clock.advance(halfLifeMs);
  assert.equal(history.boosts('send mail').get('mail:send')?.good, 2);
  history.record('send mail', 'mail:send', 'good');
  assert.equal(history.boosts('send mail').get('mail:send')?.good, 3);
  await clock.advance(9 * halfLifeMs);
  assert.equal(history.boosts('send mail').size, 0);
});

test('learned uses survive a restart, with their fading', async () => {
  const { history, store, clock } = await openHistory();
  repeat(4, () => history.record('send mail', 'mail:send', 'good'));
  history.record('send mail', 'mail:send', 'bad');
  await history.close();
  await clock.advance(halfLifeMs);
  const { history: next } = await openHistory(store, clock);
  const boost = next.boosts('send mail').get('mail:send');
  assert.deepEqual([boost?.good, boost?.bad], [2, 0.5]);
});

test('changes are written together, half a second after the first', async () => {
  const { history, store, clock } = await openHistory();
  history.record('send mail', 'mail:send', 'good');
  await clock.advance(writeDelayMs - 1);
  history.record('weather', 'sky:now', 'good');
  history.record('weather', 'sky:now', 'good');
  assert.deepEqual(store.writes, []);
  await clock.advance(1);
  assert.deepEqual(store.writes, ['add 2']);
  assert.equal(store.rows.get('weather|sky:now')?.good, 2);
  assert.deepEqual(clock.waits, []);
  await history.close();
  assert.deepEqual(store.writes, ['add 2']);
});

test('a use during a write is written by the next one', async () => {
  const { history, store, clock } = await openHistory();
  const { promise, resolve } = Promise.withResolvers<void>();
  const add = store.addUses.bind(store);
  store.addUses = async (uses) => {
    await promise;
    await add(uses);
  };
  history.record('send mail', 'mail:send', 'good');
  await clock.advance(writeDelayMs);
  history.record('send mail', 'mail:send', 'good');
  resolve();
  await clock.advance(writeDelayMs);
  assert.deepEqual(store.writes, ['add 1', 'add 1']);
  assert.equal(store.rows.get('send mail|mail:send')?.good.toFixed(3), '2.000');
});

test('closing writes what is left, twice closing is once, and later records are ignored', async () => {
  const { history, store } = await openHistory();
  history.record('send mail', 'mail:send', 'good');
  await history.close();
  await history.close();
  history.record('send mail', 'mail:send', 'good');
  assert.deepEqual(store.writes, ['add 1']);
  assert.equal(history.size, 1);
});

test('a store that fails is told once, and what it missed is written when it works again', async () => {
  const told: string[] = [];
  const store = new MemoryStore();
  store.isBroken = true;
  const { history, clock } = await openHistory(store, new ManualClock(), {
    ...silentLog,
    warn: (event) => told.push(event),
  });
  told.length = 0;
  for (const query of ['send mail', 'weather', 'issue']) {
    history.record(query, 'a:b', 'good');
    await clock.advance(writeDelayMs);
  }
  assert.equal(told.length, 1);
  assert.equal(history.boosts('weather').size, 1);
  assert.deepEqual(clock.waits, [], 'it is not tried for ever');
  store.isBroken = false;
  history.record('bug', 'a:b', 'good');
  await clock.advance(writeDelayMs);
  assert.equal(store.rows.size, 4);
  store.isBroken = true;
  history.record('bug', 'a:b', 'good');
  await history.close();
  assert.equal(told.length, 2, 'a new failure is news');
});

test('a store that cannot be read leaves an empty history that works', async () => {
  const store = new MemoryStore();
  store.isBroken = true;
  const { history } = await openHistory(store);
  history.record('send mail', 'mail:send', 'good');
  assert.equal(history.boosts('send mail').size, 1);
});

test('without a model only the same query counts, and that is told once', async () => {
  const told: string[] = [];
  const store = new MemoryStore();
  const clock = new ManualClock();
  store.rows.set('x', { query: 'weather today', toolKey: 'sky:now', good: 2, bad: 0, at: clock.now() });
  const history = new UsageHistory({
    store,
    clock,
    log: { ...silentLog, warn: (event) => told.push(event) },
    vectorOf: () => {
      throw new Error('The model file is damaged.');
    },
  });
  await history.open();
  repeat(5, () => history.record('create issue bug', 'git:new', 'good'));
  assert.equal(history.boosts('create issue bug').get('git:new')?.good, 5);
  assert.equal(history.boosts('Weather  today').get('sky:now')?.good, 2);
  assert.equal(history.boosts('create issue bug report').size, 0);
  assert.equal(told.length, 1, told.join());
});

test('a model that fails for some time takes nothing from what was compared before', async () => {
  let isBroken = false;
  const history = new UsageHistory({
    store: new MemoryStore(),
    clock: new ManualClock(),
    log: silentLog,
    vectorOf: (text) => {
      if (isBroken) throw new Error('Out of memory.');
      return vectorOf(text);
    },
  });
  await history.open();
  repeat(5, () => history.record('create issue bug', 'git:new', 'good'));
  isBroken = true;
  assert.equal(history.boosts('create issue bug').size, 1);
  assert.equal(history.boosts('create issue bug report').size, 0);
  isBroken = false;
  assert.equal(history.boosts('create issue bug report').size, 1);
});

test('rows that make no sense are dropped, from the store too', async () => {
  const store = new MemoryStore();
  const sound: StoredUse = { query: 'send mail', toolKey: 'mail:send', good: 2, bad: 0, at: 1_000 };
  const senseless: Partial<StoredUse>[] = [
    { query: '' },
    { query: ' Mail' },
    { query: 'x'.repeat(301) },
    { toolKey: '' },
    { good: -1 },
    { good: Number.NaN },
    { good: Number.POSITIVE_INFINITY },
    { bad: -1 },
    { good: 0 },
    { at: Number.NaN },
    { at: -1 },
  ];
  for (const [at, wrong] of senseless.entries()) store.rows.set(`${at}`, { ...sound, toolKey: `a:${at}`, ...wrong });
  const { history, clock } = await openHistory(store);
  assert.equal(history.size, 0);
  await clock.advance(writeDelayMs);
  assert.deepEqual(store.writes, [`remove ${senseless.length}`]);
});

test('a row from the future counts as of now', async () => {
  const store = new MemoryStore();
  const clock = new ManualClock();
  const at = clock.now() + 5 * halfLifeMs;
  store.rows.set('x', { query: 'send mail', toolKey: 'mail:send', good: 2, bad: 0, at });
  const { history } = await openHistory(store, clock);
  await clock.advance(halfLifeMs);
  assert.equal(history.boosts('send mail').get('mail:send')?.good, 1);
});

test('uses during the reading of the history are added to it', async () => {
  const store = new MemoryStore();
  const clock = new ManualClock();
  store.rows.set('send mail|mail:send', { query: 'send mail', toolKey: 'mail:send', good: 2, bad: 0, at: clock.now() });
  const history = new UsageHistory({ store, clock, log: silentLog, vectorOf });
  const opening = history.open();
  history.record('send mail', 'mail:send', 'good');
  await opening;
  assert.equal(history.boosts('send mail').get('mail:send')?.good, 3);
  await history.close();
  assert.equal(store.rows.get('send mail|mail:send')?.good, 3);
});

test('a full history forgets what counts least, from the store too, and can still learn', async () => {
  const { history, store, clock } = await openHistory();
  repeat(2, () => history.record('weather', 'sky:now', 'good'));
  history.record('weather', 'sky:then', 'good');
  await clock.advance(1_000);
  for (let at = 2; at < mostUses; at += 1) history.record('send mail', `mail:${at}`, 'good');
  await clock.advance(writeDelayMs);
  assert.equal(store.rows.size, mostUses);
  history.record('issue', 'git:new', 'good');
  assert.equal(history.size, mostUses);
  assert.deepEqual([...history.boosts('weather').keys()], ['sky:now']);
  assert.equal(history.boosts('issue').size, 1);
  await clock.advance(writeDelayMs);
  assert.equal(store.rows.size, mostUses);
  assert.equal(store.rows.has('weather|sky:then'), false);
});

test('of too many rows those that count most are read, and the others leave the store', async () => {
  const store = new MemoryStore();
  const clock = new ManualClock();
  for (let at = 0; at <= mostUses; at += 1) {
    const good = at === 7 ? 0.5 : 1;
    store.rows.set(`weather|sky:${at}`, { query: 'weather', toolKey: `sky:${at}`, good, bad: 0, at: clock.now() });
  }
  const { history } = await openHistory(store, clock);
  await clock.advance(writeDelayMs);
  assert.equal(history.size, mostUses);
  assert.equal(store.rows.has('weather|sky:7'), false);
  assert.equal(store.rows.size, mostUses);
});

/** Two gateways on one store. */
async function openTwo() {
  const store = new MemoryStore();
  store.isShared = true;
  const { history: one, clock } = await openHistory(store);
  const { history: other } = await openHistory(store, clock);
  const goodAt = (history: UsageHistory) => history.boosts('send mail').get('mail:send')?.good.toFixed(2);
  return { store, clock, one, other, goodAt };
}

test('two histories on a shared store add to each other, and each reads what the other learnt after a minute', async () => {
  const { store, clock, one, other, goodAt } = await openTwo();
  one.record('send mail', 'mail:send', 'good');
  repeat(2, () => other.record('send mail', 'mail:send', 'good'));
  other.record('weather', 'sky:now', 'good');
  await clock.advance(writeDelayMs);
  assert.equal(store.rows.get('send mail|mail:send')?.good, 3);
  assert.deepEqual([goodAt(one), goodAt(other)], ['1.00', '2.00'], 'no search reads before its time');
  await clock.advance(rereadMs);
  // Each search begins to read, and is answered from what was known.
  for (const history of [one, other]) history.boosts('');
  await clock.advance(0);
  assert.deepEqual([goodAt(one), goodAt(other)], ['3.00', '3.00']);
  assert.equal(one.boosts('weather').size, 1);
});

test('uses while a shared store is read count once, whether it lists them or not', async () => {
  const { store, clock, one, goodAt } = await openTwo();
  one.record('send mail', 'mail:send', 'good');
  await clock.advance(rereadMs);
  const { promise, resolve } = Promise.withResolvers<void>();
  const list = store.listUses.bind(store);
  store.listUses = async () => {
    const rows = await list();
    await promise;
    return rows;
  };
  one.record('send mail', 'mail:send', 'good');
  one.boosts('');
  await clock.advance(0);
  one.record('send mail', 'mail:send', 'good');
  await clock.advance(writeDelayMs);
  assert.deepEqual(store.writes, ['add 1'], 'nothing is written while the list is on its way');
  resolve();
  await clock.advance(writeDelayMs);
  assert.equal(goodAt(one), '3.00');
  await one.close();
  assert.equal(store.rows.get('send mail|mail:send')?.good.toFixed(2), '3.00');
});

test('a history leaves what others have forgotten, and keeps what was just used', async () => {
  const { store, clock, one, goodAt } = await openTwo();
  one.record('send mail', 'mail:send', 'good');
  one.record('weather', 'sky:now', 'good');
  await clock.advance(rereadMs);
  store.rows.clear();
  one.record('weather', 'sky:now', 'good');
  one.boosts('');
  await clock.advance(0);
  assert.equal(goodAt(one), undefined);
  assert.equal(one.boosts('weather').size, 1);
});

test('a store that nobody shares is read once', async () => {
  const { history, store, clock } = await openHistory();
  store.rows.set('x', { query: 'send mail', toolKey: 'mail:send', good: 2, bad: 0, at: clock.now() });
  await clock.advance(2 * rereadMs);
  history.boosts('send mail');
  await clock.advance(0);
  assert.equal(history.size, 0);
});
