/** The contents of the gateway's own resources, for the one who reads them. */

import { fitResult } from '../../caller/caller.ts';
import type { Entry, ServerEntry } from '../../catalog/catalog.ts';
import type { Result } from '../../protocol/messages.ts';
import { declareTypes } from '../../sandbox/sandbox.ts';
import { meaningsOf, promotionOf, readerOf, summariseServer, visibleServers, visibleTools } from '../../tools/tools.ts';
import type { Offered } from '../offered-names.ts';
import { overviewOf } from './overview.ts';
import { type OwnAddress, ownUri } from './own-address.ts';
import { type OwnView, serverIn, toolIn, toolsOf, whenSettled } from './own-view.ts';
import { toolIndex } from './tool-index.ts';

export interface OwnContent {
  readonly mimeType: string;
  readonly text: string;
}

type JsonAddress = Exclude<OwnAddress, { readonly kind: 'overview' | 'server-types' }>;

/** Options in which reading a resource and comparing it over time differ. */
export interface ShowOptions {
  /** Of a page of an index. */
  readonly maxBytes: number;
  /** True if a server is named with the others. */
  isThere(view: OwnView, server: ServerEntry): boolean;
  summarise(view: OwnView, server: ServerEntry): Promise<Record<string, unknown>>;
}

/** Undefined for what is not there, or not for this principal. Throws the protocol's error for a bad cursor. */
export async function showOwn(view: OwnView, address: OwnAddress): Promise<OwnContent | undefined> {
  await whenSettled(view);
  return showNow(view, address, {
    maxBytes: view.door.layers.config().calls.maxResultBytes,
    isThere: () => true,
    summarise: ({ door, principal }, server) => summariseServer(door.layers, principal, server),
  });
}

/** The same without waiting for what is being listed. */
export async function showNow(
  view: OwnView,
  address: OwnAddress,
  options: ShowOptions,
): Promise<OwnContent | undefined> {
  if (address.kind === 'overview') return { mimeType: 'text/plain', text: overviewOf(view) };
  if (address.kind === 'server-types') {
    const server = serverIn(view, address.server);
    return server && { mimeType: 'application/typescript', text: declareTypes(toolsOf(view, server)) };
  }
  const value = await contentOf(view, address, options);
  return value && { mimeType: 'application/json', text: JSON.stringify(value) };
}

async function contentOf(
  view: OwnView,
  address: JsonAddress,
  options: ShowOptions,
): Promise<Record<string, unknown> | undefined> {
  const { snapshot } = view.door.layers.catalog;
  if (address.kind === 'servers') {
    const servers = visibleServers(snapshot, view.principal).filter((server) => options.isThere(view, server));
    const rows = await Promise.all(servers.map((server) => options.summarise(view, server)));
    return { servers: rows, states: meaningsOf(rows) };
  }
  if (address.kind === 'tool') {
    const tool = toolIn(view, address.server, address.tool);
    return tool && describeTool(view, tool);
  }
  const { maxBytes } = options;
  if (address.kind === 'tools') return toolIndex(address, visibleTools(snapshot, view.principal), maxBytes);
  const server = serverIn(view, address.server);
  if (!server) return undefined;
  if (address.kind === 'server-tools') return toolIndex(address, toolsOf(view, server), maxBytes);
  return describeOne(view, server, options);
}

async function describeOne(view: OwnView, server: ServerEntry, options: ShowOptions): Promise<Record<string, unknown>> {
  const { layers } = view.door;
  const names = view.door.namesFor(view.principal);
  const { name } = server.spec;
  const isIts = ({ entry }: Offered) => entry.server === name;
  const tools = toolsOf(view, server);
  const categories = [...new Set(tools.map((tool) => layers.search.categoryOf(tool)))].sort();
  const summary = await options.summarise(view, server);
  return {
    ...summary,
    states: meaningsOf([summary]),
    // Whole here, and not in the words of its instructions, which follow.
    description: server.description || undefined,
    ...(server.instructions !== '' && { instructions: server.instructions }),
    categories,
    tools: ownUri({ kind: 'server-tools', server: name }),
    types: ownUri({ kind: 'server-types', server: name }),
    resources: names.resources().filter(isIts).map(briefly('uri')),
    resourceTemplates: names.templates().filter(isIts).map(briefly('uriTemplate')),
    prompts: names.prompts().filter(isIts).map(briefly('name')),
  };
}

/** Its name here, with title and description. */
function briefly(as: 'uri' | 'uriTemplate' | 'name'): (offered: Offered) => Record<string, unknown> {
  return ({ entry, name }) => {
    const { title, description } = entry.definition;
    return { [as]: name, ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  };
}

/** Figures are left to tool_info, so that this text changes only with the tool. */
export function describeTool({ door, principal }: OwnView, tool: Entry): Record<string, unknown> {
  const { key, server, name, definition, fingerprint } = tool;
  return {
    toolKey: key,
    toolName: name,
    serverName: server,
    ...(door.surfaceOf(principal) === 'direct' && { listedAs: door.nameOf(key, principal) }),
    category: door.layers.search.categoryOf(tool),
    fingerprint,
    definition,
    ...promotionOf(tool),
  };
}

export async function fitOwn(
  { door, principal }: OwnView,
  address: OwnAddress,
  shown: OwnContent,
): Promise<OwnContent> {
  const { layers } = door;
  const whole: Result = { content: [{ type: 'text', text: shown.text }] };
  const fitted = await fitResult(whole, layers.results, {
    principal: principal.id,
    toolKey: ownUri(address),
    maxBytes: layers.config().calls.maxResultBytes,
    keepsStructured: false,
    reader: readerOf(door.surfaceOf(principal)),
    knowsLinks: false,
  });
  if (fitted === whole) return shown;
  const [block] = fitted.content as { readonly text: string }[];
  return { mimeType: 'text/plain', text: block?.text ?? '' };
}
