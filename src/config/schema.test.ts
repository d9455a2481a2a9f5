/** Tests of the JSON Schema for editors. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { isObject } from '../base/json.ts';
import { configJsonSchema } from './config.ts';

const reference = new URL('../../docs/reference/config.schema.json', import.meta.url);

/** Every schema of an object's property, by its path. */
function* properties(schema: unknown, path = ''): Generator<[string, Record<string, unknown>]> {
  if (!isObject(schema) || !isObject(schema.properties)) return;
  for (const [key, value] of Object.entries(schema.properties)) {
    if (!isObject(value)) continue;
    yield [`${path}${key}`, value];
    yield* properties(value, `${path}${key}.`);
    yield* properties(value.additionalProperties, `${path}${key}.*.`);
  }
}

test('the schema is of draft 2020-12 and describes every key', () => {
  const schema = configJsonSchema();
  assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema');
  assert.equal(schema.additionalProperties, false);
  assert.equal(schema.required, undefined);
  const all = new Map(properties(schema));
  for (const [path, property] of all) assert.equal(typeof property.description, 'string', path);
  for (const path of [
    'mcpServers.*.command',
    'mcpServers.*.aliases',
    'search.embedding.dimensions',
    'store.url',
    '$schema',
  ]) {
    assert.ok(all.has(path), path);
  }
  assert.equal(all.get('calls.timeoutMs')?.default, 60_000);
  assert.equal(all.get('mcpServers.*.alwaysAllow')?.deprecated, true);
});

test('the reference page is up to date (TOOLCRIB_UPDATE=1 writes it)', async () => {
  const text = `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
  if (process.env.TOOLCRIB_UPDATE === '1') await writeFile(reference, text);
  assert.equal(await readFile(reference, 'utf8'), text);
});
