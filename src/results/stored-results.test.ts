/** Stored results stay whole, belong to one principal, last as long as configured, and survive a restart. */

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { GatewayError } from '../base/errors.ts';
import { jsonSize } from '../base/json.ts';
import { silentLog } from '../base/log.ts';
import type { Result } from '../protocol/messages.ts';
import { type LongKind, LongValue } from './long-value.ts';
import { NoSuchResultError } from './result-files.ts';
import type { ResultView } from './result-view.ts';
import { SpoolFile } from './spool-file.ts';
import { StoredResults } from './stored-results.ts';

const owner = { principal: 'ann', toolKey: 'shop:list' };
const hour = 60 * 60_000;

async function resultsFor(t: TestContext, settings = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'results-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new ManualClock();
  const live = { maxResultBytes: 20_000, resultTtlMinutes: 60, resultStoreBytes: 10_000_000, ...settings };
  const open = () => new StoredResults({ folder, clock, log: silentLog, settings: () => live });
  const results = open();
  const see = async (id: string, view: ResultView = {}) => (await results.read(id, 'ann', view)).text;
  return { folder, kept: join(folder, 'kept'), clock, live, open, results, see };
}

function long(value: unknown, t: TestContext, text = JSON.stringify(value)): LongValue {
  const path = join(tmpdir(), `long-${process.pid}-${Math.random()}`);
  const file = new SpoolFile({ path, onGrow: () => {}, onReleased: () => {} });
  t.after(() => file.release());
  file.append(Buffer.from(text));
  const kind: LongKind = typeof value === 'string' ? 'string' : Array.isArray(value) ? 'array' : 'object';
  return new LongValue(kind, file, 0, file.size);
}

const text = (value: unknown): Result => ({ content: [{ type: 'text', text: value }] });
const lines = (count: number) => Array.from({ length: count }, (_, at) => `line number ${at + 1}`).join('\n');
const rows = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, name: `item ${id}`, note: 'say "hi"' }));

async function invalid(promise: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(error instanceof GatewayError && error.code === 'ARGUMENTS_INVALID', String(error));
    assert.match(`${error.message} ${error.hint}`, message);
    return true;
  });
}

test('a text is read page by page until its end, and each page says where the next is', async (t) => {
  const { results, see } = await resultsFor(t);
  const whole = lines(10_000);
  for (const value of [whole, long(whole, t)]) {
    const { id } = await results.keep(text(value), owner);
    const first = await see(id);
    assert.match(first, /^The result of shop:list: .* stored until 2026-01-01T01:00:00.000Z at the latest\./);
    assert.match(first, new RegExp(`Next: toolcrib://result/${id}\\?page=2\n`));
    let all = '';
    for (let page = 1; ; page += 1) {
      const answer = await see(id, { page });
      const [head = '', ...body] = answer.split('\n');
      assert.ok(jsonSize(answer) < 20_000);
      all += body.join('\n');
      if (/last page/.test(head)) break;
      assert.match(head, new RegExp(`page=${page + 1}$`));
    }
    assert.equal(all, whole);
  }
});

