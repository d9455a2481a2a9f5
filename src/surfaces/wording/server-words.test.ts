/** Warnings before a sign-in. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warnOfDetour } from './server-words.ts';

const issuer = 'https://id.example';

test('a page at the issuer itself is nothing to speak of', () => {
  assert.equal(warnOfDetour({ name: 'far', address: 'https://id.example/authorize?x=1', issuer }), undefined);
});

test('a page elsewhere is told, with who gets what is granted there', () => {
  const address = 'https://accounts.honest.example/authorize';
  const warning = warnOfDetour({ name: 'far', address, issuer }) ?? '';
  assert.match(warning, /page is at accounts\.honest\.example, .* goes to id\.example,\nwhich the server far names/);
  assert.match(warnOfDetour({ name: 'far', address: 'https://id.example:444/', issuer }) ?? '', /id\.example:444/);
});
