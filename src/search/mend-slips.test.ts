/** Which words of a query count as misspelt, and what they are taken for. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mendSlips } from './mend-slips.ts';
import { Synonyms } from './synonyms.ts';
import { Vocabulary } from './vocabulary.ts';
import { stemOf } from './words.ts';

function vocabularyOf(words: string, named = ''): Vocabulary {
  const vocabulary = new Vocabulary();
  for (const word of words.split(' ')) vocabulary.getOrAdd(stemOf(word)).add(0, 1 << 10);
  for (const word of named.split(' ')) if (word !== '') vocabulary.getOrAdd(stemOf(word)).add(1, 1);
  return vocabulary;
}

const known = vocabularyOf(
  'commit branch create pull request issues repository calendar events boot search email form',
);
const mend = (query: string, vocabulary = known) => mendSlips(query, vocabulary, Synonyms.builtin);

test('a word that nobody knows becomes the known word one slip away, inflected like it', () => {
  assert.equal(mend('comit'), 'commit');
  assert.equal(mend('list the isues of a repositry'), 'list the issues of a repository');
  assert.equal(mend('Calender evnts!'), 'calendar events!');
  assert.equal(mend('serching'), 'searching');
});

test('words that the tools or the models know stay, and so do names, numbers and other scripts', () => {
  for (const query of [
    'a boat',
    'brew tea',
    'emai',
    'x9k2 comm1t 2024',
    'wg',
    'фaйл',
    '发送电子邮件',
    'précomit',
    'reqestę',
  ])
    assert.equal(mend(query), query);
});

test('a short word with one letter changed is another word; a longer one, or one with letters swapped, is a slip', () => {
  const named = vocabularyOf('kill process branch', 'kill branch calendar');
  for (const query of ['how many pounds is 70 kilos', 'plan a brunch']) assert.equal(mend(query, named), query);
  assert.equal(mend('calender brnach', named), 'calendar branch');
});

test('beside a sure slip, a word that only the models know is mended too, and a short one that lost a letter', () => {
  assert.equal(mend('crate a box'), 'crate a box');
  assert.equal(mend('crate pul reqest'), 'create pull request');
  assert.equal(mend('fork the repositry'), 'fork the repository', 'short words have too many neighbours');
});

test('of several words one slip away, the one that tools are named by is taken', () => {
  assert.equal(mend('wether', vocabularyOf('whether weather')), 'weather');
  assert.equal(mend('wether', vocabularyOf('whether weather', 'whether')), 'whether');
});

test('a query in another language is not taken apart without end', () => {
  const slips = Array.from({ length: 20 }, () => 'comit').join(' ');
  assert.equal(mend(slips).match(/commit/g)?.length, 16);
});

test('a text too long for a word is not mended', () => {
  const long = 'abcdefghij'.repeat(5);
  assert.equal(mend(`${long}k`, vocabularyOf(long)), `${long}k`);
});
