/** The gateway's own resources and templates: how they are listed, and their contents for the one who reads them. */

import { cutAtWord, firstSentence } from '../../base/text.ts';
import { fitResult } from '../../caller/caller.ts';
import type { Entry, ServerEntry } from '../../catalog/catalog.ts';
import type { Result } from '../../protocol/messages.ts';
import { declareTypes } from '../../sandbox/sandbox.ts';
import {
  capabilities,
  cursorAfter,
  type ListPosition,
  meaningsOf,
  pageOfList,
  promotionOf,
  readerOf,
  type ShownSurface,
  summariseServer,
  visibleServers,
  visibleTools,
} from '../../tools/tools.ts';
import type { Offered } from '../offered-names.ts';
import type { OfferDefinition } from '../offers.ts';
import { type OwnAddress, ownUri, withCursor } from './own-address.ts';
import { type OwnView, serverIn, toolIn, toolsOf, whenSettled } from './own-view.ts';

const json = 'application/json';
/** Characters of the names of servers that fail, where they are told in passing. */
const failingNamed = 200;

/** In the order of their URIs. */
export function listResources(view: OwnView): OfferDefinition[] {
  return [
    {
      uri: 'toolcrib://overview',
      name: 'overview',
      title: 'About this gateway',
      description: 'The servers and tools here, and how to find and call them. Read this first.',
      mimeType: 'text/plain',
      annotations: { audience: ['assistant'], priority: 0.9 },
    },
    {
      uri: 'toolcrib://servers',
      name: 'servers',
      title: 'Servers',
      description: `All servers with their state, number of tools and last change.${failingIn(view)}`,
      mimeType: json,
      annotations: { audience: ['user', 'assistant'], priority: 0.5 },
    },
    {
      uri: 'toolcrib://tools',
      name: 'tools',
      title: 'Index of tools',
      description:
        'The key and first sentence of every tool; a long index comes in pages, each with the address of the next.',
      mimeType: json,
      annotations: { audience: ['assistant'], priority: 0.4 },
    },
  ];
}

/** Those of the catalog, in the order of their texts; that of results comes before them. */
export const catalogTemplates: readonly OfferDefinition[] = [
  {
    uriTemplate: 'toolcrib://server/{name}',
    name: 'server',
    title: 'One server',
    description: 'A server: its state, instructions, resources and prompts.',
    mimeType: json,
    annotations: { audience: ['user', 'assistant'], priority: 0.5 },
  },
  {
    uriTemplate: 'toolcrib://server/{name}/tools',
    name: 'server-tools',
    title: 'The tools of a server',
    description: 'The key and first sentence of every tool of one server.',
    mimeType: json,
    annotations: { audience: ['assistant'], priority: 0.5 },
  },
  {
    uriTemplate: 'toolcrib://server/{name}/types',
    name: 'server-types',
    title: 'The types of a server',
    description: 'TypeScript declarations of the tools of one server, for programs that call them.',
    mimeType: 'application/typescript',
    annotations: { audience: ['assistant'], priority: 0.4 },
  },
  {
    uriTemplate: 'toolcrib://tool/{server}/{tool}',
    name: 'tool',
    title: 'One tool',
    description: 'The whole definition of a tool with its schemas. Names are percent-encoded.',
    mimeType: json,
    annotations: { audience: ['assistant'], priority: 0.6 },
  },
];

/** The description of the list names failing servers, so that nobody has to read it for that. */
function failingIn({ door, principal }: OwnView): string {
  const { catalog } = door.layers;
  const names = visibleServers(catalog.snapshot, principal)
    .map(({ spec }) => spec.name)
    .filter((name) => catalog.failing.has(name));
  return names.length === 0 ? '' : ` Failing now: ${cutAtWord(names.join(', '), failingNamed)}.`;
}

