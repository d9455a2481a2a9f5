/** Views of values at paths: what is read once is remembered, and what nobody waits for is not read. */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { silentLog } from '../base/log.ts';
import { StoredResults } from './stored-results.ts';

async function keep(t: TestContext, structuredContent: unknown) {
  const folder = mkdtempSync(join(tmpdir(), 'path-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const live = { maxResultBytes: 4_000, resultTtlMinutes: 60, resultStoreBytes: 10_000_000 };
  const results = new StoredResults({ folder, clock: new ManualClock(), log: silentLog, settings: () => live });
  const { id } = await results.keep({ content: [], structuredContent }, { principal: 'ann', toolKey: 'a:b' });
  const see = async (path: string, page: number) => (await results.read(id, 'ann', { path, page })).text;
  return { results, id, live, see, kept: join(folder, 'kept', id) };
}

const note = Array.from({ length: 2_000 }, (_, at) => `line "${at}"`).join('\n');
const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, text: `row ${id}` }));

test('pages of a long value are read from where they begin, without a look at all of it', async (t) => {
  const { see, kept, live } = await keep(t, { note, rows, end: 'x'.repeat(200_000) });
  for (const path of ['$.note', '$.rows']) {
    const [first, second] = [await see(path, 1), await see(path, 2)];
    assert.match(first, /: page 1 of \d+, /);
    assert.notEqual(first, second);
    assert.deepEqual([await see(path, 1), await see(path, 2)], [first, second]);
  }
  const tables = () => readdirSync(kept).filter((name) => name.startsWith('path-')).length;
  assert.equal(tables(), 2);
  // Without the rest of the file only what is remembered can be read.
  truncateSync(join(kept, 'part-1'), note.length + 60_000);
  assert.match(await see('$.rows', 2), /: page 2 of \d+, rows /);
  live.maxResultBytes = 1_000;
  await assert.rejects(see('$.rows', 2), { code: 'STORE_BROKEN' });
});

test('only so many paths are remembered, and all of them are answered', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`k${at}`, 'x'.repeat(5_000)]));
  const { see, kept } = await keep(t, many);
  for (const name of Object.keys(many)) assert.match(await see(`$.${name}`, 1), /: page 1 of 2, /);
  assert.equal(readdirSync(kept).filter((name) => name.startsWith('path-')).length, 50);
});

test('a cancelled read stops before the end', async (t) => {
  const { results, id } = await keep(t, { rows, note: 'x'.repeat(1_000_000) });
  for (const view of [
    { page: 1 },
    { find: 'nowhere' },
    { path: '$.rows[-1]' },
    { part: 0 },
    { lines: { from: 1, to: 2 } },
  ])
    await assert.rejects(results.read(id, 'ann', view, AbortSignal.abort()), { code: 'CANCELLED' });
  const ending = new AbortController();
  const reading = results.read(id, 'ann', { find: 'nowhere' }, ending.signal);
  setImmediate(() => ending.abort());
  await assert.rejects(reading, { code: 'CANCELLED' });
});
