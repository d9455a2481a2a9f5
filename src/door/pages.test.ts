/** The page that strangers get instead. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { refusalPage } from './pages.ts';

test('a page for strangers does not say where the program lies', () => {
  const folder = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');
  assert.match(refusalPage(401, ''), /<code>toolcrib sign-in<\/code>/);
  for (const status of [401, 403, 404]) assert.ok(!refusalPage(status, 'No.').includes(folder));
});
