/** Which projects the config file has had: one that goes from it is remembered, because what it forbade is forbidden nowhere else. */

import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { ProjectStore } from '../store/store.ts';

export interface FileProjectSources {
  readonly store: Pick<ProjectStore, 'listFileProjects' | 'addFileProject' | 'removeFileProject'>;
  readonly log: Log;
  readonly config: () => Pick<Config, 'projects'>;
}

/** Grows only by what the owner writes into the file. */
export class FileProjects {
  readonly #sources: FileProjectSources;
  #stored: ReadonlySet<string> = new Set();
  /** Seen in the file, and not written down yet. */
  readonly #unwritten = new Set<string>();

  constructor(sources: FileProjectSources) {
    this.#sources = sources;
  }

  has(name: string): boolean {
    return this.#stored.has(name) || this.#unwritten.has(name);
  }

  /** Counts at once; `write` keeps it. */
  look(): void {
    for (const name of this.#sources.config().projects.keys()) if (!this.has(name)) this.#unwritten.add(name);
  }

  /** Takes over what the store has. */
  async read(): Promise<void> {
    this.#stored = new Set(await this.#sources.store.listFileProjects());
  }

  /** A failed write still counts while the gateway runs, and is tried again with the next change. */
  async write(): Promise<void> {
    const { store, log } = this.#sources;
    for (const name of [...this.#unwritten]) {
      try {
        await store.addFileProject(name);
      } catch (error) {
        log.warn("Can't save that the config file has this project", {
          project: name,
          error: messageOf(error),
        });
        return;
      }
      this.#stored = new Set([...this.#stored, name]);
      this.#unwritten.delete(name);
    }
  }

  /** The owner has redefined the project. */
  async forget(name: string): Promise<void> {
    if (!this.has(name)) return;
    await this.#sources.store.removeFileProject(name);
    this.#stored = new Set([...this.#stored].filter((other) => other !== name));
    this.#unwritten.delete(name);
  }
}
