/** Disabled servers whose tools would fit a need: named to owners, who can enable them, and to nobody else. */

import { authorize, type Principal } from '../access/access.ts';
import { isObject } from '../base/json.ts';
import type { EndpointContext } from './endpoint.ts';
import { type GivenTool, searchGivenTools } from './search-given-tools.ts';

/** Servers that are named. */
const mostNamed = 3;

interface Wanted {
  readonly query: readonly string[];
  readonly server?: string | undefined;
  readonly category?: string | undefined;
}

/** `isFit`: whether a tool with this relevance would be a better answer to the query at this place. null: there is nothing to say. */
export async function sayDisabled(
  context: EndpointContext,
  principal: Principal,
  { query, server, category }: Wanted,
  isFit: (relevance: number, query: number) => boolean,
  signal: AbortSignal,
): Promise<string | null> {
  if (!principal.scopes.has('admin') || server !== undefined || category !== undefined) return null;
  const tools = disabledTools(context, principal);
  if (tools.length === 0) return null;
  const { synonyms } = context.config().search;
  const hits = await searchGivenTools(tools, { queries: query, limit: mostNamed, mode: 'hybrid', synonyms, signal });
  const keys = hits.filter(({ relevance, need }) => isFit(relevance, need)).map(({ key }) => key);
  const servers = new Set(tools.filter(({ toolKey }) => keys.includes(toolKey)).map((tool) => tool.server));
  if (servers.size === 0) return null;
  const commands = Array.from(servers, (name) => `toolcrib enable ${name}`);
  return `A disabled server has tools that fit: ${keys.join(', ')}. Enable it with: ${commands.join('; ')}`;
}

/** What disabled servers offered when they were last listed, as far as the principal could use it. */
function disabledTools({ catalog }: EndpointContext, principal: Principal): GivenTool[] {
  const off = [...catalog.snapshot.servers.values()].filter(({ spec }) => !spec.isEnabled);
  return off.flatMap(({ spec, tools }) =>
    tools
      .filter((tool) => authorize(principal, { ...spec, isEnabled: true }, tool.serverName) !== 'deny')
      .map(({ key, server, name, definition }) => {
        const description = String(definition.description ?? '');
        const schema = definition.inputSchema;
        return { toolKey: key, server, name, description, ...(isObject(schema) && { inputSchema: schema }) };
      }),
  );
}
