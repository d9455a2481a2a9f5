/** The scanner: the same values at the same places wherever the text is cut, and nothing taken for JSON that is none. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/kit/any-character.ts';
import { JsonLimitError, maxJsonDepth } from './json.ts';
import {
  type JsonKind,
  JsonScanner,
  type JsonSpot,
  type JsonTreatment,
  type JsonVisitor,
  scanJson,
} from './json-scan.ts';

interface Told extends JsonSpot {
  readonly kept: string | undefined;
}

class Listener implements JsonVisitor {
  readonly starts: JsonSpot[] = [];
  readonly ends: Told[] = [];
  readonly keepBytes: number;
  readonly #treat: (spot: JsonSpot) => JsonTreatment;

  constructor(treat: (spot: JsonSpot) => JsonTreatment = () => 'open', keepBytes = 1_000_000) {
    this.#treat = treat;
    this.keepBytes = keepBytes;
  }

  onStart(spot: JsonSpot): JsonTreatment {
    this.starts.push({ ...spot });
    return this.#treat(spot);
  }

  onEnd(spot: JsonSpot, kept: Buffer | undefined): void {
    this.ends.push({ ...spot, kept: kept?.toString('utf8') });
  }
}

/** Cuts bytes at places that a list of sizes names, over and over. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

function scan(text: string, sizes: readonly number[], listener: Listener): Listener {
  const scanner = new JsonScanner(listener);
  for (const chunk of cut(Buffer.from(text), sizes)) scanner.push(chunk);
  scanner.end();
  return listener;
}

const anyText = fc.tuple(
  fc.json({ stringUnit: anyCharacter, maxDepth: 5 }),
  fc.constantFrom('', ' ', '\n\t', '\r\n  '),
  fc.constantFrom(undefined, 2),
);
const spaced = anyText.map(([json, around, indent]) => {
  return `${around}${JSON.stringify(JSON.parse(json), undefined, indent)}${around}`;
});
const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });

function kindOf(value: unknown): JsonKind {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as JsonKind);
}

/** Every value of a document in the order in which they end, with its place. */
function valuesOf(value: unknown, depth = 0, key: string | undefined = undefined, index = 0): unknown[] {
  const entries: [string | undefined, unknown][] = Array.isArray(value)
    ? value.map((item) => [undefined, item])
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [];
  const inner = entries.flatMap(([name, member], at) => valuesOf(member, depth + 1, name, at));
  return [...inner, { kind: kindOf(value), depth, key, index, value }];
}

test('every value is told with its kind, its place and the bytes that make it up, wherever the text is cut', () => {
  fc.assert(
    fc.property(spaced, sizes, (text, at) => {
      const bytes = Buffer.from(text);
      const { ends, starts } = scan(text, at, new Listener());
      const told = ends.map(({ kind, depth, key, index, start, end }) => {
        return { kind, depth, key, index, value: JSON.parse(bytes.toString('utf8', start, end)) };
      });
      assert.deepEqual(told, valuesOf(JSON.parse(text)));
      assert.equal(starts.length, ends.length);
      assert.ok(starts.every((spot, turn) => turn === 0 || spot.start > (starts[turn - 1]?.start ?? 0)));
    }),
    { numRuns: 500 },
  );
});

test('the text of a value is kept; one that is too long is reported without it', () => {
  fc.assert(
    fc.property(spaced, sizes, fc.integer({ min: 1, max: 20 }), (text, at, most) => {
      const bytes = Buffer.from(text);
      const listener = scan(text, at, new Listener((spot) => (spot.depth === 1 ? 'keep' : 'open'), most));
      for (const { depth, start, end, kept } of listener.ends) {
        const isKept = depth === 1 && end - start <= most;
        assert.equal(kept, isKept ? bytes.toString('utf8', start, end) : undefined);
      }
      assert.ok(listener.ends.every(({ depth }) => depth < 2));
    }),
  );
});

test('skipped values are counted and checked, but not reported', () => {
  const listener = new Listener(({ key }) => (key === 'deep' ? 'skip' : 'open'));
  const scanner = new JsonScanner(listener);
  scanner.push(Buffer.from('{"deep":[1,{"a":[2]}],"b":3}'));
  scanner.end();
  assert.deepEqual(
    listener.ends.map(({ key }) => key),
    ['deep', 'b', undefined],
  );
  assert.equal(scanner.values, 7);
  assert.throws(() => scan('{"deep":[1,{"a":[2}],"b":3}', [4], new Listener(({ key }) => (key ? 'skip' : 'open'))));
});

test('the scanner accepts and refuses the same texts as JSON.parse', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '\\',
    'u12',
    '\n',
    ' ',
    '-',
    '0',
    '12',
    '.',
    'e',
    '+',
    '\u0001',
  ];
  const words = ['true', 'false', 'null', 'nul', 'é', '1.5e-3', '{"a":1}', '[]'];
  const nearly = fc.array(fc.constantFrom(...pieces, ...words), { maxLength: 8 }).map((parts) => parts.join(''));
  const mutated = fc.tuple(spaced, fc.nat(), fc.constantFrom(...pieces)).map(([text, at, piece]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + piece + text.slice(place + 1);
  });
  fc.assert(
    fc.property(fc.oneof(nearly, mutated), sizes, (text, at) => {
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      if (isJson) scan(text, at, new Listener());
      else assert.throws(() => scan(text, at, new Listener()), SyntaxError, text);
    }),
    { numRuns: 2_000 },
  );
});

test('nesting and names that are too much are refused as such', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  scan(nested(maxJsonDepth), [100], new Listener(() => 'skip'));
  assert.throws(() => scan(nested(maxJsonDepth + 1), [100], new Listener(() => 'skip')), JsonLimitError);
  const named = JSON.stringify({ ['n'.repeat(70_000)]: 1 });
  for (const size of [1_000, 100_000]) {
    assert.throws(() => scan(named, [size], new Listener()), JsonLimitError);
    scan(named, [size], new Listener(() => 'skip'));
  }
});

test('a scan of chunks gives way between them, and ends early when nothing more matters', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  let read = 0;
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const chunk of cut(Buffer.from(JSON.stringify(Array.from({ length: 100 }, (_, at) => at))), [10])) {
      read += 1;
      yield chunk;
    }
  }
  const listener = new Listener();
  await scanJson(chunks(), listener);
  isOver = true;
  assert.equal(listener.ends.length, 101);
  assert.ok(turns > 20, `${turns} turns`);
  const all = read;
  read = 0;
  const first: JsonVisitor & { isDone: boolean } = {
    isDone: false,
    onStart: () => 'open',
    onEnd() {
      this.isDone = true;
    },
  };
  await scanJson(chunks(), first);
  assert.ok(read < all / 2, `${read} of ${all} chunks were read`);
});
