/** The view that the gateway's own offers are made for: one door, and one principal at it. */

import type { Principal } from '../../access/access.ts';
import type { Entry, ServerEntry } from '../../catalog/catalog.ts';
import { limits } from '../../config/config.ts';
import { canSee, type FindLayer, isVisible, type ShownSurface, type Uses } from '../../tools/tools.ts';
import type { OfferedNames } from '../offered-names.ts';

/** The layers that our own resources and prompts use. */
export type OwnLayer = FindLayer | 'registry' | 'results' | 'store';

export interface DoorView {
  readonly layers: Uses<OwnLayer>;
  /** The offers of servers, as a principal sees them. */
  namesFor(principal: Principal): OfferedNames;
  surfaceOf(principal: Principal): ShownSurface;
  /** The name of a tool in the list of an agent that has them all. */
  nameOf(toolKey: string, principal: Principal): string;
}

export interface OwnView {
  readonly door: DoorView;
  readonly principal: Principal;
}

/** Waits, but not long, for what is being listed for the first time: it is to be seen too. */
export function whenSettled({ door }: OwnView): Promise<void> {
  return door.layers.catalog.settle(limits.listWaitMs);
}

/** Undefined for a server that this principal can't see, whatever the reason. */
export function serverIn({ door, principal }: OwnView, name: string): ServerEntry | undefined {
  const server = door.layers.catalog.snapshot.servers.get(name);
  return server && isVisible(server, principal) ? server : undefined;
}

export function toolIn({ door, principal }: OwnView, server: string, name: string): Entry | undefined {
  const { snapshot } = door.layers.catalog;
  const tool = snapshot.tools.get(`${server}:${name}`);
  return tool && canSee(snapshot, principal, tool) ? tool : undefined;
}

export function toolsOf({ door, principal }: OwnView, server: ServerEntry): Entry[] {
  const { snapshot } = door.layers.catalog;
  return server.tools.filter((tool) => canSee(snapshot, principal, tool));
}
