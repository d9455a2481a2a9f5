/** Mutants change only code, not types, texts or comments. Each is one change at its stated place. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canRun, findMutants } from './find-mutants.ts';

/** Each mutant as the whole source. */
function mutated(source: string): string[] {
  return findMutants('a.ts', source).map(({ start, end, after }) => source.slice(0, start) + after + source.slice(end));
}

test('operators, numbers, flags and methods are exchanged', () => {
  const changes: readonly (readonly [string, readonly string[]])[] = [
    ['const a = b < c;', ['const a = b <= c;', 'const a = b > c;']],
    ['const a = b && c;', ['const a = b || c;']],
    ['const a = b ?? c;', ['const a = b || c;']],
    ['const a = b ?? [];', ['const a = b && [];']],
    ['const a = !true;', ['const a = true;', 'const a = !false;']],
    ['const a = [0, 5];', ['const a = [1, 5];', 'const a = [0, 6];', 'const a = [0, 4];']],
    ['const a = b ? c : d;', ['const a = !(b) ? c : d;']],
    ['const a = b.some(c);', ['const a = b.every(c);']],
    ['const a = await b;', ['const a =  b;']],
  ];
  for (const [source, mutants] of changes) assert.deepEqual(mutated(source), mutants);
});

test('a statement is removed, but not the last return of a function', () => {
  assert.deepEqual(mutated('b();'), [';']);
  assert.deepEqual(mutated('function a(b) { if (b) return c; return d; }'), ['function a(b) { if (b) ; return d; }']);
});

test('types, texts, comments and large numbers stay', () => {
  assert.deepEqual(mutated("type A = 1 | true;\nconst a: Map<2, B> = 'b < c' as D; // !e\n"), []);
  assert.deepEqual(mutated("const a = 'b' + c + 5_000;"), []);
});

test('a change elsewhere in the file keeps the id of a mutant, and equal lines have different ids', () => {
  const ids = (source: string) => findMutants('a.ts', source).map(({ id }) => id);
  const line = 'a(!b);\n';
  assert.deepEqual(ids(`\n\n${line}`), ids(line));
  assert.equal(new Set(ids(line + line)).size, 2 * ids(line).length);
});

test('a mutant that does not parse is recognised', () => {
  assert.deepEqual([canRun('const a = b ?? c ?? d;'), canRun('const a = b ?? c || d;')], [true, false]);
});
