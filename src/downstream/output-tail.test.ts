/** The tail of a server's output: bounded, printable, and never with a secret in it, not even half of one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutputTail } from './output-tail.ts';

const secret = 'hunter2-hunter2-hunter2';

test('what is short is kept as it is, without control characters', () => {
  const tail = new OutputTail(1_000, []);
  tail.push('one\r\n\u001b[31mtwo\u001b[0m\n');
  tail.push('\n  \nthree\n');
  assert.equal(tail.read(), 'one\n[31mtwo[0m\n\n  \nthree');
  assert.deepEqual(tail.lastLines(2), ['[31mtwo[0m', 'three']);
});

test('only the end of a long output is kept', () => {
  const tail = new OutputTail(1_000, []);
  for (let at = 0; at < 5_000; at += 1) tail.push(`line ${at}\n`);
  assert.ok(tail.read().length <= 1_000);
  assert.deepEqual(tail.lastLines(1), ['line 4999']);
  tail.push('x'.repeat(100_000));
  assert.ok(tail.read().length <= 1_000);
});

test('secrets are masked, whether they came in one piece or two', () => {
  const tail = new OutputTail(1_000, [secret]);
  tail.push(`token ${secret.slice(0, 9)}`);
  tail.push(`${secret.slice(9)} end\n`);
  assert.equal(tail.read(), 'token *** end');
});

test('a secret that was cut in two at the start leaves no half behind', () => {
  for (let at = 1; at < secret.length; at += 1) {
    for (const rest of ['\nlast line\n', ` ${'y'.repeat(700)}\n`, ` ${'y'.repeat(700)}`]) {
      const tail = new OutputTail(secret.length - at + rest.length, [secret]);
      tail.push('earlier\n');
      tail.push(`${secret}${rest}`);
      assert.ok(!tail.read().includes(secret.slice(-6)), `cut at ${at}: ${tail.read().slice(0, 40)}`);
    }
  }
});

test('a whole chunk that falls away takes its half of a secret with it', () => {
  const tail = new OutputTail(60, [secret]);
  tail.push(`${'-'.repeat(40)}${secret.slice(0, 12)}`);
  tail.push(`${secret.slice(12)}\nand so on\n`);
  tail.push('the end\n');
  assert.ok(!tail.read().includes('hunter2'));
  assert.match(tail.read(), /the end$/);
});
