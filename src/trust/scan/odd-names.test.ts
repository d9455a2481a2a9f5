/** Names that pass for others are found, and honest ones of every language are not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oddName } from './odd-names.ts';

test('unseen characters, directions, controls and mixed alphabets in a name are found', () => {
  for (const name of [
    ...['safe\0', 'era\u200bse', 'erase\u00ad', '\ufefferase', 'erase\u202egpj', 'a\nb', 'a\u2028b', 'erase\u{e0041}'],
    ...['erаse', 'ερase', 'get_dаta', 'поиск_search', 'x\ud800', 'erase ', ' erase', '\u001b[31mred', 'li\u2066st'],
  ])
    assert.equal(oddName({ name }).length, 1, JSON.stringify(name));
});

test('names of one alphabet, and those with ideographs and emoji, are as they should be', () => {
  for (const name of [
    ...['erase', 'größe_ändern', 'поиск', 'αναζήτηση', '検索_search', '東京API', '도구', 'بحث', 'ค้นหา'],
    ...['⚙️_settings', 'naïve-été', 'get file', 'a.b/c:d', 'हिन्दी', 'e\u0301te\u0301'],
  ])
    assert.deepEqual(oddName({ name }), [], name);
  assert.deepEqual(oddName({ uri: 'file:///a', name: 'α-helix\u200b' }), []);
});
