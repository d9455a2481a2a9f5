/** A search over a catalog that a test writes down as texts: server, tool, description. */

import { silentLog } from '../../src/base/log.ts';
import { Signal } from '../../src/base/signal.ts';
import type { Catalog, Entry, ServerEntry, Snapshot } from '../../src/catalog/catalog.ts';
import { type Config, parseServer } from '../../src/config/config.ts';
import { ToolSearch } from '../../src/search/search.ts';
import type { Store } from '../../src/store/store.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryVectors } from './memory-vectors.ts';

/** Descriptions by server and tool. */
export type WrittenTools = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function writtenSnapshot(written: WrittenTools, specOf: (server: string) => object = () => ({})): Snapshot {
  const servers = new Map(
    Object.entries(written).map(([server, tools]) => {
      const spec = parseServer(server, { command: 'serve', ...specOf(server) }, {}, 'file');
      const entries = Object.entries(tools).flatMap(([name, description]) => [
        entryOf(server, name, name, description),
        ...[...spec.aliases]
          .filter(([, target]) => target === name)
          .map(([alias]) => entryOf(server, alias, name, description)),
      ]);
      // Only these members are used.
      return [
        server,
        { spec, title: server, description: '', instructions: '', tools: entries } as unknown as ServerEntry,
      ];
    }),
  );
  return {
    servers,
    tools: new Map([...servers.values()].flatMap(({ tools }) => tools.map((tool) => [tool.key, tool]))),
  };
}

function entryOf(server: string, name: string, serverName: string, description: string): Entry {
  const definition = { name, description, inputSchema: { type: 'object' } };
  return { key: `${server}:${name}`, server, name, serverName, definition, fingerprint: `${name} ${description}` };
}

/** A test can change these while it searches. */
export class WrittenCatalog {
  readonly changed = new Signal<void>();
  readonly clock = new ManualClock();
  readonly vectors = new MemoryVectors();
  readonly search: ToolSearch;
  readonly embedding = { provider: 'builtin', model: 'made-up', baseUrl: '', apiKeyEnv: null, dimensions: 256 };
  snapshot: Snapshot;

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
    const settings = { search: { embedding: this.embedding, synonyms: new Map(), usage: true, mode: 'hybrid' } };
    // Only these members are used.
    this.search = new ToolSearch({
      catalog: this as unknown as Catalog,
      store: this.vectors as unknown as Store,
      config: () => settings as unknown as Config,
      env: {},
      clock: this.clock,
      log: silentLog,
    });
  }
}
