/** How text becomes words. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStopWord, stemOf, wordsOf } from './words.ts';

test('names are split at case, underscore, hyphen, dot and slash', () => {
  for (const name of [
    'get_user_name',
    'get-user-name',
    'get.user.name',
    'get/user name',
    'getUserName',
    'GETUserName',
  ]) {
    assert.deepEqual(wordsOf(name), ['get', 'user', 'name'], name);
  }
});

test('acronyms keep together, also in the plural', () => {
  assert.deepEqual(wordsOf('parseHTTPResponseNow'), ['parse', 'http', 'response', 'now']);
  assert.deepEqual(wordsOf('URLs IDs s3 base64 3D'), ['urls', 'ids', 's3', 'base64', '3d']);
});

test('a compound of two is found in parts and as a whole', () => {
  assert.deepEqual(wordsOf('GitHub'), ['git', 'hub', 'github']);
  assert.deepEqual(wordsOf('github'), ['github']);
});

test('apostrophes do not leave fragments', () => {
  assert.deepEqual(wordsOf("the user's file, don’t"), ['the', 'user', 'file', 'dont']);
  assert.ok(isStopWord('dont'));
  assert.deepEqual(wordsOf("I'd like"), ['i', 'like'], 'not the word id');
});

test('accents are folded in Latin script and kept in others', () => {
  assert.deepEqual(wordsOf('Café naïve'), ['cafe', 'naive']);
  assert.deepEqual(wordsOf('がか'), ['がか']);
});

test('scripts without spaces become pairs, next to words in other scripts', () => {
  assert.deepEqual(wordsOf('搜索网页 with GPT4模型'), ['搜索', '索网', '网页', 'with', 'gpt4', '模型']);
  assert.deepEqual(wordsOf('猫'), ['猫']);
});

test('stems join inflections and leave short and foreign words alone', () => {
  assert.equal(stemOf('issues'), stemOf('issue'));
  assert.equal(stemOf('calculating'), stemOf('calculate'));
  for (const word of ['ls', 'rm', 'ps', 'cp', 'файлы', '搜索', 's3']) assert.equal(stemOf(word), word);
});

test('words that every object inherits are words like others', () => {
  for (const word of ['constructor', 'hasownproperty', 'tostring', 'valueof', '__proto__']) {
    assert.equal(typeof stemOf(word), 'string');
    assert.equal(isStopWord(word), false, word);
  }
  assert.deepEqual(wordsOf('__proto__'), ['proto']);
});

test('stop words hold sentences together; verbs, places and quantities are kept', () => {
  for (const word of ['the', 'a', 'to', 'please', 'would']) assert.equal(isStopWord(word), true, word);
  for (const word of ['get', 'list', 'find', 'all', 'between', 'before', 'ls', 'id'])
    assert.equal(isStopWord(word), false, word);
});

test('an endless word is cut and emptiness gives nothing', () => {
  assert.ok((wordsOf('x'.repeat(10_000))[0] ?? '').length <= 40);
  assert.deepEqual(wordsOf(''), []);
  assert.deepEqual(wordsOf(' … —!?\u0000'), []);
});
