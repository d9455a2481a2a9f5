/** The index of tools: all of them over its pages, each page within its bytes, also while the catalog changes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entry } from '../../catalog/catalog.ts';
import { readOwnAddress } from './own-address.ts';
import { toolIndex } from './tool-index.ts';

function made(server: string, count: number): Entry[] {
  return Array.from({ length: count }, (_, at) => {
    const name = `tool_${String(at).padStart(4, '0')}`;
    const definition = { name, description: `Does thing ${at} — ü. And more.` };
    return { key: `${server}:${name}`, server, name, serverName: name, definition, fingerprint: '' };
  });
}

/** All keys, page by page, of the tools as they are at that time. */
function walk(start: string, toolsAt: (page: number) => readonly Entry[], maxBytes: number): string[] {
  const keys: string[] = [];
  let uri: unknown = start;
  for (let page = 0; typeof uri === 'string'; page += 1) {
    const address = readOwnAddress(uri);
    assert.ok(address && (address.kind === 'tools' || address.kind === 'server-tools'), uri);
    const index = toolIndex(address, toolsAt(page), maxBytes);
    assert.ok(Buffer.byteLength(JSON.stringify(JSON.stringify(index))) <= maxBytes);
    keys.push(...Object.keys(index.tools as object));
    uri = index.next;
  }
  return keys;
}

test('every tool is on one page, and every page within its bytes', () => {
  const tools = [...made('a', 700), ...made('b-c', 800)];
  for (const maxBytes of [2_000, 20_000, 1_000_000])
    assert.deepEqual(
      walk('toolcrib://tools', () => tools, maxBytes),
      tools.map(({ key }) => key),
    );
  const own = tools.slice(700);
  assert.deepEqual(
    walk('toolcrib://server/b-c/tools', () => own, 5_000),
    own.map(({ key }) => key),
  );
});

test('tools that come and go between the pages move none of the others', () => {
  const tools = made('m', 600);
  const earlier = made('a', 50);
  const keys = walk('toolcrib://tools', (page) => (page === 0 ? tools : [...earlier, ...tools.slice(5)]), 8_000);
  assert.deepEqual(
    keys,
    tools.map(({ key }) => key),
  );
});

test('the first sentence stands by the key; a cursor of another index is refused', () => {
  const tools = made('a', 400);
  const index = toolIndex({ kind: 'tools' }, tools, 5_000);
  assert.equal((index.tools as Record<string, string>)['a:tool_0007'], 'Does thing 7 — ü.');
  assert.equal(index.toolCount, 400);
  const next = readOwnAddress(String(index.next));
  assert.ok(next?.kind === 'tools' && next.cursor !== undefined);
  for (const server of ['a', 'b'])
    assert.throws(() => toolIndex({ kind: 'server-tools', server, cursor: next.cursor }, tools, 5_000), /cursor/);
  assert.throws(() => toolIndex({ kind: 'tools', cursor: '2' }, tools, 5_000), /cursor/);
});
