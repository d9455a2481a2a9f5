/** The agent door as a place to look from: who is shown which surface there, and under which names things are listed. */

import type { Principal } from '../access/access.ts';
import type { Entry, Snapshot } from '../catalog/catalog.ts';
import type { Config, SurfaceName } from '../config/config.ts';
import type { EndpointContext } from './endpoint.ts';
import { NameTable } from './naming.ts';
import { OfferedNames } from './offered-names.ts';
import type { OwnPlace } from './own/own-view.ts';
import { chooseSurface, type ShownSurface } from './surface.ts';
import { rememberFor, viewerOf, visibleServers, visibleTools } from './visible.ts';

interface Choices {
  readonly snapshot: Snapshot;
  readonly config: Config;
  readonly byViewer: Map<string, ShownSurface>;
}

interface Names {
  readonly snapshot: Snapshot;
  readonly separator: string;
  /** Of all tools. */
  readonly all: NameTable<Entry>;
  /** Of what one can see, where two tools want one name. */
  readonly byViewer: Map<string, NameTable<Entry>>;
}

export class AgentPlace implements OwnPlace {
  readonly context: EndpointContext;
  readonly #asked: SurfaceName | undefined;
  /** Public names of the snapshot they were made from. */
  #names: Names | undefined;
  /** The surface of each viewer by what it was chosen from: this is on the path of every call. */
  #choices: Choices | undefined;

  /** `asked`: the surface that the URL names, if it does. */
  constructor(context: EndpointContext, asked: SurfaceName | undefined) {
    this.context = context;
    this.#asked = asked;
  }

  namesFor(principal: Principal): OfferedNames {
    const { catalog, config } = this.context;
    return new OfferedNames({ servers: () => visibleServers(catalog.snapshot, principal), isPlain: false, config });
  }

  surfaceOf(principal: Principal): ShownSurface {
    const { snapshot } = this.context.catalog;
    const config = this.context.config();
    if (this.#choices?.snapshot !== snapshot || this.#choices.config !== config)
      this.#choices = { snapshot, config, byViewer: new Map() };
    const { byViewer } = this.#choices;
    const viewer = viewerOf(principal);
    const surface = byViewer.get(viewer) ?? chooseSurface(this.#asked, this.context, principal).surface;
    rememberFor(byViewer, viewer, surface);
    return surface;
  }

  /**
   * The same names for whoever looks, unless two tools want one name: then each is told apart only from what the same viewer
   * can see, because a name that is otherwise tells of a tool that is not there.
   */
  table(principal: Principal): NameTable<Entry> {
    const names = this.#allNames();
    if (!names.all.hasClashes) return names.all;
    const viewer = viewerOf(principal);
    const table = names.byViewer.get(viewer) ?? new NameTable(visibleTools(names.snapshot, principal), names.separator);
    rememberFor(names.byViewer, viewer, table);
    return table;
  }

  nameOf(toolKey: string, principal: Principal): string {
    const tool = this.context.catalog.snapshot.tools.get(toolKey);
    return tool ? this.table(principal).nameOf(tool) : toolKey;
  }

  #allNames(): Names {
    const { snapshot } = this.context.catalog;
    const { separator } = this.context.config().names;
    if (this.#names?.snapshot !== snapshot || this.#names.separator !== separator) {
      const all = new NameTable(snapshot.tools.values(), separator);
      this.#names = { snapshot, separator, all, byViewer: new Map() };
    }
    return this.#names;
  }
}
