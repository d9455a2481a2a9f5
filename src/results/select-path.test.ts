/** Paths: what is selected in chunks is what a plain walk over the parsed value selects. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { type PathStep, parsePath, pathOfKeys } from './json-path.ts';
import { selectPath } from './select-path.ts';

async function* inPieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function select(value: unknown, steps: readonly PathStep[], size = 7): Promise<unknown[]> {
  const found: unknown[] = [];
  const text = JSON.stringify(value, null, 1);
  await selectPath(() => inPieces(text, size), steps, {
    keepBytes: Number.POSITIVE_INFINITY,
    onValue: (spot, kept) => {
      assert.equal(kept?.toString(), Buffer.from(text).toString('utf8', spot.start, spot.end));
      found.push(JSON.parse(kept?.toString() ?? ''));
    },
  });
  return found;
}

function walk(value: unknown, [step, ...rest]: readonly PathStep[]): unknown[] {
  if (!step) return [value];
  return next(value, step).flatMap((item) => walk(item, rest));
}

function next(value: unknown, step: PathStep): unknown[] {
  if (step.kind === 'all') return typeof value === 'object' && value !== null ? Object.values(value) : [];
  if (step.kind === 'key') return isObject(value) && Object.hasOwn(value, step.key) ? [value[step.key]] : [];
  if (!Array.isArray(value)) return [];
  if (step.kind === 'slice') return value.slice(step.from, step.to ?? undefined);
  const at = step.index < 0 ? step.index + value.length : step.index;
  return at >= 0 && at < value.length ? [value[at]] : [];
}

test('a path selects the same as a walk over the whole value, wherever chunks end', async () => {
  const key = fc.constantFrom('a', 'b', 'rows', 'é "x"');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 5 }),
      fc.dictionary(key, tie('value'), { noNullPrototype: true }),
    ),
  }));
  const near = fc.integer({ min: -4, max: 4 });
  const step: fc.Arbitrary<PathStep> = fc.oneof(
    fc.record({ kind: fc.constant('key' as const), key }),
    fc.record({ kind: fc.constant('index' as const), index: near }),
    fc.record({ kind: fc.constant('slice' as const), from: near, to: fc.option(near) }),
    fc.constant({ kind: 'all' as const }),
  );
  const steps = fc.array(step, { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(value, steps, fc.integer({ min: 1, max: 40 }), async (given, path, size) => {
      assert.deepEqual(await select(given, path, size), walk(given, path));
    }),
    { numRuns: 1_500 },
  );
});

test('a path that leads nowhere is not followed any further', async () => {
  let reads = 0;
  const text = JSON.stringify({ rows: [{ a: 1 }] });
  const read = () => {
    reads += 1;
    return inPieces(text, 7);
  };
  await selectPath(read, parsePath('$.rows[-1][-1][-1][-1]'), { keepBytes: 100, onValue: () => assert.fail() });
  assert.equal(reads, 2);
});

test('paths are read as they are usually written', async () => {
  const value = { rows: [{ name: 'a' }, { name: 'b' }, { name: 'c' }], 'odd key': { "it's": 1 } };
  const cases: [string, unknown[]][] = [
    ['$', [value]],
    ['$.rows[0].name', ['a']],
    ['rows[-1].name', ['c']],
    ['$.rows[0:2].name', ['a', 'b']],
    ['$.rows[-2:].name', ['b', 'c']],
    ['$.rows[:-2].name', ['a']],
    ['$.rows[*].name', ['a', 'b', 'c']],
    ["$['odd key']['it\\'s']", [1]],
    ['$["odd key"].*', [1]],
    ['$.nothing', []],
  ];
  for (const [path, expected] of cases) assert.deepEqual(await select(value, parsePath(path)), expected, path);
});

test('the path that leads along keys can be read again', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { maxLength: 4 }), (keys) => {
      assert.deepEqual(
        parsePath(pathOfKeys(keys)),
        keys.map((key) => ({ kind: 'key', key })),
      );
    }),
  );
});

test('unknown syntax is refused with the known', () => {
  for (const path of ['$..name', '$.rows[?(@.a)]', '$.rows[0,1]', '$[1:2:3]', "$['a", '$.', '$[', '$ x', '$[1.5]']) {
    assert.throws(
      () => parsePath(path),
      (error: unknown) =>
        error instanceof GatewayError && error.code === 'ARGUMENTS_INVALID' && /\[0:20\]/.test(error.hint ?? ''),
      path,
    );
  }
  assert.throws(() => parsePath(`$${'.a'.repeat(300)}`), /at most 500 characters/);
  assert.throws(() => parsePath('$[-1][-1:][:-1].a[-1][-2]'), /at most 4 steps that count from the end/);
});
