/** Tests of the surfaces that a config gives to tokens and projects. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LoadedConfig, parseConfig } from './load-config.ts';

function parse(text: string): LoadedConfig {
  const place = { cwd: '/w', dataDir: '/w/data', env: {} };
  return parseConfig({ file: '/w/f.json', bytes: new TextEncoder().encode(text), fingerprint: '' }, place);
}

test('surfaces are given by the names of tokens and projects, whatever these are', () => {
  const { config } = parse('{ "surfaces": { "tokens": { "agent": "code", "constructor": "full" } } }');
  assert.equal(config.surfaces.tokens.get('agent'), 'code');
  assert.equal(config.surfaces.tokens.get('constructor'), 'full');
  assert.equal(config.surfaces.tokens.get('toString'), undefined);
  assert.equal(config.surfaces.projects.size, 0);
});

test('a surface that there is not is a mistake at its place', () => {
  const said = '/w/f.json:2:39: "surfaces.projects.shop" must be "auto", "search", "direct", "code" or "full"';
  assert.throws(
    () => parse('{\n  "surfaces": { "projects": { "shop": "serach" } }\n}'),
    (error: Error) => error.message.startsWith(said),
  );
});
