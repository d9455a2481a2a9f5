/** Names that read alike fold to one, and others do not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldName } from './fold-name.ts';

test('case, compatibility form, shapeless characters and spaces around it make no other name', () => {
  for (const name of [
    'erase',
    'Erase',
    'ERAſE',
    'ｅｒａｓｅ',
    ' erase ',
    '\u00a0erase',
    'era\u00adse',
    'e\u200brase\ufeff',
    'erase\n',
  ])
    assert.equal(foldName(name), 'erase', JSON.stringify(name));
  assert.equal(foldName('straße'), foldName('STRASSE'));
  assert.equal(foldName('e\u0301te\u0301'), foldName('ÉTÉ'));
  assert.equal(foldName('LİST'), foldName('li\u0307st'));
  assert.equal(foldName('lıst'), 'list');
});

test('a control character, another letter and a space inside make another name', () => {
  for (const name of ['erase\0', '\u0007erase', 'er ase', 'erаse', 'erase1', 'érase'])
    assert.notEqual(foldName(name), 'erase', JSON.stringify(name));
});

test('folding twice changes nothing', () => {
  for (const name of ['ǅ', 'ẞ', 'ﬀ', 'ŉ', 'ΐ', 'Ⅷ', '\u0345', 'ß\u0307'])
    assert.equal(foldName(foldName(name)), foldName(name), name);
});
