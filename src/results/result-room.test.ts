/** The room in the store of results: everything that a result has on disk counts, while it is written and while it is read. */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { silentLog } from '../base/log.ts';
import { collect } from './byte-source.ts';
import { jsonChunks, sentBytes } from './part-chunks.ts';
import { planParts } from './plan-parts.ts';
import { StoredResults } from './stored-results.ts';

const owner = { principal: 'ann', toolKey: 'shop:list' };

function resultsFor(t: TestContext, settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'room-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const live = { maxResultBytes: 20_000, resultTtlMinutes: 60, resultStoreBytes: 1_000_000, ...settings };
  const clock = new ManualClock();
  const open = () => new StoredResults({ folder, clock, log: silentLog, settings: () => live });
  return { kept: join(folder, 'kept'), clock, live, open, results: open() };
}

/** Files may be removed while this counts. */
function onDisk(folder: string): number {
  let bytes = 0;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      for (const file of readdirSync(path)) bytes += statSync(join(path, file)).size;
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOENT');
    }
  }
  return bytes;
}

test('the frame counts, and the reported size is the size that was sent', async (t) => {
  const { results, kept } = resultsFor(t);
  const block = { type: 'text', text: 'x', _meta: { k: 'y'.repeat(15_000) } };
  const result = { content: Array.from({ length: 20 }, () => block) };
  for (let at = 0; at < 6; at += 1) {
    const { bytes } = await results.keep(result, owner);
    const written = JSON.stringify(result).length;
    assert.ok(bytes >= written && bytes < written + 100, `${bytes} of ${written}`);
    assert.ok(onDisk(kept) <= 1_000_000, `${onDisk(kept)} bytes are on disk`);
  }
  assert.equal(readdirSync(kept).length, 3);
  const large = { content: Array.from({ length: 70 }, () => block) };
  await assert.rejects(results.keep(large, owner), { code: 'TOO_LARGE' });
  assert.equal(readdirSync(kept).length, 3, 'what is refused pushes nothing out and leaves nothing');
});

test('tables that are made for reading count, also after a restart', async (t) => {
  const { results, kept, clock, live, open } = resultsFor(t, { maxResultBytes: 1_000 });
  const rows = Array.from({ length: 4_000 }, (_, id) => ({ id, note: 'some text' }));
  const first = await results.keep({ content: [], structuredContent: { rows } }, owner);
  const second = await results.keep({ content: [], structuredContent: { rows } }, owner);
  live.resultStoreBytes = onDisk(kept) + 100;
  await results.read(second.id, 'ann', { page: 2 });
  assert.deepEqual(readdirSync(kept), [second.id], 'the table was not counted');
  await results.read(second.id, 'ann', { path: '$.rows' });
  live.resultStoreBytes = 1_000_000;
  await clock.advance(1_000);
  const third = await results.keep({ content: [], structuredContent: { rows } }, owner);
  live.resultStoreBytes = onDisk(kept) - 1;
  const next = open();
  await next.keep({ content: [{ type: 'text', text: 'small' }] }, owner);
  assert.ok(!readdirSync(kept).includes(second.id), 'what was written while reading was forgotten');
  assert.ok(readdirSync(kept).includes(third.id));
  await assert.rejects(next.read(first.id, 'ann', {}), { code: 'ARGUMENTS_INVALID' });
});

test('room is made while a result is written, not only when it is complete', async (t) => {
  const { results, kept } = resultsFor(t);
  for (let at = 0; at < 9; at += 1)
    await results.keep({ content: [{ type: 'text', text: 'x'.repeat(100_000) }] }, owner);
  let most = 0;
  let isDone = false;
  const watch = () => {
    if (isDone) return;
    most = Math.max(most, onDisk(kept));
    setImmediate(watch);
  };
  watch();
  await results.keep({ content: [{ type: 'text', text: 'y'.repeat(900_000) }] }, owner);
  isDone = true;
  assert.ok(most > 0 && most <= 1_000_000, `${most} bytes were on disk`);
});

test('a part that is tried in two ways is counted once', async (t) => {
  const { results } = resultsFor(t, { resultStoreBytes: 250_000 });
  // Base64 up to its very end, where it turns out to be none.
  const data = `${'QUJD'.repeat(50_000)}!`;
  const { parts } = await results.keep({ content: [{ type: 'image', data, mimeType: 'image/png' }] }, owner);
  assert.deepEqual(
    parts.map(({ kind, bytes }) => [kind, bytes]),
    [['text', 200_001]],
  );
});

test('many blocks are gone through in turns, so that other work goes on', async () => {
  const content = Array.from({ length: 20_000 }, (_, at) => ({ type: 'text', text: `block ${at}` }));
  const turnsDuring = async (act: () => Promise<unknown>) => {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await act();
    isDone = true;
    return turns;
  };
  const acts = [
    () => planParts({ content }, false),
    () => sentBytes({ content }),
    () => collect(jsonChunks({ content })),
  ];
  for (const act of acts) assert.ok((await turnsDuring(act)) > 50);
});

test('a principal who fills the store loses old results of their own, not those of others', async (t) => {
  const { results, kept } = resultsFor(t);
  const bob = { principal: 'bob', toolKey: 'shop:list' };
  const precious = await results.keep({ structuredContent: { precious: true } }, bob);
  const large = { content: [{ type: 'text', text: 'x'.repeat(200_000) }] };
  const ids: string[] = [];
  for (let at = 0; at < 12; at += 1) ids.push((await results.keep(large, owner)).id);
  assert.ok(onDisk(kept) <= 1_000_000);
  assert.deepEqual(await results.idsOf('bob'), [precious.id]);
  assert.deepEqual(await results.idsOf('ann'), ids.slice(-4).reverse());
  for (let at = 0; at < 12; at += 1) await results.keep(large, bob);
  assert.equal((await results.idsOf('ann')).length, 2, 'each has a half where both want more');
  assert.equal((await results.idsOf('bob')).length, 2);
});
