/** Tests of reading JSON with comments: syntax, keys that are not allowed, nesting. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import { limits } from './limits.ts';
import { readJsonc } from './read-jsonc.ts';

const read = (text: string) => readJsonc('f.json', new TextEncoder().encode(text));

function messageOfRead(text: string | Uint8Array): string {
  try {
    const { issues } = typeof text === 'string' ? read(text) : readJsonc('f.json', text);
    return issues.isEmpty ? '' : issues.toError().message;
  } catch (error) {
    assert.ok(error instanceof GatewayError);
    assert.equal(error.code, 'CONFIG_INVALID');
    return error.message;
  }
}

test('comments, trailing commas, a byte order mark and CRLF are accepted', () => {
  const { value } = read('\uFEFF// one\r\n{ /* two */ "a": [1, 2,], "b": "//x", }\r\n');
  assert.equal(JSON.stringify(value), '{"a":[1,2],"b":"//x"}');
});

test('objects have no prototype', () => {
  const { value } = read('{ "a": { "constructor": 1 } }');
  assert.equal(Object.getPrototypeOf(value), null);
});

test('syntax mistakes are told with line, column and a sentence', () => {
  const cases: readonly [string, string][] = [
    ['{\n  "a": 1\n  "b": 2\n}', 'f.json:3:3: a comma is expected between this and what stands before it.'],
    ['{\n  "a" 1\n}', 'f.json:2:7: a colon is expected between the key and its value.'],
    ['{ a: 1 }', 'f.json:1:3: this is not a value; keys and text must stand in double quotes.'],
    ["{ 'a': 1 }", 'f.json:1:3: strings need double quotes, not single ones.'],
    ['{ "a": }', 'f.json:1:8: a value is expected here.'],
    ['{ "a": "x\n}', 'f.json:1:8: a string has no closing double quote on its line.'],
    ['{ "a": [1, 2 }', 'f.json:1:14: a comma is expected between this and what stands before it.'],
    ['{ "a": "\\q" }', 'f.json:1:8: this backslash escape does not exist in JSON; write \\\\ for a backslash.'],
    ['{} {}', 'f.json:1:4: nothing may follow the end of the configuration.'],
    ['{ "a": 1 /* x', 'f.json:1:10: a comment that begins with /* never ends.'],
    ['', 'f.json:1:1: the file is empty; write {} for a configuration without any setting.'],
  ];
  for (const [text, expected] of cases) assert.equal(messageOfRead(text).split('\n')[0], expected, text);
});

test('one mistake does not bury the reader in its consequences', () => {
  const lines = messageOfRead(`{ x\n${'y\n'.repeat(500)}`).split('\n');
  assert.ok(lines.length <= 3, `${lines.length} lines`);
});

test('a file that is not UTF-8 says so', () => {
  const message = 'f.json:1:1: the file is not UTF-8 text; save it in that encoding.';
  assert.equal(messageOfRead(new Uint8Array([0xff, 0xfe, 0x7b, 0x00])), message);
});

test('a key that is written twice names both places', () => {
  const text = '{\n  "a": {\n    "x": 1,\n    "x": 2\n  }\n}';
  assert.equal(messageOfRead(text), 'f.json:4:5: duplicate key "x"; it was first written at line 3, column 5.');
});

test('"__proto__" is refused wherever it stands and reaches nothing', () => {
  const message = messageOfRead('{ "a": [{ "__proto__": { "polluted": true } }], "\\u005f_proto__": 1 }');
  assert.equal(
    message,
    'f.json:1:11: the key "__proto__" is not allowed anywhere in this file.\nf.json:1:49: the key "__proto__" is not allowed anywhere in this file.',
  );
  assert.equal('polluted' in {}, false);
});

test('nesting is limited before the parser recurses', () => {
  const depth = limits.maxConfigDepth;
  assert.equal(messageOfRead(`${'['.repeat(depth)}${']'.repeat(depth)}`), '');
  const tooDeep = `f.json:1:${depth + 1}: objects and lists are nested deeper than ${depth} levels.`;
  assert.equal(messageOfRead('['.repeat(depth + 1)), tooDeep);
  assert.equal(messageOfRead('['.repeat(1_000_000)), tooDeep);
  assert.equal(messageOfRead(`{ "a": "${'['.repeat(1_000)}" /* ${'['.repeat(1_000)} */ }`), '');
});
