/** Disabled servers whose tools would fit a need: named to owners, who can enable them, and to nobody else. */

import { authorize, type Principal } from '../access/access.ts';
import { isObject } from '../base/json.ts';
import { givenText } from '../base/text.ts';
import type { Snapshot } from '../catalog/catalog.ts';
import type { Uses } from './layers.ts';
import { type GivenTool, indexGivenTools, searchGivenIndex } from './search-given-tools.ts';
import { perViewer } from './visible.ts';

/** Servers that are named. */
const mostNamed = 3;

interface Wanted {
  readonly query: readonly string[];
  readonly server?: string | undefined;
  readonly category?: string | undefined;
}

/** `isFit`: whether a tool with this relevance would be a better answer to the query at this place. null: there is nothing to say. */
export async function sayDisabled(
  layers: Uses<'catalog' | 'config'>,
  principal: Principal,
  { query, server, category }: Wanted,
  isFit: (relevance: number, query: number) => boolean,
  signal: AbortSignal,
): Promise<string | null> {
  if (!principal.scopes.has('admin') || server !== undefined || category !== undefined) return null;
  const disabled = disabledIndex(layers.catalog.snapshot, principal);
  if (disabled === null) return null;
  const { tools, index } = disabled;
  const { synonyms } = layers.config().search;
  const question = { queries: query, limit: mostNamed, mode: 'hybrid', synonyms, signal } as const;
  const hits = await searchGivenIndex(await index, question);
  const keys = hits.filter(({ relevance, need }) => isFit(relevance, need)).map(({ key }) => key);
  const servers = new Set(tools.filter(({ toolKey }) => keys.includes(toolKey)).map((tool) => tool.server));
  if (servers.size === 0) return null;
  const commands = Array.from(servers, (name) => `toolcrib enable ${name}`);
  return `A disabled server has tools that fit: ${keys.join(', ')}. Enable it with: ${commands.join('; ')}`;
}

/** Made once for each catalog: it takes many times as long as a search, and most searches find nothing there. */
const disabledIndex = perViewer((snapshot, principal) => {
  const tools = disabledTools(snapshot, principal);
  if (tools.length === 0) return null;
  // It is there for other searches too, whoever gives up waiting.
  return { tools, index: indexGivenTools(tools, { signal: new AbortController().signal }) };
});

/** Tools of disabled servers, as last listed, that the principal could use. */
function disabledTools({ servers }: Snapshot, principal: Principal): GivenTool[] {
  const off = [...servers.values()].filter(({ spec }) => !spec.isEnabled);
  return off.flatMap(({ spec, tools }) =>
    tools
      .filter((tool) => authorize(principal, { ...spec, isEnabled: true }, tool.serverName) !== 'deny')
      .map(({ key, server, name, definition }) => {
        const description = givenText(definition.description);
        const schema = definition.inputSchema;
        return { toolKey: key, server, name, description, ...(isObject(schema) && { inputSchema: schema }) };
      }),
  );
}
