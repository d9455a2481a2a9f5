/** A program loads a stored result: the value itself, or a smaller piece if it is too large. */

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { GatewayError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import type { Result } from '../protocol/messages.ts';
import { NoSuchResultError } from './result-files.ts';
import type { ResultView } from './result-view.ts';
import { StoredResults } from './stored-results.ts';

const settings = { maxResultBytes: 20_000, resultTtlMinutes: 60, resultStoreBytes: 10_000_000 };
const options = { maxBytes: 1_000, verbatimOf: 'own:program' };

async function resultsFor(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'load-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const results = new StoredResults({ folder, clock: new ManualClock(), log: silentLog, settings: () => settings });
  const keep = async (result: Result, toolKey = 'shop:list') =>
    (await results.keep(result, { principal: 'ann', toolKey })).id;
  const load = async (id: string, view: ResultView = {}, principal = 'ann'): Promise<unknown> =>
    JSON.parse(await results.load(id, principal, view, options));
  return { keep, load };
}

const texts = (...all: string[]): Result => ({ content: all.map((text) => ({ type: 'text', text })) });

async function refused(promise: Promise<unknown>, code: string, words: RegExp): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(error instanceof GatewayError && error.code === code, String(error));
    assert.match(`${error.message} ${error.hint}`, words);
    return true;
  });
}

test('a value comes back as it was kept, whatever it is', async (t) => {
  const { keep, load } = await resultsFor(t);
  for (const value of [{ a: [1, null, 'x'] }, [1, [2]], 7, true, null, 'a "text"\nof two lines'])
    assert.deepEqual(await load(await keep({ structuredContent: value }, 'own:program')), value);
});

test('a text is a text, one that is JSON is what it says, except where a program kept it', async (t) => {
  const { keep, load } = await resultsFor(t);
  assert.equal(await load(await keep(texts('one', 'two'))), 'one\ntwo');
  assert.deepEqual(await load(await keep(texts('{"a":[1]}'))), { a: [1] });
  assert.equal(await load(await keep(texts('{"a":[1]}'), 'own:program')), '{"a":[1]}');
  assert.equal(await load(await keep(texts('x'.repeat(400), '{}'))), `${'x'.repeat(400)}\n{}`);
});

test('structured content goes before the text beside it', async (t) => {
  const { keep, load } = await resultsFor(t);
  const id = await keep({ ...texts('Two rows.'), structuredContent: { rows: [1, 2] } });
  assert.deepEqual(await load(id), { rows: [1, 2] });
  assert.equal(await load(id, { part: 1 }), 'Two rows.');
});

test('a path gives one value, or the list of all that it leads to', async (t) => {
  const { keep, load } = await resultsFor(t);
  const rows = Array.from({ length: 500 }, (_, at) => ({ at, name: `row ${at}` }));
  const id = await keep({ structuredContent: { rows } });
  assert.deepEqual(await load(id, { path: '$.rows[499]' }), { at: 499, name: 'row 499' });
  assert.deepEqual(await load(id, { path: '$.rows[0:3].at' }), [0, 1, 2]);
  assert.deepEqual(await load(id, { path: '$.none[*]' }), []);
  await refused(load(id, { path: '$.none' }), 'ARGUMENTS_INVALID', /There is nothing at \$\.none .*rows/);
  await refused(load(id, { path: '$.rows' }), 'TOO_LARGE', /The value at \$\.rows takes .* at most 1\.0 kB/);
});

