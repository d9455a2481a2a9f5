/** Text for terminals that cannot show all of it. */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { abilitiesOf, inAscii } from './text.ts';

test('every sign in our own texts has a form in ASCII', () => {
  const surfaces = join(import.meta.dirname, '../..');
  const files = globSync('{tui,wording}/**/*.ts', { cwd: surfaces }).filter((file) => !file.endsWith('.test.ts'));
  assert.ok(files.length > 40);
  const signs = new Set(
    files.flatMap((file) => readFileSync(join(surfaces, file), 'utf8').match(/[^\x00-\x7f]/gu) ?? []),
  );
  assert.deepEqual(
    [...signs].filter((sign) => inAscii(sign) === '?'),
    [],
  );
});

test('the locale says if there is Unicode, except on the console of Linux', () => {
  const hasUnicode = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform = 'linux') =>
    abilitiesOf(env, platform).hasUnicode;
  assert.equal(hasUnicode({ LANG: 'en_US.UTF-8' }), true);
  assert.equal(hasUnicode({ LANG: 'en_US.UTF-8', LC_ALL: 'C' }), false);
  assert.equal(hasUnicode({ LANG: 'en_US.UTF-8', TERM: 'linux' }), false);
  assert.equal(hasUnicode({}), false);
  assert.equal(hasUnicode({}, 'darwin'), true);
});