interface OwnContent {
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

type IndexAddress = Extract<OwnAddress, { readonly kind: 'tools' | 'server-tools' }>;

/** For what stands around the tools of a page. */
const frameBytes = 400;

/** Throws the protocol's error for a cursor that is none of this index. `tools` are in the catalog's order. */
export function toolIndex(address: IndexAddress, tools: readonly Entry[], maxBytes: number): Record<string, unknown> {
  const list = ownUri(address);
  const positioned = tools.map((tool) => ({ position: [tool.server, tool.name] as ListPosition, tool }));
  const { items } = pageOfList(list, positioned, address.cursor, tools.length);
  const rows: [string, string][] = [];
  let bytes = frameBytes;
  for (const { tool } of items) {
    const row: [string, string] = [tool.key, firstSentenceOf(tool)];
    // The index travels as a text, in which quotes are written longer.
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(row)));
    // A page has one tool at least, or nobody would get on.
    if (bytes > maxBytes && rows.length > 0) break;
    rows.push(row);
  }
  const last = items[rows.length - 1];
  const hasMore = rows.length < items.length && last !== undefined;
  return {
    toolCount: tools.length,
    tools: Object.fromEntries(rows),
    ...(hasMore && { next: withCursor(address, cursorAfter(list, last.position)) }),
  };
}

/** Definitions are immutable: each is read once. */
export function firstSentenceOf({ definition }: Entry): string {
  const known = sentences.get(definition);
  if (known !== undefined) return known;
  const sentence = typeof definition.description === 'string' ? firstSentence(definition.description) : '';
  sentences.set(definition, sentence);
  return sentence;
}

const sentences = new WeakMap<object, string>();

const find =
  'Find: tool_discovery {"query":"what you need"}. Plain words, one need per query; several needs are a list. Nothing fits? Try other words, or tool_capabilities for what there is.';
const execute =
  'Call: tool_execute {"toolKey":"server:tool","arguments":{…}} with a toolKey from the answer. Unsure of the parameters? tool_info {"toolKey":"server:tool"}.';
const chain =
  'Several calls, loops, filters, joins, or results that need not be read: one program with call_tool_chain {"code":"…"}; in it await servers.NAME.TOOL({…}), and return what matters.';
const program =
  'Run: call_tool_chain {"code":"const rows = await servers.NAME.TOOL({…}); return rows.length"}. In it search("…") finds tools, info("server:tool") describes one, types("server") declares all of a server.';
const failing = 'A call that fails says what to do next under RECOVERY and STEPS.';

const ways: Readonly<Record<ShownSurface, readonly string[]>> = {
  search: [find, execute, chain, failing],
  full: [find, execute, chain, failing],
  code: [
    'Find: tool_discovery {"query":"what you need"}. Plain words, one need per query. Nothing fits? Try other words.',
    program,
    failing,
  ],
  direct: [
    'Every tool is in your list of tools; its name begins with the name of its server. If your tools are loaded on demand, look for the server or for what you need.',
    'Call one as you call any tool of yours. If the gateway cannot make a call, its answer says what to do next under RECOVERY and STEPS.',
  ],
};

const readings = [
  'toolcrib://servers: each server and its state. toolcrib://tools: an index of all tools.',
  'toolcrib://server/{name}: one server; add /tools for its tools or /types for TypeScript declarations.',
  'toolcrib://tool/{server}/{tool}: the whole definition of a tool. toolcrib://result/{id}: a result that was too large.',
];

/** At most 500 tokens, whatever the catalog. */
export function overviewOf({ door, principal }: OwnView): string {
  const { layers } = door;
  const isWithPrograms = layers.config().chains.enabled;
  const there = capabilities(layers, principal);
  const steps = ways[door.surfaceOf(principal)].filter((step) => isWithPrograms || step !== chain);
  return [
    'Toolcrib is a gateway: the tools, resources and prompts of many MCP servers in one place.',
    there === null ? 'No tool is listed yet.' : `Here: ${there}.`,
    '',
    'How to work with it:',
    ...steps.map((step, at) => `${at + 1}. ${step}`),
    '',
    'To read:',
    ...readings.map((line) => `- ${line}`),
  ].join('\n');
}