test('a value over the limit is refused with a way to load a piece', async (t) => {
  const { keep, load } = await resultsFor(t);
  const rows = await keep({ structuredContent: { data: { rows: Array.from({ length: 900 }, (_, at) => at) } } });
  await refused(
    load(rows),
    'TOO_LARGE',
    new RegExp(`load\\("toolcrib://result/${rows}\\?path=\\$\\.data\\.rows\\[0:100\\]"\\)`),
  );
  const long = await keep(texts('long line\n'.repeat(300)));
  await refused(load(long), 'TOO_LARGE', /\?page=1"\), \?lines=1-100 or \?find=TEXT/);
  assert.equal(await load(long, { lines: { from: 2, to: 3 } }), 'long line\nlong line');
});

test('[CHAIN-39] lines and pages of a text are the text itself, all that was asked for or nothing', async (t) => {
  const { keep, load } = await resultsFor(t);
  const text = Array.from({ length: 5_000 }, (_, at) => `line ${at + 1} ü`).join('\n');
  const id = await keep(texts(text));
  assert.equal(await load(id, { lines: { from: 4_998, to: 9_999 } }), 'line 4998 ü\nline 4999 ü\nline 5000 ü');
  await refused(load(id, { lines: { from: 1, to: 2_000 } }), 'TOO_LARGE', /Numbers 1 to 92 take more.*\?lines=1-91"/);
  await refused(load(id, { lines: { from: 5_001, to: 5_001 } }), 'ARGUMENTS_INVALID', /no line 5001.*5000 lines/);
  const pages: unknown[] = [];
  for (let page = 1; pages.length < 100; page += 1) {
    const piece = await load(id, { page }).catch(() => undefined);
    if (piece === undefined) break;
    pages.push(piece);
  }
  assert.ok(pages.length > 2);
  assert.equal(pages.join(''), text);
});

test('[CHAIN-39] lines and pages of JSON are its rows as data', async (t) => {
  const { keep, load } = await resultsFor(t);
  const rows = Array.from({ length: 3_000 }, (_, at) => ({ at, name: `row ${at}` }));
  const list = await keep({ structuredContent: { total: 3_000, rows } });
  assert.deepEqual(await load(list, { lines: { from: 2, to: 3 } }), rows.slice(1, 3));
  await refused(load(list, { lines: { from: 1, to: 90 } }), 'TOO_LARGE', /\?lines=1-\d\d"/);
  const first = (await load(list, { page: 1 })) as unknown[];
  assert.deepEqual(first, rows.slice(0, first.length));
  const second = (await load(list, { page: 2 })) as unknown[];
  assert.deepEqual(second, rows.slice(first.length, first.length + second.length));
  const members = await keep({ structuredContent: Object.fromEntries(rows.map((row) => [row.name, row.at])) });
  assert.deepEqual(await load(members, { lines: { from: 1, to: 2 } }), { 'row 0': 0, 'row 1': 1 });
  const wide = await keep({ structuredContent: ['x'.repeat(50_000), 'y'] });
  await refused(load(wide, { page: 2 }), 'ARGUMENTS_INVALID', /only a piece of row 1.*\?lines=1"/);
});

test('[CHAIN-39] matches come as data: lines, rows, and parts beside the rows', async (t) => {
  const { keep, load } = await resultsFor(t);
  const lines = Array.from({ length: 2_000 }, (_, at) => `Line ${at + 1}${at % 500 === 7 ? ' NEEDLE' : ''}`);
  assert.deepEqual(await load(await keep(texts(lines.join('\n'))), { find: 'needle' }), [
    { line: 8, text: 'Line 8 NEEDLE' },
    { line: 508, text: 'Line 508 NEEDLE' },
    { line: 1_008, text: 'Line 1008 NEEDLE' },
    { line: 1_508, text: 'Line 1508 NEEDLE' },
  ]);
  const rows = [{ a: 'needle' }, { b: 2 }, { c: 'a needle, a needle' }];
  const id = await keep({ structuredContent: { about: 'needles', rows: [...rows, ...Array(50).fill('hay')] } });
  const found = (await load(id, { find: 'needle' })) as { row: number | null }[];
  assert.deepEqual(found.slice(1), [
    { row: 1, value: rows[0] },
    { row: 3, value: rows[2] },
  ]);
  assert.equal(found[0]?.row, null);
  assert.deepEqual(await load(id, { find: 'nowhere' }), []);
  await refused(load(id, { find: 'hay', page: 2 }), 'ARGUMENTS_INVALID', /leave "page" out/);
  await refused(load(await keep(texts('hay\n'.repeat(900))), { find: 'hay' }), 'TOO_LARGE', /Look for a longer text/);
});

test('[CHAIN-39] half a character comes back as it was kept', async (t) => {
  const { keep, load } = await resultsFor(t);
  for (const half of ['hello \ud83d', `\udca9${'x'.repeat(500)}`])
    assert.equal(await load(await keep(texts(half), 'own:program')), half);
});

test('bytes come as base64, and of several parts one has to be named', async (t) => {
  const { keep, load } = await resultsFor(t);
  const data = Buffer.from('picture').toString('base64');
  const image = { type: 'image', mimeType: 'image/png', data };
  const id = await keep({ content: [{ type: 'text', text: 'A picture.' }, image] });
  await refused(load(id), 'ARGUMENTS_INVALID', /has 2 parts; choose one\. .*\?part=1"\)\. 1: text, .* 2: image\/png/);
  assert.deepEqual(await load(id, { part: 2 }), { mimeType: 'image/png', data });
});

test('a result of another principal reads like one that never existed', async (t) => {
  const { keep, load } = await resultsFor(t);
  const id = await keep({ structuredContent: { secret: true } });
  const answers = await Promise.all(
    [load(id, {}, 'bob'), load('A'.repeat(22), {}, 'bob')].map((loading) => loading.catch((error: unknown) => error)),
  );
  assert.ok(
    answers.every((answer) => answer instanceof NoSuchResultError),
    String(answers),
  );
});
