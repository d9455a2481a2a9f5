/** A large result becomes a short header and about a quarter of the limit, cut where it makes sense, with a notice. */

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { anyCharacter } from '../../test/kit/any-character.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { jsonSize } from '../base/json.ts';
import { silentLog } from '../base/log.ts';
import type { Result } from '../protocol/messages.ts';
import { LongValue } from './long-value.ts';
import { cutResult, isOver, type ShapeOptions, shapeResult } from './shape-result.ts';
import { SpoolFile } from './spool-file.ts';
import { StoredResults } from './stored-results.ts';

const usual: ShapeOptions = { maxBytes: 20_000, keepsStructured: false, canExecute: true, knowsLinks: true };
const tokensOf = (text: string) => encode(text, { disallowedSpecial: new Set() }).length;
const headerOf = (text: string) => text.split('\n\n', 1)[0] ?? '';

interface Block {
  readonly type: string;
  readonly text: string;
  readonly uri: string;
  readonly annotations: unknown;
}

async function shaperFor(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'shape-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const settings = () => ({ maxResultBytes: 20_000, resultTtlMinutes: 60, resultStoreBytes: 500_000_000 });
  const results = new StoredResults({ folder, clock: new ManualClock(), log: silentLog, settings });
  return async (result: Result, options: Partial<ShapeOptions> = {}) => {
    const kept = await results.keep(result, { principal: 'ann', toolKey: 'shop:list' });
    return { kept, shaped: await shapeResult(result, kept, { ...usual, ...options }) };
  };
}

function long(text: string, kind: 'string' | 'object', t: TestContext): LongValue {
  const path = join(tmpdir(), `shape-${process.pid}-${Math.random()}`);
  const file = new SpoolFile({ path, onGrow: () => {}, onReleased: () => {} });
  t.after(() => file.release());
  file.append(Buffer.from(text));
  return new LongValue(kind, file, 0, file.size);
}

const blocksOf = (result: Result) => result.content as Block[];
const textOf = (result: Result) => blocksOf(result)[0]?.text ?? '';
const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `item ${id}`, price: id / 4 }));
const say = (text: unknown): Result => ({ content: [{ type: 'text', text }] });

