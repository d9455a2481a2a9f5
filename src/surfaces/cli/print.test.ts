/** Tests of what is printed: errors for people and programs, and JSON that cannot steer a terminal. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../../base/errors.ts';
import { toPrintableJson, writeError, writeText } from './print.ts';

function written(act: (output: { write(text: string): void }) => void): string {
  let text = '';
  act({ write: (part) => (text += part) });
  return text;
}

test('an error is a sentence and a hint', () => {
  const error = new GatewayError('SERVER_NOT_FOUND', 'There is no server "a\u001b[31m".', { hint: 'Look\naround.' });
  const text = written((output) => writeError(output, error, false));
  assert.equal(text, 'There is no server "a[31m".\nhint: Look around.\n');
});

test('for programs an error is one line of JSON', () => {
  const error = new GatewayError('USAGE', 'Two\nlines.', { hint: 'Do.' });
  const text = written((output) => writeError(output, error, true));
  assert.equal(text, '{"error":{"code":"USAGE","message":"Two\\nlines.","hint":"Do."}}\n');
  const bare = written((output) => writeError(output, new GatewayError('USAGE', 'No hint.'), true));
  assert.deepEqual(JSON.parse(bare), { error: { code: 'USAGE', message: 'No hint.' } });
});

test('a bug is not blamed on the user', () => {
  const text = written((output) => writeError(output, new TypeError('x is not a function'), true));
  const { error } = JSON.parse(text);
  assert.equal(error.code, 'INTERNAL');
  assert.match(error.message, /Internal error: x is not a function/);
});

test('JSON holds the same value without control characters', () => {
  const value = { text: '\u001b[31m \u009b31m \u202e \u200b naïve 日本語' };
  const text = toPrintableJson(value, 2);
  assert.doesNotMatch(text.replaceAll('\n', ''), /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e]/);
  assert.deepEqual(JSON.parse(text), value);
  assert.equal(toPrintableJson(undefined, 0), 'null');
});

test('text ends with exactly one line break, and nothing is printed for nothing', () => {
  assert.equal(
    written((output) => writeText(output, 'a')),
    'a\n',
  );
  assert.equal(
    written((output) => writeText(output, 'a\n')),
    'a\n',
  );
  assert.equal(
    written((output) => writeText(output, '')),
    '',
  );
});
