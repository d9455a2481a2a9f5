/** Shapes of secrets take time by the length of a text, never by its square, and find what they should. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretShapes } from './secret-shapes.ts';

/** How the shapes begin, and what could make one look far ahead in vain. */
const beginnings = [
  '',
  'a',
  '1',
  'eyJ',
  'eyJaaaaaaaa',
  'SG',
  'SG.aaaaaaaaaaaaaaaa',
  'sk',
  'tc_',
  'gho_',
  'glpat',
  'xoxb',
  'xapp',
  'AKIA',
  'AIza',
  'ya29',
  'npm_',
  'AGE-SECRET-KEY-1',
  '12345678:',
  'Bearer',
  'Basic',
  'cookie:',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN ',
  'https://',
  'https://a.webhook.office.com/webhook',
  'https://discord.com/api/webhooks/',
  'a://b:',
  '?key=',
  'token',
  'password"',
  'x_pass',
  'apikey   ',
];
const between = ['', '-', '.', '_', ' ', '@', '=', '\n', '"', '/', 'a-', '\\'];

function cpuMicros(pattern: RegExp, by: string, text: string): number {
  const before = process.cpuUsage();
  text.replace(pattern, by);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Below this the clock says nothing; what grows by the square is far above it at these lengths. */
const leastMicros = 10_000;
const length = 25_000;

test('twice the length takes about twice the time, for each shape and whatever the text is made of', () => {
  for (const beginning of beginnings) {
    for (const sign of between) {
      const piece = `${beginning}${sign}` || 'x';
      const text = piece.repeat(Math.ceil(length / piece.length));
      for (const { pattern, by } of secretShapes) {
        if (cpuMicros(pattern, by, text) < leastMicros) continue;
        // Once may have been an accident of the machine.
        const single = Math.min(...[1, 2, 3].map(() => cpuMicros(pattern, by, text)));
        const double = Math.min(...[1, 2, 3].map(() => cpuMicros(pattern, by, text + text)));
        assert.ok(
          double < leastMicros || double < 3 * single,
          `${pattern} over ${JSON.stringify(piece)}: ${single}, ${double} µs`,
        );
      }
    }
  }
});

test('signed tokens are found behind a dash and where their end was cut off, names with the same letters are not', () => {
  const masked = (text: string) => secretShapes.reduce((out, { pattern, by }) => out.replace(pattern, by), text);
  const token = 'eyJhbGciOiJI.eyJzdWIiOiIxMjM.c2lnbmF0dXJl';
  assert.equal(masked(`(${token})`), '(***)');
  assert.equal(masked(`x-${token} y`), '*** y');
  assert.equal(masked(`host.example.${token}`), 'host.example.***');
  assert.equal(masked(`cut ${token.slice(0, 24)}`), 'cut ***');
  for (const text of ['ForeignKeyJoinColumn.something.else', 'a.monkeyJumpsOver.thefences.x'])
    assert.equal(masked(text), text);
});