test('lines, rows, finds and paths lead into the middle of a result', async (t) => {
  const { results, see } = await resultsFor(t);
  const first = await results.keep(text(lines(10_000)), owner);
  const answer = await see(first.id, { lines: { from: 5_000, to: 5_002 } });
  assert.match(answer, /lines 5000-5002 of 10000\.\nline number 5000\nline number 5001\nline number 5002$/);
  assert.match(await see(first.id, { find: 'NUMBER 9999' }), /^Matches 1-1 of 1 .*\nline 9999: line number 9999$/);
  const value = { total: 5_000, rows: rows(5_000) };
  for (const structured of [value, long(value, t, JSON.stringify(value, null, 3))]) {
    const { id } = await results.keep({ content: [], structuredContent: structured }, owner);
    assert.match(await see(id), /JSON structuredContent, .*5000 rows at \$\.rows; keys: total, rows/);
    assert.match(await see(id, { lines: { from: 4_000, to: 4_000 } }), /row 4000 of 5000\.\n\{"id":3999,/);
    assert.match(await see(id, { path: '$.rows[10:12].name' }), /values 1-2 of 2\.\n"item 10"\n"item 11"$/);
    assert.match(await see(id, { path: '$.total' }), /one value\.\n5000$/);
    assert.match(await see(id, { find: 'item 4321' }), /^Matches 1-1 of 1 .*\nrow 4322: /);
    assert.match(
      await see(id, { find: 'say "hi"' }),
      /^Matches 1-\d+ of 5000 .*Next: .*find=say%20%22hi%22&page=2\nrow 1/,
    );
    assert.match(await see(id, { path: '$.none' }), /There is nothing at \$\.none .*total, rows/);
    assert.match(await see(id, { path: '$.rows' }), /^\$\.rows: page 1 of \d+, rows 1-/);
  }
});

test('a long text at a path is read as text, page by page', async (t) => {
  const { results, see } = await resultsFor(t);
  const note = lines(5_000);
  const { id } = await results.keep({ content: [], structuredContent: { a: 1, note } }, owner);
  let all = '';
  for (let page = 1; ; page += 1) {
    const [head = '', ...body] = (await see(id, { path: '$.note', page })).split('\n');
    all += body.join('\n');
    if (/last page/.test(head)) break;
  }
  assert.equal(all, note);
});

test('a text that is JSON keeps its form, and paths work on it', async (t) => {
  const { results, see } = await resultsFor(t);
  const pretty = JSON.stringify({ rows: rows(2_000) }, null, 2);
  const { id, parts } = await results.keep(text(pretty), owner);
  assert.equal(parts[0]?.kind, 'text');
  assert.match(await see(id, { page: 1 }), /\(JSON as text\): lines 1-\d+ of 10004\..*\n\{\n {2}"rows": \[\n/);
  assert.match(await see(id, { path: '$.rows[-1].name' }), /\n"item 1999"$/);
  const flat = await results.keep(text(JSON.stringify(rows(2_000))), owner);
  assert.match(await see(flat.id, { page: 2 }), /rows \d+-\d+ of 2000\..*\n\{"id"/);
});

test('the same JSON as text and as structured content is kept once', async (t) => {
  const { results } = await resultsFor(t);
  const value = { rows: rows(2_000) };
  const pretty = JSON.stringify(value, null, 2);
  for (const [block, structured] of [
    [pretty, value],
    [long(pretty, t), long(value, t)],
    [long(pretty, t), value],
  ] as const) {
    const { parts } = await results.keep({ ...text(block), structuredContent: structured }, owner);
    assert.deepEqual(
      parts.map(({ kind, name }) => [kind, name]),
      [['json', 'structuredContent']],
    );
  }
  const other = await results.keep({ ...text(pretty), structuredContent: { rows: rows(2_001) } }, owner);
  assert.equal(other.parts.length, 2);
});

test('many small blocks are one text, counted; other blocks are parts of their own; nothing is lost', async (t) => {
  const { results, see, kept } = await resultsFor(t);
  const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * 7) % 256));
  const content = [
    ...Array.from({ length: 5_000 }, (_, at) => ({ type: 'text', text: `block ${at}`, _meta: { at } })),
    { type: 'image', data: bytes.toString('base64'), mimeType: 'image/png' },
    { type: 'resource_link', uri: 'a:1', name: 'one' },
    { type: 'novelty', what: ['ever'] },
    { type: 'resource', resource: { uri: 'b:1', text: lines(9), mimeType: 'text/csv' } },
  ];
  const { id, parts } = await results.keep({ content, extra: { kept: true }, isError: true }, owner);
  assert.deepEqual(
    parts.map(({ kind, blocks, mimeType }) => [kind, blocks, mimeType]),
    [
      ['text', 5_000, 'text/plain'],
      ['binary', 1, 'image/png'],
      ['json', 2, 'application/json'],
      ['text', 1, 'text/csv'],
    ],
  );
  assert.match(await see(id), /from 5000 content blocks.*\n.*image\/png, 50\.0 kB/);
  assert.match(await see(id, { part: 1, lines: { from: 5_000, to: 5_000 } }), /\nblock 4999$/);
  const frame = JSON.parse(readFileSync(join(kept, id, 'frame.json'), 'utf8')) as Result;
  assert.deepEqual(restored(frame, join(kept, id)), { content, extra: { kept: true }, isError: true });
  assert.match(await see(id, { part: 0, path: '$.extra.kept' }), /\ntrue$/);
  const pages: string[] = [];
  for (let page = 1; page <= 5; page += 1) {
    const { blob } = await results.read(id, 'ann', { part: 2, page });
    assert.equal(blob?.mimeType, 'image/png');
    pages.push(blob?.data ?? '');
    if (Buffer.from(pages.join(''), 'base64').length === bytes.length) break;
  }
  assert.ok(Buffer.from(pages.join(''), 'base64').equals(bytes));
  await invalid(results.read(id, 'ann', { part: 2, find: 'x' }), /only texts and JSON can be searched/);
});

/** Puts what lies in the files back into the frame. */
function restored(value: unknown, folder: string): unknown {
  if (Array.isArray(value)) return value.map((item) => restored(item, folder));
  if (typeof value !== 'object' || value === null) return value;
  const reference = value as { 'toolcrib/part'?: number; at?: number; bytes?: number; index?: number };
  const number = reference['toolcrib/part'];
  if (number === undefined)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, restored(member, folder)]));
  const bytes = readFileSync(join(folder, `part-${number}`));
  if (reference.index !== undefined) return (JSON.parse(bytes.toString()) as unknown[])[reference.index];
  if (reference.at !== undefined) return bytes.toString('utf8', reference.at, reference.at + (reference.bytes ?? 0));
  return number === 2 ? bytes.toString('base64') : bytes.toString();
}

