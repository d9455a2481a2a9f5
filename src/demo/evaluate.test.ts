/** The expression parser: what it computes, and how it refuses what it cannot. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { evaluate } from './evaluate.ts';
import { ToolRefusal } from './tool.ts';

function computes(cases: Readonly<Record<string, number>>): void {
  for (const [expression, value] of Object.entries(cases)) assert.equal(evaluate(expression), value, expression);
}

function refuses(expression: string, message: RegExp): void {
  assert.throws(
    () => evaluate(expression),
    (error) => error instanceof ToolRefusal && message.test(error.message),
    expression,
  );
}

test('products bind tighter than sums, and both group to the left', () => {
  computes({ '2 + 3 * 4': 14, '(2 + 3) * 4': 20, '10 - 4 - 3': 3, '24 / 4 / 2': 3, '17 % 5 + 1': 3, '2*3%4': 2 });
});

test('powers bind tightest and group to the right', () => {
  computes({ '2 * 3 ^ 2': 18, '2 ^ 3 ^ 2': 512, '2 ** 10': 1024, '2 ^ -1': 0.5, '4 ^ 0.5': 2 });
});

test('a sign binds tighter than a product and less tightly than a power', () => {
  computes({ '-2 ^ 2': -4, '(-2) ^ 2': 4, '-3 * -2': 6, '5 - -2': 7, '--4': 4, '+3': 3, '2 - +2': 0, '-(1 + 2)': -3 });
});

test('numbers, constants and functions are read in their usual forms', () => {
  computes({ '.5 + 1.': 1.5, '1.5e3': 1500, '2E-2': 0.02, pi: Math.PI, 'PI * 2': Math.PI * 2, e: Math.E });
  computes({ 'sqrt(16) + abs(-2)': 6, 'log(1000)': 3, 'ln(e)': 1, 'floor(2.9) + ceil(2.1)': 5, 'sqrt(sqrt(81))': 3 });
  computes({ '6 × 7': 42, '9 ÷ 3': 3, '5 − 2': 3 });
});

test('division by zero is refused, in every disguise', () => {
  for (const expression of ['1 / 0', '1 / (2 - 2)', '5 % 0', '1 / -0', '0 / 0']) refuses(expression, /divides by zero/);
});

test('results that are no finite real numbers are refused', () => {
  refuses('sqrt(-1)', /not a real number/);
  refuses('9 ^ 9 ^ 9', /too large/);
  refuses('0 ^ -1', /too large/);
});

test('junk is refused where it stands', () => {
  refuses('2 + $', /^"\$" at character 5 is not expected there\.$/);
  refuses('2 3', /"3" at character 3/);
  refuses('1.2.3', /"\.3" at character 4/);
  refuses('2 * (3 + 4', /ends too early/);
  refuses('2 + 3)', /"\)" at character 6/);
  refuses('()', /"\)" at character 2/);
  refuses('* 2', /"\*" at character 1/);
  refuses('2 +', /ends too early/);
  refuses('   ', /ends too early/);
  refuses('2pi', /"pi" at character 2/);
  refuses('sqrt 4', /After "sqrt" there must be parentheses/);
});

test('names reach nothing but the functions and constants', () => {
  for (const name of ['process', 'constructor', 'toString', 'eval(1)', '__proto__', 'globalThis']) {
    refuses(name, /There is no function or constant|is not expected there/);
  }
});

test('long and deep expressions are refused', () => {
  const nested = (depth: number) => `${'('.repeat(depth)}1${')'.repeat(depth)}`;
  assert.equal(evaluate(nested(99)), 1);
  refuses(nested(100), /nested deeper than 100 levels/);
  refuses('-'.repeat(200), /nested deeper/);
  refuses(Array(200).fill('1').join('^'), /nested deeper/);
  assert.equal(evaluate(Array(500).fill('1').join('+')), 500);
  refuses(Array(501).fill('1').join('+'), /longer than 1000 characters/);
});

test('any text gives a finite number or a refusal', () => {
  const pieces = fc.array(fc.constantFrom(...'0123456789.e+-*/%^() pisqrt$'.split(''))).map((list) => list.join(''));
  fc.assert(
    fc.property(fc.oneof(pieces, fc.string()), (text) => {
      try {
        assert.ok(Number.isFinite(evaluate(text)));
      } catch (error) {
        assert.ok(error instanceof ToolRefusal, String(error));
      }
    }),
  );
});
