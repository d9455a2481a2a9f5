/** The words of a query are read right, and synonyms never rank above the words themselves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SearchDocument } from './document.ts';
import { countFields, fields } from './fields.ts';
import { readQuery } from './read-query.ts';
import { massOf, ScoreArrays, scoreTools, sharesOf } from './score.ts';
import { Synonyms } from './synonyms.ts';
import { Vocabulary } from './vocabulary.ts';
import { stemOf } from './words.ts';

interface Text {
  readonly name?: string;
  readonly description?: string;
  readonly parameters?: string;
}

/** Tools in slots of their own, ready to be scored. */
function cribOf(texts: readonly Text[]) {
  const vocabulary = new Vocabulary();
  const totals = fields.map(() => 0);
  const tools = texts.map(({ name = '', description = '', parameters = '' }, slot) => {
    const document: SearchDocument = {
      key: `s:${slot}`,
      server: 's',
      serverText: '',
      name,
      description,
      parameters: [{ name: 'x', description: parameters }],
    };
    const { counts, lengths } = countFields(document);
    for (const [stem, packed] of counts) vocabulary.getOrAdd(stem).add(slot, packed);
    for (const [field, length] of lengths.entries()) totals[field] = (totals[field] ?? 0) + length;
    return { lengths, stems: new Set(counts.keys()) };
  });
  const shares = sharesOf(tools, totals, tools.length);
  return {
    terms: (query: string, synonyms?: Synonyms) => readQuery(query, vocabulary, synonyms),
    scores: (query: string, synonyms?: Synonyms) =>
      scoreTools(readQuery(query, vocabulary, synonyms), tools.length, shares, new ScoreArrays()),
    mass: (query: string, synonyms?: Synonyms) => massOf(readQuery(query, vocabulary, synonyms), tools.length),
    has: (slot: number, word: string) => tools[slot]?.stems.has(stemOf(word)) === true,
  };
}

/** The slots of the tools that score, best first. */
function ranked(scores: Float64Array): number[] {
  const slots = [...scores.keys()].filter((slot) => (scores[slot] ?? 0) > 0);
  return slots.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
}

const words = [
  'delete',
  'remove',
  'erase',
  'photo',
  'image',
  'picture',
  'pr',
  'pull',
  'request',
  'list',
  'show',
  'zebra',
];
const someWords = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((list) => list.join(' '));
const someTexts = fc.array(fc.record({ name: someWords, description: someWords, parameters: someWords }), {
  minLength: 1,
  maxLength: 12,
});
const someQuery = fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 4 });

test('a tool is found by a synonym of what it says, below the tools that say it', () => {
  const crib = cribOf([{ name: 'remove_file' }, { name: 'delete_file' }, { name: 'read_file' }]);
  assert.deepEqual(ranked(crib.scores('delete')), [1, 0]);
  assert.deepEqual(ranked(crib.scores('remove')), [0, 1]);
  assert.deepEqual(ranked(crib.scores('delete', Synonyms.none)), [1]);
});

test('a synonym decides between tools that are equal otherwise', () => {
  const crib = cribOf([
    { name: 'rotate_photo' },
    { name: 'remove_photo' },
    { name: 'delete_mail' },
    { name: 'delete_note' },
  ]);
  assert.equal(ranked(crib.scores('delete photo'))[0], 1);
  assert.equal(ranked(crib.scores('delete photo', Synonyms.none))[0], 0);
});

test('a word that no tool contains is answered by its synonym, not by a guess', () => {
  const crib = cribOf([{ name: 'remove_file' }, { name: 'eraser' }, { name: 'erased_data' }, { name: 'erasure' }]);
  const synonyms = Synonyms.none.with(new Map([['erasu', ['remove']]]));
  assert.deepEqual(ranked(crib.scores('erasu', synonyms)), [0]);
  assert.deepEqual(ranked(crib.scores('erasu', Synonyms.none)), [3], 'without synonyms it is completed');
});

test('a word is guessed where no synonym is known either', () => {
  const crib = cribOf([{ name: 'calendar' }]);
  assert.deepEqual(ranked(crib.scores('calender')), [0]);
  const synonyms = Synonyms.none.with(new Map([['calender', ['mangle']]]));
  assert.deepEqual(ranked(crib.scores('calender', synonyms)), [0]);
});

