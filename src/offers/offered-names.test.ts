/** Templates: literals must be there in their order, expressions stand for anything, and no text takes long. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { workMs } from '../../test/kit/work-ms.ts';
import { matchesTemplate } from './offered-names.ts';

test('literals must stand where the template has them', () => {
  for (const [template, uri, fits] of [
    ['file:///{path}', 'file:///a/b', true],
    ['file:///{path}', 'http:///a', false],
    ['db://{table}/rows/{id}', 'db://users/rows/7', true],
    ['db://{table}/rows/{id}', 'db://users/columns/7', false],
    ['note://{name}.txt', 'note://a.txt', true],
    ['note://{name}.txt', 'note://a.txt.bak', false],
    ['exact://x', 'exact://x', true],
    ['exact://x', 'exact://xy', false],
    ['a{x}a', 'a', false],
    ['a{x}a', 'aa', true],
    ['{x}', '', true],
    ['{a}{b}', 'anything', true],
    ['', '', true],
  ] as const)
    assert.equal(matchesTemplate(template, uri), fits, `${template} ${uri}`);
});

test('every filling of a template fits it', () => {
  const literal = fc.string({ maxLength: 8 }).map((text) => text.replace(/[{}]/g, ''));
  fc.assert(
    fc.property(fc.array(fc.tuple(literal, fc.string({ maxLength: 8 })), { maxLength: 6 }), literal, (parts, end) => {
      const template = parts.map(([text]) => `${text}{v}`).join('') + end;
      const uri = parts.map(([text, value]) => text + value).join('') + end;
      assert.ok(matchesTemplate(template, uri));
    }),
  );
});

test('hostile templates and texts take no time', () => {
  const tookMs = workMs(() => {
    matchesTemplate('{a}x'.repeat(5_000), 'y'.repeat(100_000));
    matchesTemplate(`${'{'.repeat(50_000)}`, 'y'.repeat(50_000));
    matchesTemplate('{a}a'.repeat(2_000), 'a'.repeat(100_000));
  });
  assert.ok(tookMs < 500, `${tookMs} ms`);
});
