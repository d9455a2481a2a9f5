/** The compact index of tools: the first sentence of each by its key, in pages that stay within a number of bytes as they are sent. */

import { firstSentence } from '../../base/text.ts';
import type { Entry } from '../../catalog/catalog.ts';
import { cursorAfter, type ListPosition, pageOfList } from '../../tools/tools.ts';
import { type OwnAddress, ownUri, withCursor } from './own-address.ts';

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
