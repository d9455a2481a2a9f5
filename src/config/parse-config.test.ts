/** Property tests: whatever the file holds, it is accepted or its mistakes are explained. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GatewayError, messageOf } from '../base/errors.ts';
import { isLegalName } from './config.ts';
import { parseConfig } from './load-config.ts';
import { sections } from './schema.ts';
import { serverSchema } from './server-schema.ts';

const place = { cwd: '/w', dataDir: '/w/data', env: { A: 'x', ODD: '\r\n' } };

/** Parses, and checks what holds for every text: a frozen configuration, or an error that names its mistakes. */
function parseAny(text: string): void {
  try {
    const { config } = parseConfig(
      { file: '/w/f.json', bytes: new TextEncoder().encode(text), fingerprint: '' },
      place,
    );
    assert.ok(Object.isFrozen(config));
    for (const [name, spec] of config.servers) assert.ok(isLegalName(name) && spec.name === name);
  } catch (error) {
    assert.ok(error instanceof GatewayError, messageOf(error));
    assert.equal(error.code, 'CONFIG_INVALID');
    assert.ok(Array.isArray(error.data?.issues) && error.data.issues.length > 0);
    assert.match(error.message, /^\/w\/f\.json:\d+:\d+: \S/);
  }
  assert.deepEqual(Object.keys(Object.prototype), []);
}

const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'stdio',
    'http',
    'https://h/mcp',
    '$'.concat('{A}'),
    '$'.concat('{NO}'),
    '$'.concat('{ODD}'),
    'allow',
    '~/x',
  ),
);
const oddKey = fc.constantFrom('__proto__', 'constructor', 'toString', '', 'a b');
const leaf = fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.constant(null));
const anyValue = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }),
  fc.dictionary(fc.oneof(text, oddKey), leaf, { maxKeys: 3 }),
);
const keyOf = (keys: readonly string[]) => fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...keys) }, oddKey);
const server = fc.dictionary(keyOf(Object.keys(serverSchema.shape)), anyValue, { maxKeys: 5 });
const file = fc.record({
  mcpServers: fc.dictionary(fc.oneof(fc.string(), oddKey), fc.oneof(server, leaf), { maxKeys: 4 }),
  settings: fc.dictionary(keyOf(Object.keys(sections)), anyValue, { maxKeys: 4 }),
});

test('any text is a configuration or a mistake that is explained', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.json(), fc.string({ unit: fc.constantFrom(...'{}[]":,\'/*\\n1a ') })),
      parseAny,
    ),
    {
      numRuns: 500,
    },
  );
});

test('any values in the known keys are a configuration or a mistake that is explained', () => {
  fc.assert(
    fc.property(file, ({ mcpServers, settings }) => parseAny(JSON.stringify({ ...settings, mcpServers }))),
    { numRuns: 1_000 },
  );
});
