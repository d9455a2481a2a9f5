/** Which words mean the same, and how the user adds to them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Synonyms } from './synonyms.ts';
import { stemOf } from './words.ts';

const of = (word: string, synonyms = Synonyms.builtin) => synonyms.of(stemOf(word));
const standInsFor = (word: string, synonyms = Synonyms.builtin) => synonyms.standInsFor(stemOf(word));

test('a group is read in every direction and in any inflection', () => {
  for (const [word, other] of [
    ['delete', 'remove'],
    ['deleting', 'erase'],
    ['photos', 'picture'],
    ['directories', 'folder'],
    ['k8s', 'kubernetes'],
    ['db', 'database'],
  ] as const) {
    assert.ok(of(word).includes(stemOf(other)), `${word}: ${other}`);
    assert.ok(of(other).includes(stemOf(word)), `${other}: ${word}`);
  }
});

test('a word is not its own synonym, and none comes twice', () => {
  for (const word of ['delete', 'chart', 'plot', 'verify', 'mv', 'image', 'forecast', 'list', 'search']) {
    const found = standInsFor(word);
    assert.ok(found.length > 0, word);
    assert.ok(!found.includes(stemOf(word)), word);
    assert.equal(new Set(found).size, found.length, word);
  }
});

test('words that share their stem with another common word have no synonyms', () => {
  for (const word of ['set', 'settings', 'terminal', 'conversion', 'organ', 'custom', 'medical', 'news', 'direct']) {
    assert.deepEqual(standInsFor(word), [], word);
  }
});

test('generic verbs only stand in for unknown words', () => {
  for (const word of ['get', 'read', 'list', 'find', 'search', 'create', 'run', 'ls', 'grep']) {
    assert.deepEqual(of(word), [], word);
    assert.ok(standInsFor(word).length > 0, word);
  }
});

test('a word of two groups has the words of both, which stay strangers to each other', () => {
  assert.deepEqual([...of('forecast')].sort(), [stemOf('predict'), stemOf('weather')].sort());
  assert.ok(!of('predict').includes(stemOf('weather')));
});

test('the user adds groups, also of words that are written in some other way', () => {
  const mine = Synonyms.builtin.with(
    new Map([
      ['Tickets', ['JIRA', 'Vorgänge']],
      ['forge', ['GitHub']],
    ]),
  );
  assert.ok(of('ticket', mine).includes('jira'));
  assert.ok(of('jira', mine).includes('vorgang'));
  assert.ok(of('vorgange', mine).includes(stemOf('ticket')));
  assert.ok(of('ticket', mine).includes(stemOf('issue')), 'the built-in group is kept');
  assert.ok(!of('jira', mine).includes(stemOf('issue')), 'groups are not joined');
  assert.deepEqual(of('github', mine), ['forg']);
  assert.ok(!of('ticket').includes('jira'), 'the built-in groups are not changed');
});

test('the user may expand a generic verb', () => {
  const mine = Synonyms.builtin.with(new Map([['list', ['roster']]]));
  assert.deepEqual(of('list', mine), ['roster']);
  assert.ok(standInsFor('list', mine).includes('show'));
});

test('a phrase is a synonym like a word, up to three words', () => {
  assert.deepEqual(of('pr'), ['pull request']);
  assert.deepEqual(Synonyms.builtin.of('pull request'), ['pr']);
  const mine = Synonyms.none.with(
    new Map([
      ['tos', ['Terms of Service']],
      ['oneliner', ['a line that does much']],
      ['epic', ['once upon a time long ago there lived']],
    ]),
  );
  assert.deepEqual(of('tos', mine), ['term servic']);
  assert.deepEqual(of('oneliner', mine), ['line much']);
  assert.deepEqual(of('epic', mine), []);
});

test('empty, odd and endless lists do no harm', () => {
  const mine = Synonyms.none.with(
    new Map([
      ['', ['nothing']],
      ['…', ['dots']],
      ['constructor', ['__proto__', 'constructor', 'Constructors']],
      ['alone', []],
      ['many', Array.from({ length: 500 }, (_, at) => `word${at}`)],
    ]),
  );
  assert.deepEqual(of('nothing', mine), []);
  assert.deepEqual(of('dots', mine), []);
  assert.deepEqual(of('constructor', mine), ['proto']);
  assert.deepEqual(of('alone', mine), []);
  assert.equal(of('many', mine).length, 12);
  assert.equal(of('word7', mine).length, 12);
  assert.deepEqual(of('toString', mine), []);
});

test('the user’s own words come before the built-in ones where there are too many', () => {
  const own = Array.from({ length: 11 }, (_, at) => `word${at}`);
  const found = of('delete', Synonyms.builtin.with(new Map([['delete', own]])));
  assert.equal(found.length, 12);
  assert.deepEqual(found.slice(0, 11), own);
});
