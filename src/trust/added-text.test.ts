/** Tests of what counts as new in a text. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addedSentences } from './added-text.ts';

test('other order, marks, case and spaces are nothing new', () => {
  const before = 'Reads a note. Gives it back as text, one line after the other.';
  assert.deepEqual(addedSentences(before, 'Gives it back as text: one line after the other!  READS a note.'), []);
});

test('a sentence is new with the first word that is', () => {
  const before = 'It is never sent to anybody. 读取笔记。';
  assert.deepEqual(addedSentences(before, 'It is sent to anybody. 读取笔记。'), ['It is sent to anybody.']);
  assert.deepEqual(addedSentences(before, `${before} 删除笔记。Then it is gone.`), ['删除笔记。', 'Then it is gone.']);
});
