/** Arguments in recorded messages: secrets and long texts are hidden wherever they are repeated; other words stay. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hideArguments } from './hide-arguments.ts';

test('words that look like a secret are hidden wherever in the arguments they are, and short plain ones stay', () => {
  const given = {
    path: '/notes/private',
    list: [{ note: 'use key-7f3a9c51 twice' }],
    message: 'the disk is full',
    card: 4_111_111_111_111_111,
  };
  assert.equal(hideArguments('the disk is full', given), 'the disk is full');
  assert.equal(hideArguments('no /notes/private here', given), 'no /notes/private here');
  assert.equal(hideArguments('bad: use key-7f3a9c51 twice', given), 'bad: use *** twice');
  assert.equal(hideArguments('("key-7f3a9c51"), id=key-7f3a9c51&x', given), '("***"), id=***&x');
  assert.equal(hideArguments('card 4111111111111111 is bad', given), 'card *** is bad');
  assert.equal(hideArguments('trace 9a8b7c6d5e is ours', given), 'trace 9a8b7c6d5e is ours');
  assert.equal(hideArguments('as it was', undefined), 'as it was');
});

test('values of members that are named like secrets are hidden, whatever they look like, at any depth', () => {
  const given = { login: { password: 'tulip', api_key: ['garden'] }, SMTP_PASS: 'open sesame' };
  assert.equal(hideArguments('tulip, garden and open sesame', given), '***, *** and ***');
});

test('long values are hidden, also where only their beginning is repeated', () => {
  const letter = 'Dear Ada, the doctor says that it is nothing, and that I may go home on Friday. Yours, Bob';
  const given = { body: letter };
  assert.equal(hideArguments(`cannot send: ${letter}!`, given), 'cannot send: ***!');
  assert.equal(hideArguments(`cannot send: ${letter.slice(0, 50)}… (cut)`, given), 'cannot send: ***… (cut)');
  const page = 'word '.repeat(30_000);
  assert.equal(hideArguments(page, { page }), '***');
});

test('hostile arguments take no time', () => {
  const given = Array.from({ length: 20_000 }, (_, index) => `value number ${index} ${'7f3a'.repeat(20)}`);
  const before = process.cpuUsage();
  hideArguments('7f3a9c517f3b '.repeat(200), { given, deep: given });
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 1_000_000, `${user + system} µs`);
});