test('text that is falsely declared as base64 stays as it is', async (t) => {
  const { results, see } = await resultsFor(t);
  const { id, parts } = await results.keep(
    { content: [{ type: 'image', data: 'no base64!', mimeType: 'image/png' }] },
    owner,
  );
  assert.equal(parts[0]?.kind, 'text');
  assert.match(await see(id, { part: 1 }), /\nno base64!$/);
});

test('somebody else, a made-up id and an expired result are told the same', async (t) => {
  const { results, clock, kept } = await resultsFor(t);
  const { id } = await results.keep(text(lines(3_000)), owner);
  const told = async (promise: Promise<unknown>) => {
    const error = await promise.then(
      () => assert.fail('read'),
      (failure: unknown) => failure,
    );
    assert.ok(error instanceof NoSuchResultError);
    return [error.code, error.message.replace(/"[^"]*"/, 'ID'), error.hint];
  };
  const stranger = await told(results.read(id, 'bob', {}));
  assert.deepEqual(await told(results.read('A'.repeat(22), 'ann', {})), stranger);
  assert.deepEqual(await told(results.read('../../etc', 'ann', {})), stranger);
  await clock.advance(hour - 1);
  await results.read(id, 'ann', {});
  await clock.advance(1);
  assert.deepEqual(await told(results.read(id, 'ann', {})), stranger);
  while (readdirSync(kept).length > 0) await new Promise(setImmediate);
});

test('the ids of what a principal can read are told to nobody else, the newest first, also after a restart', async (t) => {
  const { results, clock, open } = await resultsFor(t);
  const first = await results.keep(text(lines(3_000)), owner);
  await clock.advance(1_000);
  const second = await results.keep(text(lines(3_000)), owner);
  const other = await results.keep(text(lines(3_000)), { ...owner, principal: 'bob' });
  for (const one of [results, open()]) {
    assert.deepEqual(await one.idsOf('ann'), [second.id, first.id]);
    assert.deepEqual(await one.idsOf('bob'), [other.id]);
    assert.deepEqual(await one.idsOf('eve'), []);
  }
  await clock.advance(hour - 1_000);
  assert.deepEqual(await results.idsOf('ann'), [second.id]);
});

test('folders and files are for the owner of the process alone', { skip: process.platform === 'win32' }, async (t) => {
  const { results, kept, see } = await resultsFor(t);
  const { id } = await results.keep(text(lines(3_000)), owner);
  await see(id, { page: 2 });
  assert.equal(statSync(join(kept, id)).mode & 0o777, 0o700);
  const files = readdirSync(join(kept, id));
  assert.deepEqual(files.sort(), ['frame.json', 'manifest.json', 'pages-1.json', 'part-1']);
  for (const file of files) assert.equal(statSync(join(kept, id, file)).mode & 0o777, 0o600);
});

test('results outlive a restart; what was half written, expired or broken is removed then', async (t) => {
  const { results, kept, clock, open, live } = await resultsFor(t);
  live.resultTtlMinutes = 10;
  const short = await results.keep(text(lines(3_000)), owner);
  live.resultTtlMinutes = 60;
  const { id } = await results.keep(text(lines(3_000)), owner);
  results.close();
  mkdirSync(join(kept, '.new-half'));
  writeFileSync(join(kept, '.new-half', 'part-1'), 'half');
  mkdirSync(join(kept, 'B'.repeat(22)));
  writeFileSync(join(kept, 'B'.repeat(22), 'manifest.json'), '{"id":');
  const next = open();
  next.open();
  assert.equal(readdirSync(kept).length, 4, 'a start looks at nothing');
  assert.match((await next.read(id, 'ann', {})).text, /^The result of shop:list/);
  await clock.advance(20 * 60_000);
  while (readdirSync(kept).length > 1) await new Promise(setImmediate);
  assert.deepEqual(readdirSync(kept), [id]);
  await assert.rejects(next.read(short.id, 'ann', {}), NoSuchResultError);
  next.close();
});

test('over the limit the oldest go first; what alone is over it is refused and leaves nothing', async (t) => {
  const { results, kept, live } = await resultsFor(t, { resultStoreBytes: 250_000 });
  const ids: string[] = [];
  for (let at = 0; at < 4; at += 1) ids.push((await results.keep(text('x'.repeat(100_000)), owner)).id);
  assert.deepEqual(new Set(readdirSync(kept)), new Set(ids.slice(2)));
  for (const value of ['y'.repeat(300_000), long('y'.repeat(300_000), t)]) {
    const refused = results.keep(text(value), owner);
    await assert.rejects(refused, (error: unknown) => error instanceof GatewayError && error.code === 'TOO_LARGE');
  }
  assert.deepEqual(new Set(readdirSync(kept)), new Set(ids.slice(2)));
  live.resultStoreBytes = 1_000_000;
  const many = await Promise.all(Array.from({ length: 12 }, () => results.keep(text('z'.repeat(100_000)), owner)));
  assert.equal(many.length, 12);
  assert.ok(readdirSync(kept).length <= 10);
});

test('a disk that takes nothing is told as such, and nothing is left half done', async (t) => {
  const { results, folder } = await resultsFor(t);
  writeFileSync(join(folder, 'kept'), 'a file where the folder should be');
  await assert.rejects(results.keep(text(lines(3_000)), owner), (error: unknown) => {
    return error instanceof GatewayError && error.code === 'STORE_BROKEN' && /Can't store or read/.test(error.message);
  });
});

test('mistakes in what is asked for are told with what there is', async (t) => {
  const { results } = await resultsFor(t);
  const { id } = await results.keep(text(lines(3_000)), owner);
  const read = (view: ResultView) => results.read(id, 'ann', view);
  await invalid(read({ page: 99 }), /no page 99: part 1 has 4 pages/);
  await invalid(read({ part: 7 }), /no part 7: the result has only part 1/);
  await invalid(read({ lines: { from: 9_999, to: 10_000 } }), /no line 9999: part 1 has 3000 lines/);
  await invalid(read({ path: '$.a' }), /holds no JSON/);
  await invalid(read({ find: 'line', page: 9_999 }), /no page 9999: the matches .* fill \d+ pages/);
});

test('smaller answers than before are cut anew, and stay within what is allowed', async (t) => {
  const { results, see, live } = await resultsFor(t);
  const { id } = await results.keep({ content: [], structuredContent: { rows: rows(3_000) } }, owner);
  for (const limit of [20_000, 4_000, 1_000]) {
    live.maxResultBytes = limit;
    for (const view of [{}, { page: 2 }, { find: 'item' }, { path: '$.rows[*].name' }, { path: '$.rows' }]) {
      const size = jsonSize({ contents: [{ uri: 'x'.repeat(60), mimeType: 'text/plain', text: await see(id, view) }] });
      assert.ok(size <= limit, `${JSON.stringify(view)} takes ${size} of ${limit}`);
    }
  }
});
