/** From where the gateway's own offers are looked at: a place behind a door, and who stands there. */

import type { Principal } from '../../access/access.ts';
import type { Entry, ServerEntry } from '../../catalog/catalog.ts';
import { limits } from '../../config/config.ts';
import { canSee, type FindLayer, isVisible, type ShownSurface, type Uses } from '../../tools/tools.ts';
import type { OfferedNames } from '../offered-names.ts';

/** The layers that our own resources and prompts use. */
export type OwnLayer = FindLayer | 'registry' | 'results' | 'store';

export interface OwnPlace {
  readonly layers: Uses<OwnLayer>;
  /** What servers offer to one who looks. */
  namesFor(principal: Principal): OfferedNames;
  surfaceOf(principal: Principal): ShownSurface;
  /** The name of a tool in the list of an agent that has them all. */
  nameOf(toolKey: string, principal: Principal): string;
}

export interface OwnView {
  readonly place: OwnPlace;
  readonly principal: Principal;
}

/** Waits, but not long, for what is being listed for the first time: it is to be seen too. */
export function whenSettled({ place }: OwnView): Promise<void> {
  return place.layers.catalog.settle(limits.listWaitMs);
}

/** What is not there for the one who looks is undefined, whatever the reason. */
export function serverIn({ place, principal }: OwnView, name: string): ServerEntry | undefined {
  const server = place.layers.catalog.snapshot.servers.get(name);
  return server && isVisible(server, principal) ? server : undefined;
}

export function toolIn({ place, principal }: OwnView, server: string, name: string): Entry | undefined {
  const { snapshot } = place.layers.catalog;
  const tool = snapshot.tools.get(`${server}:${name}`);
  return tool && canSee(snapshot, principal, tool) ? tool : undefined;
}

export function toolsOf({ place, principal }: OwnView, server: ServerEntry): Entry[] {
  const { snapshot } = place.layers.catalog;
  return server.tools.filter((tool) => canSee(snapshot, principal, tool));
}
