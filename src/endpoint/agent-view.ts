/** The agent door as a place to look from: who is shown which surface there, and under which names things are listed. */

import type { Principal } from '../access/access.ts';
import type { Entry, Snapshot } from '../catalog/catalog.ts';
import type { SurfaceName } from '../config/config.ts';
import { type DoorView, OfferedNames, type OwnLayer } from '../offers/offers.ts';
import {
  chooseSurface,
  NameTable,
  remembered,
  rightsOf,
  type ShownSurface,
  type Uses,
  visibleServers,
  visibleTools,
} from '../tools/tools.ts';

interface Names {
  readonly snapshot: Snapshot;
  readonly separator: string;
  /** Of all tools. */
  readonly all: NameTable<Entry>;
  /** Of what one can see, where two tools want one name. */
  readonly byRights: Map<string, NameTable<Entry>>;
}

export class AgentView implements DoorView {
  readonly layers: Uses<OwnLayer | 'caller'>;
  readonly #asked: SurfaceName | undefined;
  /** Public names of the snapshot they were made from. */
  #names: Names | undefined;

  /** `asked`: the surface that the URL names, if it does. */
  constructor(layers: Uses<OwnLayer | 'caller'>, asked: SurfaceName | undefined) {
    this.layers = layers;
    this.#asked = asked;
  }

  namesFor(principal: Principal): OfferedNames {
    const { catalog, config } = this.layers;
    return new OfferedNames({ servers: () => visibleServers(catalog.snapshot, principal), isPlain: false, config });
  }

  surfaceOf(principal: Principal): ShownSurface {
    return chooseSurface(this.#asked, this.layers, principal).surface;
  }

  /**
   * The same names for every viewer, unless two tools want one name: then each differs only from those that the viewer
   * can see, because any other name would reveal a hidden tool.
   */
  table(principal: Principal): NameTable<Entry> {
    const names = this.#allNames();
    if (!names.all.hasClashes) return names.all;
    const { snapshot, separator, byRights } = names;
    const make = () => new NameTable(visibleTools(snapshot, principal), separator);
    return remembered(byRights, rightsOf(principal), make);
  }

  nameOf(toolKey: string, principal: Principal): string {
    const tool = this.layers.catalog.snapshot.tools.get(toolKey);
    return tool ? this.table(principal).nameOf(tool) : toolKey;
  }

  #allNames(): Names {
    const { snapshot } = this.layers.catalog;
    const { separator } = this.layers.config().names;
    if (this.#names?.snapshot !== snapshot || this.#names.separator !== separator) {
      const all = new NameTable(snapshot.tools.values(), separator);
      this.#names = { snapshot, separator, all, byRights: new Map() };
    }
    return this.#names;
  }
}
