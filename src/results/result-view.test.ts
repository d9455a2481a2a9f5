/** Views as they are asked for: every form that is allowed, and a clear word for every other. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GatewayError } from '../base/errors.ts';
import { parseResultUri, readView } from './result-view.ts';

const id = 'A'.repeat(22);
const viewOf = (query: string) => parseResultUri(`toolcrib://result/${id}${query}`)?.view;

test('a URI says which result, and what of it', () => {
  assert.deepEqual(parseResultUri(`toolcrib://result/${id}`), { id, view: {} });
  assert.deepEqual(viewOf('?page=2'), { page: 2 });
  assert.deepEqual(viewOf('?part=0&lines=10-40'), { part: 0, lines: { from: 10, to: 40 } });
  assert.deepEqual(viewOf('?lines=7'), { lines: { from: 7, to: 7 } });
  assert.deepEqual(viewOf('?lines=7-'), { lines: { from: 7, to: Number.MAX_SAFE_INTEGER } });
  assert.deepEqual(viewOf('?find=a%20b%26c=d+e&page=3'), { find: 'a b&c=d+e', page: 3 });
  assert.deepEqual(viewOf("?path=$.rows[0:20]['a']"), { path: "$.rows[0:20]['a']" });
  assert.equal(parseResultUri('toolcrib://tool/a/b'), undefined);
});

test('numbers may come as texts, and what is empty was not given', () => {
  assert.deepEqual(readView({ page: '2', part: 1, find: '', lines: null }), { page: 2, part: 1 });
});

test('any text can be looked for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), (text) => {
      assert.equal(viewOf(`?find=${encodeURIComponent(text)}`)?.find, text);
    }),
  );
});

test('mistakes are named, with what is allowed', () => {
  const mistakes: [string, RegExp][] = [
    ['?pgae=2', /no parameter "pgae"/],
    ['?__proto__=1', /no parameter "__proto__"/],
    ['?page=0', /"page" must be a whole number of at least 1/],
    ['?page=two', /"page" must be a whole number/],
    ['?page=1&page=2', /given twice/],
    ['?lines=9-3', /"lines" must be a range such as 10-40/],
    ['?lines=1 2', /"lines" must be a range/],
    ['?find=x&path=$.a', /"find" and "path" cannot be combined/],
    ['?lines=1-2&page=1', /cannot be combined/],
    ['?find=100%', /%25/],
    [`?find=${'x'.repeat(201)}`, /at most 200 characters/],
  ];
  for (const [query, message] of mistakes) {
    assert.throws(
      () => viewOf(query),
      (error: unknown) => {
        assert.ok(error instanceof GatewayError && error.code === 'ARGUMENTS_INVALID', query);
        assert.match(error.message, message);
        assert.match(error.hint ?? '', /page=2, lines=10-40, find=TEXT/);
        return true;
      },
    );
  }
});
