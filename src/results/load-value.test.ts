/** What a program loads of a kept result: the value itself, or a smaller piece of what is too large. */

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
import { NoSuchResultError, ResultShelf } from './result-shelf.ts';
import type { ResultView } from './result-view.ts';

const settings = { maxResultBytes: 20_000, resultTtlMinutes: 60, resultStoreBytes: 10_000_000 };
const options = { maxBytes: 1_000, verbatimOf: 'own:program' };

async function shelfFor(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'load-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const shelf = new ResultShelf({ folder, clock: new ManualClock(), log: silentLog, settings: () => settings });
  const keep = async (result: Result, toolKey = 'shop:list') =>
    (await shelf.keep(result, { principal: 'ann', toolKey })).id;
  const load = async (id: string, view: ResultView = {}, principal = 'ann'): Promise<unknown> =>
    JSON.parse(await shelf.load(id, principal, view, options));
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
  const { keep, load } = await shelfFor(t);
  for (const value of [{ a: [1, null, 'x'] }, [1, [2]], 7, true, null, 'a "text"\nof two lines'])
    assert.deepEqual(await load(await keep({ structuredContent: value }, 'own:program')), value);
});

test('a text is a text, one that is JSON is what it says, except where a program kept it', async (t) => {
  const { keep, load } = await shelfFor(t);
  assert.equal(await load(await keep(texts('one', 'two'))), 'one\ntwo');
  assert.deepEqual(await load(await keep(texts('{"a":[1]}'))), { a: [1] });
  assert.equal(await load(await keep(texts('{"a":[1]}'), 'own:program')), '{"a":[1]}');
  assert.equal(await load(await keep(texts('x'.repeat(400), '{}'))), `${'x'.repeat(400)}\n{}`);
});

test('structured content goes before the text beside it', async (t) => {
  const { keep, load } = await shelfFor(t);
  const id = await keep({ ...texts('Two rows.'), structuredContent: { rows: [1, 2] } });
  assert.deepEqual(await load(id), { rows: [1, 2] });
  assert.equal(await load(id, { part: 1 }), 'Two rows.');
});

test('a path gives one value, or the list of all that it leads to', async (t) => {
  const { keep, load } = await shelfFor(t);
  const rows = Array.from({ length: 500 }, (_, at) => ({ at, name: `row ${at}` }));
  const id = await keep({ structuredContent: { rows } });
  assert.deepEqual(await load(id, { path: '$.rows[499]' }), { at: 499, name: 'row 499' });
  assert.deepEqual(await load(id, { path: '$.rows[0:3].at' }), [0, 1, 2]);
  assert.deepEqual(await load(id, { path: '$.none[*]' }), []);
  await refused(load(id, { path: '$.none' }), 'ARGUMENTS_INVALID', /Nothing is at \$\.none .*rows/);
  await refused(load(id, { path: '$.rows' }), 'TOO_LARGE', /What is at \$\.rows takes .* at most 1\.0 kB/);
});

test('what is over the limit is refused with the way to a piece of it', async (t) => {
  const { keep, load } = await shelfFor(t);
  const rows = await keep({ structuredContent: { data: { rows: Array.from({ length: 900 }, (_, at) => at) } } });
  await refused(
    load(rows),
    'TOO_LARGE',
    new RegExp(`load\\("toolcrib://result/${rows}\\?path=\\$\\.data\\.rows\\[0:100\\]"\\)`),
  );
  const long = await keep(texts('long line\n'.repeat(300)));
  await refused(load(long), 'TOO_LARGE', /\?page=1"\), \?lines=1-100 or \?find=TEXT/);
  assert.match(String(await load(long, { lines: { from: 2, to: 2 } })), /line 2 of 300\.\nlong line$/);
});

test('bytes come as base64, and of several parts one has to be named', async (t) => {
  const { keep, load } = await shelfFor(t);
  const data = Buffer.from('picture').toString('base64');
  const image = { type: 'image', mimeType: 'image/png', data };
  const id = await keep({ content: [{ type: 'text', text: 'A picture.' }, image] });
  await refused(
    load(id),
    'ARGUMENTS_INVALID',
    /has 2 parts; say which one\. .*\?part=1"\)\. 1: text, .* 2: image\/png/,
  );
  assert.deepEqual(await load(id, { part: 2 }), { mimeType: 'image/png', data });
});

test("what is another principal's reads like what never was", async (t) => {
  const { keep, load } = await shelfFor(t);
  const id = await keep({ structuredContent: { secret: true } });
  const answers = await Promise.all(
    [load(id, {}, 'bob'), load('A'.repeat(22), {}, 'bob')].map((loading) => loading.catch((error: unknown) => error)),
  );
  assert.ok(
    answers.every((answer) => answer instanceof NoSuchResultError),
    String(answers),
  );
});
