/** What our own resources say to one who reads them, as short marks: equal as long as there is no news in them. */

import { createHash } from 'node:crypto';
import type { Entry, ServerEntry } from '../catalog/catalog.ts';
import { conditionOf, remembered, rightsOf } from '../tools/tools.ts';
import type { OwnAddress } from './own/own-address.ts';
import { type OwnView, toolsOf } from './own/own-view.ts';
import { type Manner, showNow } from './own/show-own.ts';

/** Undefined where the principal has no such resource. */
export async function markOf(view: OwnView, address: OwnAddress): Promise<string | undefined> {
  const shown = await showNow(view, address, compared);
  return shown && digest(shown.text);
}

/**
 * As it is read, all pages of an index at once. When something was called, listed or connected is shown by some of them and
 * is no news, nor is what a failing server says at each try: of a server counts what it has, and whether it works.
 */
const compared: Manner = {
  maxBytes: Number.POSITIVE_INFINITY,
  isThere: ({ place }, server) => conditionOf(server, place.layers.catalog.failing) !== 'unknown',
  async summarise(view, server) {
    const { spec, title, resources, templates, prompts } = server;
    const isFailing = view.place.layers.catalog.failing.has(spec.name);
    const offers = [resources, templates, prompts].map((items) => items.map(factOf));
    return { name: spec.name, title, isFailing, itsTools: toolMark(view, server), itsOffers: offers };
  },
};

/** What a principal can know of the tools of a server. */
export function toolMark(view: OwnView, server: ServerEntry): string {
  const known = marksOfTools.get(server) ?? new Map<string, string>();
  marksOfTools.set(server, known);
  return remembered(known, rightsOf(view.principal), () => digest(toolsOf(view, server).map(factOf)));
}

/** By the entry, which is another one after each change. */
const marksOfTools = new WeakMap<ServerEntry, Map<string, string>>();

function factOf({ key, fingerprint }: Entry): string {
  return `${key} ${fingerprint}`;
}

export function digest(shown: unknown): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64');
}
