/** Tests of names and arguments in headers: base64 where ASCII does not suffice, annotations that are not allowed, values that disagree. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decodeHeaderValue,
  encodeHeaderValue,
  nameHeaderOf,
  type ParamHeader,
  paramHeaderFault,
  paramHeadersFor,
  scanParamHeaders,
} from './eras.ts';

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

test('text that is falsely declared as base64 is refused', () => {
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

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    inner: { type: 'object', properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' } } },
  },
};

function headersOf(inputSchema: unknown): readonly ParamHeader[] {
  const scan = scanParamHeaders(inputSchema);
  assert.ok('headers' in scan, JSON.stringify(scan));
  return scan.headers;
}

test('declarations are found at every depth of properties', () => {
  assert.deepEqual(
    headersOf(schema).map(({ path, header }) => [path.join('.'), header]),
    [
      ['region', 'Region'],
      ['count', 'Count'],
      ['inner.dry', 'Dry-Run'],
    ],
  );
  assert.deepEqual(headersOf(undefined), []);
  assert.deepEqual(headersOf({ properties: { a: { default: { 'x-mcp-header': 'data' } } } }), []);
});

test('a declaration elsewhere, of another type, with a bad or repeated name is a fault', () => {
  const declared = (more: object) => ({ properties: { a: { type: 'string', 'x-mcp-header': 'A', ...more } } });
  for (const [bad, why] of [
    [{ 'x-mcp-header': 'X' }, /only on a property/],
    [{ items: { type: 'string', 'x-mcp-header': 'X' } }, /only on a property/],
    [{ anyOf: [declared({})] }, /only on a property/],
    [declared({ type: 'object' }), /string, integer and boolean only/],
    [declared({ type: 'number' }), /string, integer and boolean only/],
    [declared({ 'x-mcp-header': 'Bad Name' }), /not a header name/],
    [declared({ 'x-mcp-header': 'a\r\nb' }), /not a header name/],
    [declared({ 'x-mcp-header': 5 }), /not a header name/],
    [{ properties: { a: declared({}).properties.a, b: { type: 'string', 'x-mcp-header': 'a' } } }, /used twice/],
  ] as const) {
    const scan = scanParamHeaders(bad);
    assert.ok('fault' in scan, JSON.stringify(bad));
    assert.match(scan.fault, why);
  }
});

test('a call carries the values it has, encoded, and no others', () => {
  const headers = headersOf(schema);
  assert.deepEqual(paramHeadersFor(headers, { region: 'é', count: 3, inner: { dry: false } }), {
    'Mcp-Param-Region': '=?base64?w6k=?=',
    'Mcp-Param-Count': '3',
    'Mcp-Param-Dry-Run': 'false',
  });
  assert.deepEqual(paramHeadersFor(headers, { region: null, count: 2 ** 60, inner: [] }), {});
  assert.deepEqual(paramHeadersFor([{ path: ['__proto__', 'x'], header: 'X', type: 'string' }], {}), {});
});

test('headers and arguments must agree', () => {
  const headers = headersOf(schema);
  const fault = (args: unknown, sent: Record<string, string>) => paramHeaderFault(headers, args, (name) => sent[name]);
  assert.equal(fault({ region: 'eu', count: 3 }, { 'mcp-param-region': 'eu', 'mcp-param-count': '3.0' }), undefined);
  assert.equal(fault({}, {}), undefined);
  assert.match(fault({ region: 'eu' }, {}) ?? '', /Mcp-Param-Region header is missing/);
  assert.match(fault({ region: 'eu' }, { 'mcp-param-region': 'us' }) ?? '', /differ/);
  assert.match(fault({ region: 'eu' }, { 'mcp-param-region': '=?base64?!?=' }) ?? '', /not valid base64/);
  assert.match(fault({ count: 3 }, { 'mcp-param-count': '0x3' }) ?? '', /differ/);
});

test('a schema that is deep or large is scanned without harm', () => {
  const deep = Array.from({ length: 5_000 }).reduce<unknown>((inner) => ({ properties: { a: inner } }), {});
  assert.deepEqual(headersOf(deep), []);
});
