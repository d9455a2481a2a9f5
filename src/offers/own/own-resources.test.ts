/** Tests of our own resources: the overview is short and names only tools that its reader has, and the index has all tools over its pages. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTokens } from 'gpt-tokenizer';
import { everybody } from '../../access/access.ts';
import type { Entry } from '../../catalog/catalog.ts';
import { parseServer } from '../../config/config.ts';
import type { ShownSurface } from '../../tools/tools.ts';
import { readOwnAddress } from './own-address.ts';
import { overviewOf, toolIndex } from './own-resources.ts';
import type { DoorView } from './own-view.ts';

const surfaces: readonly ShownSurface[] = ['search', 'direct', 'code', 'full'];
const kinds = ['database', 'browser', 'file_operations', 'monitoring', 'payments', 'email', 'calendar', 'documents'];

/** A door with so many servers of fifty tools each. */
function placeWith(servers: number, surface: ShownSurface, isWithPrograms = true): DoorView {
  const names = Array.from({ length: servers }, (_, at) => `a-server-with-a-rather-long-name-${at}`);
  const specs = names.map((name) => parseServer(name, { command: 'serve' }, {}, 'file'));
  const tools = names.flatMap((server) =>
    Array.from({ length: 50 }, (_, at) => ({ key: `${server}:t${at}`, server, name: `t${at}`, serverName: `t${at}` })),
  );
  const snapshot = {
    servers: new Map(specs.map((spec) => [spec.name, { spec }])),
    tools: new Map(tools.map((tool) => [tool.key, tool])),
  };
  // Only these members are used.
  const layers = {
    catalog: { snapshot },
    search: { categoryOf: ({ name }: { name: string }) => kinds[Number(name.slice(1)) % kinds.length] },
    config: () => ({ chains: { enabled: isWithPrograms } }),
  };
  return { layers, surfaceOf: () => surface } as unknown as DoorView;
}

test('it takes at most 500 tokens on every surface, whatever the catalog', () => {
  for (const surface of surfaces)
    for (const servers of [0, 1, 60]) {
      const text = overviewOf({ door: placeWith(servers, surface), principal: everybody });
      assert.ok(countTokens(text) <= 500, `${surface}, ${servers} servers: ${countTokens(text)}`);
      assert.match(
        text,
        servers === 0 ? /No tool is listed yet\./ : new RegExp(`${servers * 50} tools on ${servers} `),
      );
    }
});

test('it names a tool only where the agent has it', () => {
  const textOn = (surface: ShownSurface, isWithPrograms = true) =>
    overviewOf({ door: placeWith(2, surface, isWithPrograms), principal: everybody });
  assert.match(textOn('search'), /call_tool_chain/);
  assert.doesNotMatch(textOn('search', false), /call_tool_chain/);
  assert.doesNotMatch(textOn('code'), /tool_execute|tool_info|tool_capabilities/);
  assert.doesNotMatch(textOn('direct'), /tool_|call_tool_chain/);
});

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
