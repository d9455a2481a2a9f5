/** Words of other languages in English: spaced and unspaced ones, stems, and English that stays as it is. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Glosses, openGlosses } from './glosses.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolcrib-glosses-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'glosses.tsv');
const lines = [
  ...['de\tdas\tthe', 'de\tpassw*\tpassword', 'de\tsetze\tset', 'de\tpasswortlos\twithout password', 'de\tin\tin'],
  ...['fr\tle\tthe', 'fr\tmot\tword', 'zh\t密码\tpassword', 'zh\t请\tplease', 'ja\tパスワード\tpassword', 'ja\tを\t'],
];
writeFileSync(path, `${lines.join('\n')}\n`);
const glosses = new Glosses(path);

test('a whole word wins over a stem, and a stem stands for all words that begin so', () => {
  assert.equal(glosses.english('setze das passwort in city'), 'set the password in city');
  assert.equal(glosses.english('setze das passwortlos'), 'set the without password');
});

test('text without spaces is cut at the longest known word', () => {
  assert.equal(glosses.english('请x密码'), ' please x password ');
  assert.equal(glosses.english('パスワードを'), ' password ');
});

test('a text is read in one language, and English stays as it is', () => {
  for (const text of ['the word das of the day', 'mot', 'set a password for das'])
    assert.equal(glosses.english(text), text);
  assert.equal(glosses.english('le mot das'), 'the word das');
});

test('the glosses of this package make orders in six languages readable', () => {
  const said = (text: string) => openGlosses().english(text);
  for (const text of [
    'setze das passwort des benutzers in das feld ein.',
    "mets le mot de passe de l'utilisateur dans ce champ.",
    'pon la contraseña del usuario en este campo.',
    '请把用户的密码放入该参数。',
    'ユーザーのパスワードをこのフィールドに入れてください。',
  ]) {
    assert.match(said(text), /\bpassword\b/, text);
    assert.match(said(text), /\buser\b/, text);
  }
});
