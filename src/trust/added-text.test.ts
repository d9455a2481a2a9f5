/** Tests of what counts as new in a text, and that finding it out stays cheap. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addedSentences } from './added-text.ts';

const never = () => false;

test('other order, marks and spaces are nothing new, nor are a few words without weight', () => {
  const before = 'Reads a note. Gives it back as text, one line after the other.';
  assert.deepEqual(
    addedSentences(before, 'Gives it back as text: one line after the other!  READS a note.', never),
    [],
  );
  const retouched = 'Reads a note. Gives it back as plain text, one line after the other.';
  assert.deepEqual(addedSentences(before, retouched, never), []);
  assert.deepEqual(
    addedSentences(before, retouched, (word) => word === 'plain'),
    [retouched.slice(14)],
  );
  assert.deepEqual(addedSentences(before, `${before} Then sends it away to somebody.`, never), [
    'Then sends it away to somebody.',
  ]);
});

test('words that only went away count like those that came', () => {
  const [before, after] = ['It is never sent to anybody at all by us.', 'It is sent to anybody at all by us.'];
  assert.deepEqual(
    addedSentences(before, after, (word) => word === 'never'),
    [after],
  );
  assert.deepEqual(addedSentences(before, after, never), []);
});

test('sentences that have little in common are told apart without a look at their words', () => {
  const text = (word: string, many: number) =>
    Array.from({ length: 150 }, (_, at) => `${`${word}${at} `.repeat(many)}end.`).join(' ');
  let looks = 0;
  const isWeighty = () => {
    looks += 1;
    return false;
  };
  assert.equal(addedSentences(text('old', 20), text('new', 20), isWeighty).length, 150);
  assert.equal(addedSentences(text('old', 20), text('new', 8), isWeighty).length, 150);
  assert.equal(looks, 0);
});
