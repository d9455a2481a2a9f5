/** Known secrets: found in every spelling, bounded in number, and never chosen by strangers to hide what they like. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownSecrets } from './known-secrets.ts';

test('a value is found however it is passed on', () => {
  const secret = 'Zx9!kQ2/pL+7 vB%4&mN"é';
  const known = new KnownSecrets();
  known.set('o', [secret]);
  const json = JSON.stringify(secret);
  const bytes = Buffer.from(secret);
  const forms: Record<string, string> = {
    plain: secret,
    json: json.slice(1, -1),
    slashes: json.slice(1, -1).replaceAll('/', '\\/'),
    ascii: json.slice(1, -1).replace('é', '\\u00e9'),
    twice: JSON.stringify(json).slice(3, -3),
    component: encodeURIComponent(secret),
    lower: encodeURIComponent(secret).replace(/%../g, (sign) => sign.toLowerCase()),
    form: new URLSearchParams({ a: secret }).toString().slice(2),
    url: new URL(`https://x.example/?q=${secret}`).search.slice(3),
    markup: secret.replace('&', '&amp;').replace('"', '&quot;'),
    base64: bytes.toString('base64'),
    base64url: bytes.toString('base64url'),
    basic: Buffer.from(`ada:${secret}`).toString('base64'),
    hex: bytes.toString('hex'),
    capitals: bytes.toString('hex').toUpperCase(),
  };
  for (const [name, form] of Object.entries(forms)) {
    const rest = known.mask(`<${form}>`, '***');
    // In base64 a character or two at the ends belong to what stands beside the value.
    assert.ok(rest.includes('***') && rest.length <= 14, `${name}: ${rest}`);
  }
  known.forget('o');
  assert.equal(known.mask(secret, '***'), secret);
});

test('what strangers issue counts only if it can be a secret', () => {
  const known = new KnownSecrets();
  const token = 'q7Xk-20fZ_mN9vB4pL1s';
  const words = [
    'github:delete_repo',
    'signed in to everything',
    'read,write,delete-everything',
    'https://a.example/x1y2z3a4b5',
    'aB3$xY9',
  ];
  const lines = Array.from({ length: 11_000 }, (_, at) => `line-${at}-aaaa1bbbb2cccc`).join('\n');
  known.setIssued('far', [token, ...words, lines]);
  assert.equal(known.mask(`a ${token} b`, '***'), 'a *** b');
  for (const text of [...words, 'line-7-aaaa1bbbb2cccc']) assert.equal(known.mask(text, '***'), text);
  assert.equal(known.maskGiven(token, '***'), token);
});

test('the number of spellings is bounded, and the values themselves go first', () => {
  const known = new KnownSecrets();
  const values = Array.from({ length: 1_500 }, (_, at) => `value/${at}+x y`);
  known.set('o', values);
  for (const value of values) assert.equal(known.mask(value, '***'), '***');
  known.set('p', [Array.from({ length: 11_000 }, (_, at) => `a long line of it, number ${100_000 + at}`).join('\n')]);
  assert.equal(known.mask('a long line of it, number 110999', '***'), 'a long line of it, number 110999');
});
