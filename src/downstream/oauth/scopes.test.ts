/** Which scopes a sign-in asks for. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseScopes, coversScopes, readScopes, type ScopeSources } from './scopes.ts';

const silent: ScopeSources = { configured: null, challenged: [], listed: [], earlier: [], offered: [] };

test('the owner says it, else the refusal, else the metadata, else nobody', () => {
  const all = { ...silent, configured: ['own'], challenged: ['asked'], listed: ['listed'] };
  assert.deepEqual(chooseScopes(all), ['own', 'asked']);
  assert.deepEqual(chooseScopes({ ...all, configured: null }), ['asked']);
  assert.deepEqual(chooseScopes({ ...all, configured: null, challenged: [] }), ['listed']);
  assert.deepEqual(chooseScopes(silent), []);
});

test('what was asked for before stays, each once', () => {
  const stepUp = { ...silent, challenged: ['write'], listed: ['other'], earlier: ['read', 'write'] };
  assert.deepEqual(chooseScopes(stepUp), ['write', 'read']);
});

test('lasting access is asked for exactly where it is offered', () => {
  assert.deepEqual(chooseScopes({ ...silent, challenged: ['a'], offered: ['a', 'offline_access'] }), [
    'a',
    'offline_access',
  ]);
  assert.deepEqual(chooseScopes({ ...silent, challenged: ['a'], earlier: ['offline_access'], offered: ['a'] }), ['a']);
});

test('scopes are read apart at spaces, and compared as sets', () => {
  assert.deepEqual(readScopes(' a  b a '), ['a', 'b']);
  assert.ok(coversScopes(['a', 'b'], ['b']));
  assert.ok(!coversScopes(['a'], ['a', 'b']));
});
