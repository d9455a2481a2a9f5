/** Formats: what is clearly wrong is noticed, what some server takes is not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatOf, isOfFormat } from './tame-schema-formats.ts';

const cases: Readonly<Record<string, { readonly right: readonly string[]; readonly wrong: readonly string[] }>> = {
  'date-time': {
    right: ['2026-05-01T12:00:00Z', '2026-05-01T12:00:00.123+02:00', '2024-02-29 23:59', '2026-12-31t23:59:60z'],
    wrong: ['tomorrow', '2026-05-01', '2026-13-01T00:00:00Z', '2025-02-29T00:00:00Z', '2026-05-01T25:00:00Z', ''],
  },
  date: {
    right: ['2026-05-01', '2000-02-29', '0004-02-29'],
    wrong: ['1900-02-29', '2026-5-1', '01.05.2026', '2026-04-31'],
  },
  time: { right: ['12:00:00Z', '12:00'], wrong: ['noon', '12:60:00', '1:00'] },
  duration: { right: ['PT30M', 'P1Y2M3D', 'P2W'], wrong: ['30 minutes', 'P', ''] },
  uri: {
    right: ['https://example.org/a?b#c', 'mailto:a@b.example', 'urn:x:y'],
    wrong: ['example.org', 'a b', '/path'],
  },
  email: { right: ['ada@example.org', '"a b"@example.org'], wrong: ['ada', '@', 'a b@c'] },
  hostname: { right: ['example.org', 'localhost'], wrong: ['http://example.org', 'a b', ''] },
  uuid: {
    right: ['123E4567-e89b-12d3-a456-426614174000'],
    wrong: ['123e4567', 'g23e4567-e89b-12d3-a456-426614174000'],
  },
  ipv4: { right: ['192.0.2.1'], wrong: ['192.0.2.256', '::1'] },
  ipv6: { right: ['2001:db8::1', '::'], wrong: ['192.0.2.1', ':::'] },
};

test('each format that is known takes what is right and notices what is clearly wrong', () => {
  for (const [name, { right, wrong }] of Object.entries(cases)) {
    const format = formatOf(name);
    assert.ok(format, name);
    for (const text of right) assert.ok(isOfFormat(format, text), `${name}: ${text}`);
    for (const text of wrong) assert.ok(!isOfFormat(format, text), `${name}: ${text}`);
  }
});

test('a format that is not known says nothing, whatever its name', () => {
  for (const name of ['phone', 'toString', '__proto__', 'constructor', 5, null])
    assert.equal(formatOf(name), undefined);
});
