/** Patterns of strangers: the same answer as the engine's own, in work that grows with the text only as it must. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maxVisits, tamePattern } from './tame-pattern.ts';

const find = (pattern: string, text: string) => tamePattern(pattern)?.find(text).isFound;

test('a pattern of any common kind is decided as the engine would', () => {
  const texts = ['', 'a', 'ab-cd', 'a@b.example', 'A1', '2024-05-01', 'v1.2.3', '#ff00AA', 'über', '😀', 'a\nb', '-x'];
  const patterns = [
    '^[a-z]+(-[a-z]+)*$',
    '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^v?(\\d+)\\.(\\d+)\\.(\\d+)(?:-[0-9A-Za-z-.]+)?$',
    '^#(?:[0-9a-fA-F]{3}){1,2}$',
    '^(?=.*[A-Z])(?=.*\\d).{2,}$',
    '^(?!-)[a-z-]+$',
    '\\bab\\b',
    'a.b',
    '^\\p{L}+$',
    '^.$',
    'a|b|',
    '[\\w.\\-]+',
    '^\\u{1F600}$',
    '^\\uD83D\\uDE00$',
    '^(?<first>a)b?',
    '^[^]$',
    'x{0}y?z*?$',
    '\\-x',
  ];
  for (const pattern of patterns) {
    const flags = pattern === '\\-x' ? '' : 'u';
    for (const text of texts) {
      const found = find(pattern, text);
      const said = `${pattern} on ${JSON.stringify(text)}`;
      // Beyond ASCII not every server decides alike.
      if (found !== undefined || /^\p{ASCII}*$/u.test(text))
        assert.equal(found, new RegExp(pattern, flags).test(text), said);
    }
  }
});

test('a pattern of another dialect is not read as if it were one of ours', () => {
  for (const pattern of [
    '^[[:alnum:]_]+$',
    '[^[:space:]]',
    '[a-z&&[^b]]',
    '[]a]',
    '\\A[a-z]+\\z',
    '^[a-z]+\\Z',
    '^\\p{Greek}+$',
    '[\\p{Greek}]',
    '\\P{IsLatin}',
    '^a\\hb$',
    '\\Ga',
    '\\Qa.b\\E',
    '\\R',
    '\\X',
    '[\\h]',
    '\\x{41}',
    '[\\x{41}]',
    '^a{,3}$',
    '(?i)abc',
    '(?P<n>a)',
  ])
    assert.equal(tamePattern(pattern), undefined, pattern);
  assert.equal(find('^\\\\Z$', '\\Z'), true, 'a backslash that is escaped escapes nothing');
  assert.equal(find('^[\\w-.]+$', 'a-b.c'), true, 'what only the older mode takes is still read');
  assert.equal(find('^{{[a-z]+}}$', '{{a}}'), true);
  assert.equal(find('^{{[a-z]+}}$', '{a}'), false);
});

test('escapes that no mark needs do not change how a pattern is read', () => {
  for (const [pattern, right, wrong] of [
    ['^[\\p{L}\\p{N}_\\-\\.\\@]+$', 'äb-c.d@e1', 'a b'],
    ['^\\p{L}\\-\\@\\#\\ \\"\\_$', 'ä-@# "_', 'ä-@#""_'],
    ['^[a\\-z]$', '-', 'b'],
    ['^[\\!-\\,]$', '#', 'a'],
    ['^a{1\\,2}$', 'a{1,2}', 'aa'],
    ['^\\\\-$', '\\-', '-'],
  ] as const) {
    assert.equal(find(pattern, right), true, pattern);
    assert.equal(find(pattern, wrong), false, pattern);
  }
  assert.equal(tamePattern('(?\\:a)'), undefined);
});

test('patterns that languages read differently stay undecided', () => {
  for (const pattern of ['^\\w+$', '^[\\w-]+$', '\\W', '^\\d+$', '\\bü'])
    assert.equal(find(pattern, 'über'), undefined, pattern);
  assert.equal(find('^[a-z]+$', 'über'), false);
  assert.equal(find('^..$', '😀'), undefined, 'two units, one character');
  assert.equal(find('^.$', '😀'), true);
});

test('patterns that blow up in a backtracking engine are decided within few visits', () => {
  const evil = [
    '^(a+)+$',
    '^((a+)b?)+$',
    'a*a*a*a*a*$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
  ];
  for (const pattern of evil) {
    const result = tamePattern(pattern)?.find(`${'a'.repeat(1_000)}!`);
    assert.equal(result?.isFound, pattern === 'a*a*a*a*a*$', pattern);
    assert.ok((result?.visits ?? 0) < 40_000, `${pattern}: ${result?.visits}`);
  }
  assert.equal(find('^(a+)+$', 'a'.repeat(40)), true);
});

test('patterns that need backtracking are not guessed', () => {
  for (const pattern of ['(a)\\1', '(?<=a)b', '(?<!a)b', '(?<n>a)\\k<n>', '(', '[z-a]', `${'a?'.repeat(1_500)}`])
    assert.equal(tamePattern(pattern), undefined, pattern);
  for (const pattern of [
    '^(a{1,30}){1,99}$',
    '(((){999}){999}){999}',
    '(?:(?:a{99}){99}){99}',
    `${'('.repeat(400)}a${')'.repeat(400)}`,
  ])
    assert.equal(tamePattern(pattern), undefined, pattern.slice(0, 40));
});

test('a text that is too long for a pattern is left undecided after a bounded number of visits', () => {
  const slow = tamePattern('(?=[^]*b)a*c')?.find('a'.repeat(10_000));
  assert.equal(slow?.isFound, undefined);
  assert.equal(find('a', 'a'.repeat(100_000)), undefined);
  assert.ok((slow?.visits ?? 0) <= maxVisits + 2_000);
});

const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\d', '^', '$', '\\b', '\\B', '-', 'é', '😀');
const { pattern: anyPattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(${a}|${b})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?'))
      .map(([a, times]) => `(?:${a})${times}`),
    fc.tuple(fc.constantFrom('(?=', '(?!'), tie('pattern')).map(([look, a]) => `${look}${a})`),
  ),
}));

// Texts without pairs of units: between the two of a pair the engine finds empty matches that are none.
test('every pattern that is understood says what the engine says', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', '1', '-', 'é', '\n'), { maxLength: 6 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(anyPattern, text, (source, given) => {
      const found = find(source, given);
      if (found !== undefined) assert.equal(found, new RegExp(source, 'u').test(given), `${source} on ${given}`);
    }),
    { numRuns: 500 },
  );
});