test('a generic verb is taken as it stands where tools contain it, and stood in for where none does', () => {
  assert.deepEqual(ranked(cribOf([{ name: 'ls' }, { name: 'list_files' }]).scores('ls')), [0]);
  assert.deepEqual(ranked(cribOf([{ name: 'copy' }, { name: 'list_files' }]).scores('ls')), [1]);
});

test('a phrase is found by its short form where all its words stand, and the short form by the phrase', () => {
  const crib = cribOf([{ name: 'pull_image' }, { name: 'review_pull_request' }, { name: 'send_request' }]);
  assert.deepEqual(ranked(crib.scores('pr')), [1]);
  const short = cribOf([{ name: 'send_request' }, { name: 'merge_pr' }, { name: 'merge_mail' }]);
  assert.equal(ranked(short.scores('merge a pull request'))[0], 1);
  assert.deepEqual(ranked(short.scores('request')), [0], 'half a phrase is none');
  const mine = Synonyms.none.with(new Map([['kanban', ['board of open cards']]]));
  const boards = cribOf([
    { name: 'open_board' },
    { name: 'open_cards' },
    { name: 'board', description: 'Cards, open or not.' },
  ]);
  assert.deepEqual(ranked(boards.scores('kanban', mine)), [2]);
});

test('a word that stands for itself is not made more common by its synonyms, nor a query more demanding', () => {
  const crib = cribOf([{ name: 'delete' }, { name: 'remove' }, { name: 'erase' }, { name: 'zebra' }]);
  assert.equal(crib.mass('delete zebra'), crib.mass('delete zebra', Synonyms.none));
  assert.deepEqual(
    crib
      .terms('delete')
      .map(({ word, isKnown, alternatives }) => [word, isKnown, alternatives.map((one) => one.weight)]),
    [['delete', true, [1, 0.25, 0.25]]],
  );
});

test('synonyms leave the scores of tools that contain every word of the query as they were', () => {
  fc.assert(
    fc.property(someTexts, someQuery, (texts, query) => {
      const crib = cribOf(texts);
      const withSynonyms = crib.scores(query.join(' '));
      const without = crib.scores(query.join(' '), Synonyms.none);
      for (const slot of texts.keys()) {
        if (query.every((word) => crib.has(slot, word))) assert.equal(withSynonyms[slot], without[slot]);
      }
    }),
    { numRuns: 500 },
  );
});

test('wherever it stands, the word itself beats a synonym that stands anywhere', () => {
  fc.assert(
    fc.property(someTexts, fc.constantFrom(...words), (texts, word) => {
      const crib = cribOf(texts);
      const scores = crib.scores(word);
      const slots = [...texts.keys()];
      const exact = slots.filter((slot) => crib.has(slot, word)).map((slot) => scores[slot] ?? 0);
      const others = slots.filter((slot) => !crib.has(slot, word)).map((slot) => scores[slot] ?? 0);
      if (exact.length > 0) assert.ok(Math.min(...exact) > Math.max(0, ...others));
    }),
    { numRuns: 500 },
  );
});

test('of two tools alike but for one word, the one with the word of the query is never below the one with a synonym', () => {
  fc.assert(
    fc.property(someTexts, someWords, someQuery, fc.constantFrom('remove', 'erase'), (texts, rest, query, synonym) => {
      const asked = ['delete', ...query.filter((word) => word !== synonym)].join(' ');
      const crib = cribOf([...texts, { name: `delete ${rest}` }, { name: `${synonym} ${rest}` }]);
      const scores = crib.scores(asked);
      assert.ok((scores.at(-2) ?? 0) >= (scores.at(-1) ?? 0));
    }),
    { numRuns: 500 },
  );
});

test('a page of words with synonyms is answered in bounds', () => {
  const many = Array.from({ length: 200 }, (_, at) => `word${at}`);
  const crib = cribOf(many.map((name) => ({ name })));
  const synonyms = Synonyms.none.with(new Map([['word0', many]]));
  const terms = crib.terms(many.join(' '), synonyms);
  assert.equal(terms.length, 64);
  assert.ok(terms.every((term) => term.alternatives.length <= 13));
});
