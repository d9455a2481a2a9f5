/** Values in headers: plain where ASCII allows, base64 where not, and never mistaken for one another. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeHeaderValue, encodeHeaderValue, nameHeaderOf } from './header-values.ts';

test('plain ASCII travels as it is', () => {
  for (const value of ['get_weather', 'file:///a b', '~!@#', 'a']) assert.equal(encodeHeaderValue(value), value);
});

test('everything else travels as base64 of UTF-8', () => {
  assert.equal(encodeHeaderValue('é'), '=?base64?w6k=?=');
  for (const value of ['', ' lead', 'trail ', 'a\r\nX-Evil: 1', 'tab\there', '日本', '=?base64?YQ==?='])
    assert.match(encodeHeaderValue(value), /^=\?base64\?[A-Za-z0-9+/=]*\?=$/, value);
});

test('every well-formed text comes back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      const encoded = encodeHeaderValue(value);
      assert.match(encoded, /^[\x20-\x7e]*$/);
      assert.equal(decodeHeaderValue(encoded), value);
    }),
  );
});

test('what claims to be base64 and is not is refused', () => {
  for (const value of ['=?base64?YQ=?=', '=?base64?Y Q==?=', '=?base64?YQ==YQ==?=', '=?base64?/w==?=', '=?base64?Y!?='])
    assert.equal(decodeHeaderValue(value), undefined, value);
  assert.equal(decodeHeaderValue('=?base64?never ended'), '=?base64?never ended');
});

test('which member a name header repeats depends on the method alone', () => {
  assert.equal(nameHeaderOf('tools/call', { name: 'x' }), 'x');
  assert.equal(nameHeaderOf('resources/read', { uri: 'file:///x', name: 'y' }), 'file:///x');
  assert.equal(nameHeaderOf('tools/list', { name: 'x' }), undefined);
  assert.equal(nameHeaderOf('tools/call', { name: 7 }), undefined);
  assert.equal(nameHeaderOf('toString', { name: 'x' }), undefined);
});
