/** Tests of names with wildcards. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isAmong, Pattern } from './pattern.ts';

test('a wildcard stands for any run of characters, and nothing else is special', () => {
  const fits: [string, string][] = [
    ['*', ''],
    ['*', 'anything at all'],
    ['get_*', 'get_'],
    ['get_*', 'get_issue'],
    ['*_issue', 'create_issue'],
    ['get_*_by_*', 'get_user_by_id_by_name'],
    ['a*a', 'aa'],
    ['*.*', 'a.b'],
    ['a**b', 'ab'],
    ['line*', 'line\nbreak'],
    ['exact', 'exact'],
    ['a*b*c*b', 'aXbYcZb'],
  ];
  const misses: [string, string][] = [
    ['', 'a'],
    ['get_*', 'forget_it'],
    ['get_*', 'GET_issue'],
    ['a*a', 'a'],
    ['*ab*ab', 'ab'],
    ['get.x', 'getAx'],
    ['[a-z]*', 'abc'],
    ['exact', 'exactly'],
    ['a?c', 'abc'],
    ['a*b*c', 'acb'],
  ];
  for (const [pattern, name] of fits) assert.ok(isAmong([pattern], name), `${pattern} ${name}`);
  for (const [pattern, name] of misses) assert.ok(!isAmong([pattern], name), `${pattern} ${name}`);
});

test('patterns are matched in time that grows with their lengths', () => {
  const pattern = `${'*a'.repeat(2_000)}b`;
  assert.equal(new Pattern(pattern).matches('a'.repeat(100_000)), false);
});

test('a name is among those that are listed, whatever names there are', () => {
  assert.equal(isAmong(['a', 'b*'], 'b1'), true);
  assert.equal(isAmong(['a', 'b*'], 'a1'), false);
  assert.equal(isAmong([], 'a'), false);
  assert.equal(isAmong(['__proto__'], '__proto__'), true);
  assert.equal(isAmong(['a'], 'constructor'), false);
});

test('of a pattern counts what it says outright', () => {
  const lengths = ['*', 'a*b', '*ab*'].map((text) => new Pattern(text).literalLength);
  assert.deepEqual(lengths, [0, 2, 2]);
});

test('a pattern fits what the expression with the same meaning fits', () => {
  const piece = fc.constantFrom('', 'a', 'b', 'ab', 'ba', '*');
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const name = fc.array(fc.constantFrom('a', 'b'), { maxLength: 10 }).map((letters) => letters.join(''));
  fc.assert(
    fc.property(text, name, (pattern, wanted) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
      assert.equal(isAmong([pattern], wanted), expression.test(wanted));
    }),
    { numRuns: 5_000 },
  );
});
