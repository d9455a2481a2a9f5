/** The tools that one viewer has, by the names under which they are looked up: made once for each catalog and viewer. */

import { NearNames } from '../base/nearest.ts';
import type { Entry } from '../catalog/catalog.ts';
import { perViewer, visibleTools } from './visible.ts';

/** Tools that are named where there is none of the name that was written. */
const nearTools = 3;

class ToolNames {
  readonly #tools: readonly Entry[];
  readonly #byServer: ReadonlyMap<string, readonly Entry[]>;
  readonly #byName: ReadonlyMap<string, readonly Entry[]>;
  readonly #joined = new Map<string, Entry[]>();
  /** By server; those of all servers are under undefined. Made when a name is not found there. */
  readonly #near = new Map<string | undefined, NearNames>();

  constructor(tools: readonly Entry[]) {
    this.#tools = tools;
    this.#byServer = Map.groupBy(tools, ({ server }) => server);
    this.#byName = Map.groupBy(tools, ({ name }) => name);
    for (const tool of tools)
      for (const sign of ['.', '__']) {
        const joined = `${tool.server}${sign}${tool.name}`;
        this.#joined.set(joined, [...(this.#joined.get(joined) ?? []), tool]);
      }
  }

  ofServer(server: string): readonly Entry[] {
    return this.#byServer.get(server) ?? [];
  }

  named(name: string): readonly Entry[] {
    return this.#byName.get(name) ?? [];
  }

  /** Those that are meant by `server.tool` or `server__tool`. */
  joined(text: string): readonly Entry[] {
    return this.#joined.get(text) ?? [];
  }

  /** Keys of the tools, of one server or of all, whose names are nearest to one that there is not. */
  nearest(name: string, server: string | undefined): string[] {
    const tools = server === undefined ? this.#tools : this.ofServer(server);
    const near = this.#near.get(server) ?? new NearNames(new Set(tools.map((tool) => tool.name)));
    // Only servers that there are, so that nobody fills it with names of his own.
    if (tools.length > 0) this.#near.set(server, near);
    const names = new Set(near.to(name));
    const found = [...names]
      .flatMap((one) => this.named(one))
      .filter((tool) => tools === this.#tools || tool.server === server);
    return found.map(({ key }) => key).slice(0, nearTools);
  }
}

export const toolNames = perViewer((snapshot, principal) => new ToolNames(visibleTools(snapshot, principal)));
