/** Formats: what is nonsense for every reading is noticed, what some server takes is not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatOf, mayBeOfFormat } from './formats.ts';

const cases: Readonly<Record<string, { readonly left: readonly string[]; readonly wrong: readonly string[] }>> = {
  'date-time': {
    left: [
      '2026-05-01T12:00:00Z',
      '2026-05-01T12:00:00.123+02:00',
      '2024-02-29 23:59',
      '2026-12-31t23:59:60z',
      '2026-05-01',
      '2025-02-29T00:00:00Z',
      'Fri, 01 May 2026 12:00:00 GMT',
      '2026-05-01 (Friday)',
      '1777636800',
      '01/05/2026 9:00',
      'now-1h',
    ],
    wrong: ['tomorrow', '2026-13-01T00:00:00Z', '2026-05-32', '2026-05-01T25:00:00Z', '2026-05-01T12:61'],
  },
  date: {
    left: ['2026-05-01', '2026-5-1', '01.05.2026', '2026-05-01T00:00:00Z', '2026', '20260501'],
    wrong: ['today', '2026-00-01', '2026-04-32'],
  },
  time: { left: ['12:00:00Z', '12:00', '9:00', '9 am', '24:00', '12:00:00.5+02:00'], wrong: ['noon', '12:60:00'] },
  duration: { left: ['PT30M', 'P1Y2M3D', '30m', '30 minutes', '1h30m', '90', '00:30:00'], wrong: ['P', 'a while'] },
  uri: {
    left: [
      'https://example.org/a?b#c',
      'mailto:a@b.example',
      'example.org/a',
      '/path',
      'file:///notes/a b.txt',
      'https://example.org/?q=a b',
      'C:\\Some Folder\\a.txt',
      'localhost',
    ],
    wrong: ['a b', 'the home page'],
  },
  email: {
    left: [
      'ada@example.org',
      '"a b"@example.org',
      'Ada <ada@example.org>',
      'a@b.example, c@d.example',
      'ada@localhost',
    ],
    wrong: ['ada', '@', 'ada at example'],
  },
  hostname: {
    left: ['example.org', 'localhost', 'localhost:8080', 'http://example.org', '*.example.org', 'my_host', '[::1]'],
    wrong: ['a b'],
  },
  uuid: {
    left: [
      '123E4567-e89b-12d3-a456-426614174000',
      '123e4567e89b12d3a456426614174000',
      'urn:uuid:123e4567-e89b-12d3-a456-426614174000',
      '{123e4567-e89b-12d3-a456-426614174000}',
    ],
    wrong: ['123e4567', 'g23e4567-e89b-12d3-a456-426614174000', 'my-page'],
  },
  ipv4: {
    left: ['192.0.2.1', '10.0.0.0/8', '192.0.2.1:80', 'localhost', '10.*'],
    wrong: ['192.0.2.256', '::1', 'a b'],
  },
  ipv6: {
    left: ['2001:db8::1', '::', '::/0', '[::1]:80', 'fe80::1%eth0', '192.0.2.1'],
    wrong: [':::', '1:2:3', 'a b'],
  },
};

test('each format that is known notices what is nonsense, and leaves to the server what one may take', () => {
  for (const [name, { left, wrong }] of Object.entries(cases)) {
    const format = formatOf(name);
    assert.ok(format, name);
    for (const text of [...left, '', ' ', ` ${left[0]}\n`]) assert.ok(mayBeOfFormat(format, text), `${name}: ${text}`);
    for (const text of wrong) assert.ok(!mayBeOfFormat(format, text), `${name}: ${text}`);
  }
});

test('a format that is not known says nothing, whatever its name', () => {
  for (const name of ['phone', 'toString', '__proto__', 'constructor', 5, null])
    assert.equal(formatOf(name), undefined);
});
