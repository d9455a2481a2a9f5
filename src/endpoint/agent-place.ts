/** The agent door as a place to look from: who is shown which surface there, and under which names things are listed. */

import type { Principal } from '../access/access.ts';
import type { Entry, Snapshot } from '../catalog/catalog.ts';
import type { Config, SurfaceName } from '../config/config.ts';
import type { EndpointContext } from './endpoint.ts';
import { NameTable } from './naming.ts';
import { OfferedNames } from './offered-names.ts';
import type { OwnPlace } from './own/own-view.ts';
import { chooseSurface, type ShownSurface } from './surface.ts';
import { isVisible } from './visible.ts';

export interface AgentDoor {
  /** The surface that the URL names, if it does. */
  readonly asked: SurfaceName | undefined;
  /** Only its servers are there. */
  readonly project: string | undefined;
}

interface Choices {
  readonly snapshot: Snapshot;
  readonly config: Config;
  readonly byPrincipal: Map<string, ShownSurface>;
}

export class AgentPlace implements OwnPlace {
  readonly context: EndpointContext;
  readonly names: OfferedNames;
  readonly #asked: SurfaceName | undefined;
  /** Public names of the snapshot they were made from. */
  #names: { readonly snapshot: Snapshot; readonly separator: string; readonly table: NameTable<Entry> } | undefined;
  /** The surface of each principal by what it was chosen from: this is on the path of every call. */
  #choices: Choices | undefined;

  constructor(context: EndpointContext, { asked, project }: AgentDoor) {
    this.context = context;
    this.#asked = asked;
    const servers = () =>
      [...context.catalog.snapshot.servers.values()].filter((server) => isVisible(server, { project }));
    this.names = new OfferedNames({ servers, isPlain: false, config: context.config });
  }

  surfaceOf(principal: Principal): ShownSurface {
    const { snapshot } = this.context.catalog;
    const config = this.context.config();
    if (this.#choices?.snapshot !== snapshot || this.#choices.config !== config)
      this.#choices = { snapshot, config, byPrincipal: new Map() };
    const { byPrincipal } = this.#choices;
    const surface = byPrincipal.get(principal.id) ?? chooseSurface(this.#asked, this.context, principal).surface;
    byPrincipal.set(principal.id, surface);
    return surface;
  }

  /** Names of all tools, so that a name does not depend on who looks. */
  table(): NameTable<Entry> {
    const { snapshot } = this.context.catalog;
    const { separator } = this.context.config().names;
    if (this.#names?.snapshot !== snapshot || this.#names.separator !== separator)
      this.#names = { snapshot, separator, table: new NameTable(snapshot.tools.values(), separator) };
    return this.#names.table;
  }

  nameOf(toolKey: string): string {
    const tool = this.context.catalog.snapshot.tools.get(toolKey);
    return tool ? this.table().nameOf(tool) : toolKey;
  }
}
