/** The list of an agent that has every tool itself, with hints for agents that search it; and short marks of lists, equal as long as nothing reads differently. */

import type { Principal } from '../access/access.ts';
import { isObject } from '../base/json.ts';
import { cutAtWord, firstSentence, printable } from '../base/text.ts';
import { type Entry, readingMark, type ServerEntry } from '../catalog/catalog.ts';
import { listMetaTools } from '../meta-tools/meta-tools.ts';
import { digest, type ListName, type Offers, toolMark } from '../offers/offers.ts';
import { categories } from '../search/search.ts';
import { type NameTable, type Uses, visibleServers, visibleTools } from '../tools/tools.ts';
import type { AgentView } from './agent-endpoint.ts';

/** By this member of `_meta` such agents find a tool, beside its name and description. */
const hintKey = 'anthropic/searchHint';
/** Characters of what a server says of itself that a hint repeats. */
const longest = { title: 60, about: 80 };

export function listDirectly(
  { catalog }: Uses<'catalog'>,
  table: NameTable<Entry>,
  tools: readonly Entry[],
): Record<string, unknown>[] {
  const { servers } = catalog.snapshot;
  return tools.map((tool) => {
    const { definition } = tool;
    const hint = hintFor(tool, servers.get(tool.server));
    return { ...definition, name: table.nameOf(tool), ...withHint(definition._meta, hint) };
  });
}

/** One short text a tool of that list: equal as long as the list reads the same. */
function factsDirectly({ catalog }: Uses<'catalog'>, table: NameTable<Entry>, tools: readonly Entry[]): string[] {
  const { servers } = catalog.snapshot;
  return tools.map((tool) => `${table.nameOf(tool)} ${readingMark(tool)} ${hintFor(tool, servers.get(tool.server))}`);
}

/** A hint of the server goes first; a `_meta` that is no object stays as it is. */
function withHint(own: unknown, hint: string): Record<string, unknown> {
  if (hint === '' || (own !== undefined && !isObject(own))) return {};
  return { _meta: { [hintKey]: hint, ...own } };
}

/**
 * Facts that the tool itself does not state: whose it is and what that server is for, and the category where the owner set one. A category
 * that would have to be judged first is left out: the first list after a start must not wait for the model.
 */
function hintFor({ serverName }: Entry, server: ServerEntry | undefined): string {
  if (!server) return '';
  const category = server.spec.categories.get(serverName) ?? server.spec.category ?? '';
  return [about(server), words.get(category) ?? ''].filter((text) => text !== '').join('; ');
}

function about(server: ServerEntry): string {
  const known = texts.get(server);
  if (known !== undefined) return known;
  const title = cutAtWord(printable(server.title).trim(), longest.title);
  const sentence = firstSentence(printable(server.description || server.instructions), longest.about).replace(
    /\.$/,
    '',
  );
  const text = [title, sentence].filter((part) => part !== '').join(': ');
  texts.set(server, text);
  return text;
}

/** By the entry, which is another one after each change. */
const texts = new WeakMap<ServerEntry, string>();

/** The words of a category say more than its name; what fits nowhere has none. */
const words: ReadonlyMap<string, string> = new Map(
  categories.flatMap(({ name, description }) => (name === 'other' ? [] : [[name, description.toLowerCase()]])),
);

export type ListMarks = Readonly<Record<'tools' | 'resources' | 'prompts', string>>;

/**
 * Marks for an agent of many servers. A changed tool concerns its list of tools on every surface: where the list names
 * only our own tools, this is how the agent learns that what it knows of a tool behind them may be out of date, and the
 * list it then reads is the same to the letter, which spoils no prompt cache. It concerns the list of resources too, where
 * tools and servers are resources of ours. That a server fails changes no tool: it stays listed and is started again by the
 * next call, but the description of our list of servers names it.
 */
export function marksForAgent(view: AgentView, offers: Offers, principal: Principal): ListMarks {
  const { layers } = view;
  const { snapshot } = layers.catalog;
  const known = visibleServers(snapshot, principal).filter(({ listedAt }) => listedAt !== null);
  const behind = known.map((server) => [server.spec.name, toolMark({ door: view, principal }, server)]);
  const surface = view.surfaceOf(principal);
  const listed =
    surface === 'direct'
      ? factsDirectly(layers, view.table(principal), visibleTools(snapshot, principal))
      : [listMetaTools(surface, layers, principal), behind.filter(([, mark]) => mark !== noTools)];
  return {
    tools: digest(listed),
    resources: digest([listsOf(offers, principal, 'resources', 'resourceTemplates'), behind]),
    prompts: digest(listsOf(offers, principal, 'prompts')),
  };
}

/** Marks for an agent of one server: its tools by what is read of each. A failing server changes none of them. */
export function marksForServer(
  tools: readonly Entry[],
  readingOf: (tool: Entry) => readonly string[],
  offers: Offers,
  principal: Principal,
): ListMarks {
  return {
    tools: digest(tools.map(readingOf)),
    resources: digest(listsOf(offers, principal, 'resources', 'resourceTemplates')),
    prompts: digest(listsOf(offers, principal, 'prompts')),
  };
}

function listsOf(offers: Offers, principal: Principal, ...lists: readonly ListName[]): unknown[] {
  return lists.map((list) => offers.wholeList(list, principal));
}

const noTools = digest([]);