test('rows: the header tells what it is and how to read on, the preview ends after a whole row', async (t) => {
  const shape = await shaperFor(t);
  const value = { total: 50_000, rows: rows(50_000) };
  const { shaped, kept } = await shape({ ...say(JSON.stringify(value)), structuredContent: value });
  const text = textOf(shaped);
  assert.match(text, /^The result of shop:list is large: 5\.\d MB\. This is only the beginning\.\n/);
  assert.match(text, /50000 rows at \$\.rows; keys: total, rows/);
  assert.ok(text.includes(`stored until 2026-01-01T01:00:00.000Z at the latest, at ${kept.uri} `));
  assert.ok(text.includes(`{"toolKey":"toolcrib:read_result","arguments":{"id":"${kept.id}","page":1}}`));
  assert.match(text, /\n\{"total":50000,"rows":\[\n\{"id":0,"name":"item 0","price":0\}\n/);
  const shown = Number(/\[Cut here: (\d+) of 50000 rows are shown\.\]$/.exec(text)?.[1]);
  assert.ok(text.includes(`"id":${shown - 1},`) && !text.includes(`"id":${shown},`));
  assert.ok(tokensOf(headerOf(text)) <= 500);
  const preview = jsonSize(text) - jsonSize(headerOf(text));
  assert.ok(preview > 4_500 && preview <= 5_000, `${preview} of 20000 bytes`);
  assert.equal(shaped.structuredContent, undefined);
  assert.match(text, /Left out here: structuredContent\./);
  assert.equal(blocksOf(shaped)[1]?.type, 'resource_link');
  assert.equal(blocksOf(shaped)[1]?.uri, kept.uri);
});

test('lines: whole ones; where one is too long, its beginning', async (t) => {
  const shape = await shaperFor(t);
  const many = Array.from({ length: 5_000 }, (_, at) => `${at}: a line of a log`).join('\n');
  const { shaped } = await shape(say(many));
  assert.match(textOf(shaped), /\n0: a line of a log\n1: a line of a log\n/);
  assert.match(textOf(shaped), /\d+: a line of a log\n\[Cut here: \d+ of 5000 lines are shown\.\]$/);
  const one = await shape(say('word '.repeat(100_000)));
  assert.match(textOf(one.shaped), /word word.*…\n\[Cut here, inside it\.\]$/);
});

test('structured content that repeats the text counts once, and is shown once', async (t) => {
  const text = Array.from({ length: 900 }, (_, at) => `${at}: a line of a file`).join('\n');
  const list = [{ id: 1 }, { id: 2, name: text }];
  const block = { type: 'text', text };
  const results: readonly Result[] = [
    { ...say(text), structuredContent: { content: text } },
    { ...say(text), structuredContent: { result: text, isWhole: true } },
    { ...say(text), structuredContent: { content: [block] } },
    { ...say(JSON.stringify(list, null, 2)), structuredContent: { result: list } },
    { ...say(JSON.stringify({ list })), structuredContent: { list } },
    {
      content: list.map((item) => ({ type: 'text', text: JSON.stringify(item) })),
      structuredContent: { result: list },
    },
  ];
  const shape = await shaperFor(t);
  for (const [at, result] of results.entries()) {
    const { structuredContent: _, ...once } = result;
    const bytes = jsonSize(once);
    assert.ok(!isOver(result, bytes + 200) && isOver(result, bytes - 200), `result ${at}`);
    const { shaped } = await shape(result, { maxBytes: bytes / 2 });
    const copy = (once.content as readonly unknown[]).length + 1;
    assert.ok(!textOf(shaped).includes(`\nPart ${copy}:\n`), `result ${at} is shown once`);
  }
  const other = { ...say(text), structuredContent: { content: text.replace('899', '898') } };
  assert.ok(isOver(other, jsonSize(say(text)) + 200), 'another text is no copy');
  const { shaped } = await shape({ ...say(text.repeat(4)), structuredContent: { content: text.repeat(4) } });
  assert.match(textOf(shaped), /\nPart 2: JSON structuredContent, \d+\.\d kB, which says the same\.\n/);
  const paged = await shape({
    ...say(text.repeat(4)),
    structuredContent: { content: text.repeat(4), nextCursor: 'c2' },
  });
  assert.match(textOf(paged.shaped), /which says the same, .*keys: content, nextCursor\.\n/);
  assert.match(
    textOf(shaped),
    /\n\n0: a line of a file\n[\s\S]*a line of a file\n\[Cut here: \d+ of 3597 lines are shown\.\]$/,
  );
});

test('small first blocks are shown whole, and the rest is named', async (t) => {
  const shape = await shaperFor(t);
  const data = Buffer.alloc(60_000, 7).toString('base64');
  const { shaped } = await shape({
    ...say('Here is the picture.'),
    content: [...(say('Here is the picture.').content as []), { type: 'image', data, mimeType: 'image/png' }],
  });
  assert.match(textOf(shaped), /Part 2: image\/png, 60\.0 kB\./);
  assert.match(textOf(shaped), /\n\nHere is the picture\.$/);
});

test('every large result has a header of at most 500 tokens, stays within the limit, and says that it is cut', async (t) => {
  const shape = await shaperFor(t);
  const unit = fc.constantFrom(
    '漢字仮名',
    '한국어',
    '🙂👩‍👩‍👧',
    'QmFzZTY0+/',
    ' ',
    '\n',
    '"',
    '\\',
    'ъыь',
    '\u0001',
    'zqxjk',
    '{"a":[1,',
    '﷽',
    '0x1f',
    'word ',
  );
  const nasty = fc.array(unit, { minLength: 1, maxLength: 12 }).map((parts) => parts.join('').repeat(6_000));
  const content = fc.oneof(
    nasty.map(say),
    fc
      .array(nasty, { minLength: 2, maxLength: 9 })
      .map((texts) => ({ content: texts.map((text) => ({ type: 'text', text })) })),
    nasty.map((text) => ({
      content: [],
      structuredContent: { [text.slice(0, 300)]: text, [text.slice(0, 50)]: [text] },
    })),
    nasty.map((text) => ({
      content: [{ type: 'resource', resource: { uri: text.slice(0, 500), text } }],
      _meta: { text: text.slice(0, 900) },
    })),
  );
  const limit = fc.constantFrom(3_000, 20_000);
  await fc.assert(
    fc.asyncProperty(content, limit, fc.boolean(), async (result: Result, maxBytes, isKept) => {
      const options = { ...usual, maxBytes };
      const shaped = isKept
        ? (await shape(result, options)).shaped
        : await cutResult(result, `The disk is full: ${JSON.stringify(result).slice(0, 300)}`, options);
      const text = textOf(shaped);
      assert.ok(tokensOf(headerOf(text)) <= 500, `${tokensOf(headerOf(text))} tokens`);
      assert.ok(jsonSize(text) - jsonSize(headerOf(text)) <= maxBytes / 4);
      assert.ok(jsonSize(shaped) <= maxBytes, `${jsonSize(shaped)} of ${maxBytes} bytes`);
      assert.ok(text.isWellFormed() && text.includes('This is only the beginning.'));
      assert.equal(text.includes('could NOT be stored'), !isKept);
    }),
    { numRuns: 150 },
  );
});

test('under the smallest limit a result still shows how it begins, and one of which nothing can be shown does not claim to', async (t) => {
  const shape = await shaperFor(t);
  const value = { notes: rows(40) };
  const result = { ...say(JSON.stringify(value)), structuredContent: value };
  const { shaped } = await shape(result, { maxBytes: 1_000 });
  assert.match(
    textOf(shaped),
    /This is only the beginning\..*\n\n\{"notes":\[\n\{"id":0.*\[Cut here: \d+ of 40 rows are shown\.\]$/s,
  );
  const blob = { uri: 'file:///a.bin', blob: Buffer.alloc(30_000).toString('base64') };
  const { shaped: bytes } = await shape({ content: [{ type: 'resource', resource: blob }] });
  assert.match(textOf(bytes), /^The result of shop:list is large: \d+\.\d kB\. It is not shown here\.\n/);
});

test('blocks of ours say whom they are for', async (t) => {
  const shape = await shaperFor(t);
  const { shaped } = await shape(say('one two three '.repeat(3_000)), { canExecute: false });
  for (const { text, annotations } of blocksOf(shaped)) {
    const isLong = (text ?? '').length > 2_000;
    assert.deepEqual(annotations, isLong ? { audience: ['assistant'], priority: 0.3 } : { priority: 0.7 });
  }
  assert.doesNotMatch(textOf(shaped), /tool_execute/);
  const bare = await shape(say('x'.repeat(30_000)), { knowsLinks: false });
  assert.equal(blocksOf(bare.shaped).length, 1);
});

test('an agent with programs instead of tool_execute is shown how to load the rest in one', async (t) => {
  const shape = await shaperFor(t);
  const { shaped } = await shape(say('one two three '.repeat(3_000)), { canExecute: false, canProgram: true });
  assert.match(textOf(shaped), /call_tool_chain with load\('toolcrib:\/\/result\/[^']+'\)/);
  assert.doesNotMatch(textOf(shaped), /tool_execute/);
});

test('members beside the content stay, and ours are added', async (t) => {
  const shape = await shaperFor(t);
  const result = {
    ...say('x'.repeat(30_000)),
    isError: true,
    resultType: 'complete',
    _meta: { 'a/b': 1 },
    own: { x: [1] },
  };
  const { shaped, kept } = await shape(result);
  assert.deepEqual(
    { isError: shaped.isError, type: shaped.resultType, own: shaped.own },
    { isError: true, type: 'complete', own: { x: [1] } },
  );
  assert.deepEqual(shaped._meta, {
    'a/b': 1,
    'toolcrib/result': {
      id: kept.id,
      uri: kept.uri,
      bytes: kept.bytes,
      expiresAt: '2026-01-01T01:00:00.000Z',
      isTruncated: true,
    },
  });
  const written = JSON.stringify(result).length;
  assert.ok(kept.bytes >= written && kept.bytes < written + 10, `${kept.bytes} of ${written}`);
});

test('structured content stays whole where the agent needs it, else only where it is small', async (t) => {
  const shape = await shaperFor(t);
  const value = { rows: rows(3_000) };
  for (const structuredContent of [value, long(JSON.stringify(value), 'object', t)]) {
    const whole = await shape({ content: [], structuredContent }, { keepsStructured: true });
    assert.deepEqual(whole.shaped.structuredContent, value);
  }
  const small = await shape({ ...say('x'.repeat(30_000)), structuredContent: { count: 3 } });
  assert.deepEqual(small.shaped.structuredContent, { count: 3 });
});

test('a result that cannot be kept is cut, and says why', async (t) => {
  for (const text of ['first\n'.repeat(9_000), long(JSON.stringify('first\n'.repeat(9_000)), 'string', t)]) {
    const shaped = await cutResult({ ...say(text), isError: true }, 'The disk is full.', usual);
    assert.match(textOf(shaped), /The rest could NOT be stored: The disk is full\./);
    assert.match(textOf(shaped), /\n\nfirst\nfirst\n(?:first\n)*\[Cut here: /);
    const written = JSON.stringify({ ...say('first\n'.repeat(9_000)), isError: true }).length;
    const { bytes, isTruncated } = (shaped._meta as Record<string, { bytes: number; isTruncated: boolean }>)[
      'toolcrib/result'
    ] as { bytes: number; isTruncated: boolean };
    assert.ok(isTruncated && bytes >= written && bytes < written + 40, `${bytes} of ${written}`);
    assert.equal(shaped.isError, true);
    assert.equal(blocksOf(shaped).length, 1);
  }
});

test('a result is over when its JSON is, what is on disk included', (t) => {
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: anyCharacter, maxDepth: 3 }),
      fc.integer({ min: 10, max: 400 }),
      (value, limit) => {
        const result = { content: [], structuredContent: value };
        const bytes = Buffer.byteLength(JSON.stringify(result));
        if (bytes > limit * 1.1) assert.ok(isOver(result, limit));
        if (bytes * 1.5 < limit) assert.ok(!isOver(result, limit));
      },
    ),
  );
  const onDisk = () => say(long(JSON.stringify('x'.repeat(2_000)), 'string', t));
  assert.ok(isOver(onDisk(), 2_000));
  assert.ok(!isOver(onDisk(), 3_000));
});
