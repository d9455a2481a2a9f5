/** Keys by name, and texts that are edited with them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Key } from 'ink';
import { editText, keysOf, pastedKey, type TypedText } from './keys.ts';

const plain = {} as Key;

test('keys that arrive as one text are keys of their own, also those with Ctrl', () => {
  assert.deepEqual(keysOf('jd', plain), ['j', 'd']);
  assert.deepEqual(keysOf('\x0bé😀\t\r', plain), ['ctrl+k', 'é', '😀', 'tab', 'enter']);
  assert.deepEqual(keysOf('k', { ctrl: true } as Key), ['ctrl+k']);
  assert.deepEqual(keysOf('', { tab: true, shift: true } as Key), ['shift+tab']);
  assert.deepEqual(keysOf('x', { meta: true } as Key), ['esc', 'x']);
  assert.deepEqual(keysOf('', { meta: true, downArrow: true } as Key), ['esc', 'down']);
});

test('a text is edited where its cursor is', () => {
  const after = (...keys: readonly string[]) =>
    keys.reduce<TypedText>((last, key) => editText(last, key) ?? last, { text: 'one two', at: 7 });
  assert.deepEqual(after('delete'), { text: 'one two', at: 7 });
  assert.deepEqual(after('left', 'delete'), { text: 'one tw', at: 6 });
  assert.deepEqual(after('left', 'backspace'), { text: 'one to', at: 5 });
  assert.deepEqual(after('home', '😀', 'backspace', 'é'), { text: 'éone two', at: 1 });
  assert.deepEqual(after('ctrl+w', 'x'), { text: 'one x', at: 5 });
  assert.deepEqual(after('left', 'ctrl+u'), { text: 'o', at: 0 });
  assert.deepEqual(after('home', pastedKey('é\r\n\tb\x1b\n')), { text: 'é bone two', at: 3 });
  assert.equal(editText({ text: '', at: 0 }, 'ctrl+k'), undefined);
});
