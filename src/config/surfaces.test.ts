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

const mistakeIn = (surfaces: string): string => {
  try {
    parse(`{\n  "surfaces": ${surfaces}\n}`);
  } catch (error) {
    return String((error as Error).message);
  }
  return assert.fail('it was taken');
};

test('a surface that there is not is a mistake at its place, with the one that was meant', () => {
  const allowed = '"auto", "search", "direct", "code" or "full"';
  assert.equal(
    mistakeIn('{ "projects": { "shop": "serach" } }'),
    `/w/f.json:2:39: "surfaces.projects.shop" must be ${allowed}, but the string "serach" was found; did you mean "search"?`,
  );
  assert.equal(
    mistakeIn('{ "tokens": { "agent": "serch" } }'),
    `/w/f.json:2:38: "surfaces.tokens.agent" must be ${allowed}, but the string "serch" was found; did you mean "search"?`,
  );
  assert.match(mistakeIn('{ "tokens": { "agent": "hunter2-secret" } }'), /, but a string was found\.$/);
});

test('a project or a token is warned of where another one was probably meant', () => {
  const server = '"mcpServers": { "till": { "command": "t", "projects": ["shop"] } }';
  const warned = (surfaces: string) => {
    const { warnings, doubts } = parse(`{ ${server},\n "surfaces": ${surfaces} }`);
    return [...warnings, ...doubts];
  };
  assert.deepEqual(warned('{ "tokens": { "agnt": "code", "owner": "full" }, "projects": { "shop": "direct" } }'), [
    '/w/f.json:2:28: In "surfaces.tokens": "agnt" is none of the usual tokens; did you mean "agent"?',
  ]);
  assert.deepEqual(warned('{ "tokens": { "zzz": "code" }, "projects": { "shp": "direct", "office": "full" } }'), [
    '/w/f.json:2:59: In "surfaces.projects": this file has no project "shp"; did you mean "shop"?',
  ]);
});

test('a project of the file, or one that may have been made at run time, is no reason to warn', () => {
  const own = parse(
    '{ "projects": { "shop": {} }, "surfaces": { "projects": { "shop": "direct", "office": "full" } } }',
  );
  assert.deepEqual([own.warnings, own.doubts], [[], []]);
  // A project may be made at run time, so a near miss is a doubt and no warning.
  const near = parse('{ "projects": { "shop": {} }, "surfaces": { "projects": { "shop2": "direct" } } }');
  assert.deepEqual([near.warnings, near.doubts.length], [[], 1]);
});
