/** The list of an agent that has every tool itself: each under its public name, with a hint for agents that load tools only when they look for them. */

import { isObject } from '../base/json.ts';
import { cutAtWord, firstSentence, printable } from '../base/text.ts';
import type { Entry, ServerEntry } from '../catalog/catalog.ts';
import { categories } from '../search/search.ts';
import type { NameTable, Uses } from '../tools/tools.ts';

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
export function factsDirectly(
  { catalog }: Uses<'catalog'>,
  table: NameTable<Entry>,
  tools: readonly Entry[],
): string[] {
  const { servers } = catalog.snapshot;
  return tools.map((tool) => `${table.nameOf(tool)} ${tool.fingerprint} ${hintFor(tool, servers.get(tool.server))}`);
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
