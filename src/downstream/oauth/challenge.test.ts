/** Tests of challenges and scopes: what a refusal asks for, and what is asked of the issuer. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseScopes, coversScopes, readChallenge, readScopes, type ScopeSources } from './challenge.ts';

const nothing = { resourceMetadata: null, scopes: [], error: null };

test('a Bearer challenge is found among others, with its own parameters only', () => {
  const cases: [string | undefined, ReturnType<typeof readChallenge>][] = [
    [undefined, undefined],
    ['', undefined],
    ['Basic realm="a"', undefined],
    ['Bearer', nothing],
    ['bearer realm="x"', nothing],
    [
      'Bearer scope="a b", resource_metadata="https://x.example/m"',
      { ...nothing, scopes: ['a', 'b'], resourceMetadata: 'https://x.example/m' },
    ],
    ['Bearer error=invalid_token , scope=a', { ...nothing, error: 'invalid_token', scopes: ['a'] }],
    ['Basic scope="no", Bearer scope="yes", Digest scope="no"', { ...nothing, scopes: ['yes'] }],
    ['Negotiate abc==, Bearer error="insufficient_scope"', { ...nothing, error: 'insufficient_scope' }],
    ['Bearer error="a \\"quoted\\" word, scope=b"', { ...nothing, error: 'a "quoted" word, scope=b' }],
    ['Bearer scope="one", scope="two"', { ...nothing, scopes: ['one'] }],
    ['Bearer scope="one", Bearer scope="two"', { ...nothing, scopes: ['one'] }],
    ['Bearer SCOPE = "one"', { ...nothing, scopes: ['one'] }],
    ['Bearer scope="unfinished', nothing],
    ['=== "" ,,, Bearer scope=""', nothing],
  ];
  for (const [header, expected] of cases) assert.deepEqual(readChallenge(header), expected, String(header));
});

test('scopes that cannot be any are left out, and a header without end is read only so far', () => {
  assert.deepEqual(readChallenge('Bearer scope="a  b\u0007 c\\\\d a"')?.scopes, ['a']);
  const late = `Bearer ${'a="b", '.repeat(2_000)}error="late"`;
  assert.deepEqual(readChallenge(late), nothing);
});

const silent: ScopeSources = { configured: null, challenged: [], listed: [], earlier: [], offered: [] };

test('the owner says it, else the refusal, else the metadata, else nobody', () => {
  const all = { ...silent, configured: ['own'], challenged: ['asked'], listed: ['listed'] };
  assert.deepEqual(chooseScopes(all), ['own', 'asked']);
  assert.deepEqual(chooseScopes({ ...all, configured: null }), ['asked']);
  assert.deepEqual(chooseScopes({ ...all, configured: null, challenged: [] }), ['listed']);
  assert.deepEqual(chooseScopes(silent), []);
});

test('earlier scopes stay, each once', () => {
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
