/** Tests of what an agent loads at its start: how many tokens, whatever the catalog. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Principal } from '../access/access.ts';
import type { Catalog, Entry, ServerEntry } from '../catalog/catalog.ts';
import { type Config, parseServer } from '../config/config.ts';
import { instructionsOn } from '../endpoint/endpoint.ts';
import { categories, type ToolSearch } from '../search/search.ts';
import type { LayerName, ShownSurface, Uses } from '../tools/tools.ts';
import { listMetaTools, metaToolsByName } from './meta-tools.ts';

const agent: Principal = { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' };
const serverNames =
  `github slack notion linear postgres stripe sentry playwright filesystem memory fetch brave-search exa tavily
  supabase figma airtable gmail google-calendar google-drive jira confluence datadog aws-docs kubernetes cloudflare shopify
  hubspot elevenlabs sequential-thinking`.split(/\s+/);

/** So many tools on these servers, of every category. */
function layersOf(toolCount: number, names: readonly string[], areProgramsOn = true): Uses<LayerName> {
  const tools = new Map<string, Entry>();
  for (let at = 0; at < toolCount; at += 1) {
    const server = names[at % names.length] ?? '';
    const name = `tool_${at}`;
    const key = `${server}:${name}`;
    tools.set(key, { key, server, name, serverName: name, definition: { name }, fingerprint: '' });
  }
  const servers = new Map(
    // Only this member is used.
    names.map((name) => [name, { spec: parseServer(name, { command: 'serve' }, {}, 'file') } as ServerEntry]),
  );
  const kindOf = ({ server }: Entry) => categories[names.indexOf(server) % categories.length]?.name ?? '';
  const config = { chains: { enabled: areProgramsOn }, names: { separator: '.' }, search: { maxResults: 10 } };
  // Only these members are used.
  return {
    catalog: { snapshot: { tools, servers } } as unknown as Catalog,
    search: { categoryOf: kindOf } as unknown as ToolSearch,
    config: () => config as Config,
  } as unknown as Uses<LayerName>;
}

/** The list and the instructions, as the JSON that an agent receives. */
function startTokens(surface: ShownSurface, layers: Uses<LayerName>): number {
  const tools = listMetaTools(surface, layers, agent);
  return countTokens(JSON.stringify({ tools, instructions: instructionsOn(surface, layers, agent) }));
}

test('an agent on search starts with at most 900 tokens, on code with at most 500, and the same with 3,000 tools', () => {
  for (const [surface, most] of [
    ['search', 900],
    ['code', 500],
  ] as const) {
    const usual = startTokens(surface, layersOf(258, serverNames));
    const many = startTokens(surface, layersOf(3_000, serverNames));
    const odd = startTokens(
      surface,
      layersOf(
        3_000,
        serverNames.map((name, at) => `${name}-${at}-xqzj${'k7'.repeat(20)}`),
      ),
    );
    assert.ok(usual <= most && many <= most && odd <= most, `${surface}: ${usual}, ${many}, ${odd}`);
    assert.ok(Math.abs(many - usual) <= usual * 0.05, `${surface}: ${usual} and ${many}`);
  }
});

test('the texts of listed tools name only listed tools', () => {
  for (const areProgramsOn of [true, false]) {
    const layers = layersOf(30, serverNames, areProgramsOn);
    for (const surface of ['search', 'code', 'full'] as const) {
      if (surface === 'code' && !areProgramsOn) continue;
      const tools = listMetaTools(surface, layers, agent);
      const listed = new Set(tools.map(({ name }) => String(name)));
      const said = JSON.stringify(tools) + instructionsOn(surface, layers, agent);
      for (const name of metaToolsByName.keys()) {
        if (listed.has(name)) continue;
        assert.ok(!new RegExp(`\\b${name}\\b`).test(said), `${name} is named on ${surface}`);
      }
    }
  }
});

test('every tool of ours has a name of its own, a description and an object for its arguments', () => {
  const layers = layersOf(30, serverNames);
  for (const [name, tool] of metaToolsByName) {
    for (const surface of ['search', 'code', 'full', 'direct', undefined] as const) {
      const { name: defined, description, inputSchema } = tool.define(layers, agent, surface);
      assert.equal(defined, name);
      assert.ok(String(description).length > 20);
      assert.equal((inputSchema as Record<string, unknown>).type, 'object');
    }
  }
});
