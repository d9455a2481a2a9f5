/** Keeps the index in step with the catalog: only tools whose definition or server text changed are indexed again. */

import type { Catalog, Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { documentFromTool } from './document.ts';
import type { Hit, SearchOptions } from './hit.ts';
import { LexicalIndex } from './lexical-index.ts';

export class ToolFinder {
  readonly #catalog: Catalog;
  readonly #index = LexicalIndex.build([]);
  /** What is in the index: the fingerprint with the server's text, by key. */
  readonly #indexed = new Map<string, string>();
  #snapshot: Snapshot | undefined;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Indexes what is known in small steps, so that the first search finds it done and nothing else has to wait. */
  async prepare(): Promise<void> {
    for (const server of this.#catalog.snapshot.servers.values()) {
      // A search has meanwhile caught up with what may be a newer catalog.
      if (this.#snapshot) return;
      if (server.spec.isEnabled) this.#addServer(server);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The best tools for one or several needs, among those that `filter` lets through. */
  search(queries: readonly string[], options: SearchOptions): Hit[] {
    this.#catchUp();
    return this.#index.search(queries, options);
  }

  #catchUp(): void {
    const snapshot = this.#catalog.snapshot;
    if (snapshot === this.#snapshot) return;
    this.#snapshot = snapshot;
    for (const key of [...this.#indexed.keys()]) if (!snapshot.tools.has(key)) this.#remove(key);
    for (const server of snapshot.servers.values()) if (server.spec.isEnabled) this.#addServer(server);
  }

  #addServer(server: ServerEntry): void {
    const text = [server.title, server.description, server.instructions].filter(Boolean).join('\n');
    for (const tool of server.tools) this.#add(tool, text);
  }

  #add(tool: Entry, serverText: string): void {
    const state = `${tool.fingerprint}\n${serverText}`;
    if (this.#indexed.get(tool.key) === state) return;
    if (this.#indexed.has(tool.key)) this.#remove(tool.key);
    const document = documentFromTool(tool.server, serverText, tool.definition);
    if (!document) return;
    this.#index.add(document);
    this.#indexed.set(tool.key, state);
  }

  #remove(key: string): void {
    this.#index.remove(key);
    this.#indexed.delete(key);
  }
}
