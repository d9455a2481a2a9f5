/** Watches the config file: calls back with each new good configuration, and with the error of each bad edit. */

import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock, Timer } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { Signal } from '../base/signal.ts';
import { type ConfigLocation, candidateFiles, readConfigText } from './find-config.ts';
import { limits } from './limits.ts';
import { type LoadedConfig, parseConfig } from './load-config.ts';

export interface WatchOptions extends ConfigLocation {
  readonly clock: Clock;
  /** The text in use; a change since it was loaded is noticed. Without it, watching starts from the file's present content. */
  readonly since?: LoadedConfig | undefined;
  /** A good configuration that differs from the last one, or follows an error. */
  onChange(loaded: LoadedConfig): void;
  /** A configuration that cannot be used; the one in use stays. Told once for each bad content. */
  onError(error: unknown): void;
}

export interface ConfigWatch {
  /** No callback is called after this. */
  close(): void;
}

/**
 * The folders are watched rather than the file, because editors replace files and files come and go. Where file system
 * events do not arrive, and while a folder does not exist, a slow poll finds the change.
 */
export function watchConfig(options: WatchOptions): ConfigWatch {
  const watcher = new ConfigWatcher(options);
  watcher.open();
  return watcher;
}

class ConfigWatcher implements ConfigWatch {
  readonly #options: WatchOptions;
  readonly #folders: readonly FolderWatch[];
  readonly #changed = new Signal<LoadedConfig>();
  readonly #failed = new Signal<unknown>();
  /** The last report: the fingerprint of a content, good or bad, or why there was none. */
  #told: string | undefined;
  /** The file of the last good configuration. */
  #file: string | null | undefined;
  /** A content seen once, which counts when seen again. */
  #suspect: string | undefined;
  #stamp = '';
  #debounce: Timer | undefined;
  #poll: Timer | undefined;
  #isChecking = false;
  #isStale = false;
  readonly #closing = new AbortController();

  constructor(options: WatchOptions) {
    this.#options = { ...options, signal: this.#closing.signal };
    this.#told = options.since?.fingerprint;
    this.#file = options.since?.file;
    this.#folders = [...Map.groupBy(candidateFiles(options), dirname)].map(
      ([folder, files]) =>
        new FolderWatch(folder, new Set(files.map((file) => basename(file))), () => this.#checkSoon()),
    );
  }

  open(): void {
    this.#changed.on((loaded) => this.#options.onChange(loaded));
    this.#failed.on((error) => this.#options.onError(error));
    void this.#look();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  close(): void {
    this.#closing.abort();
    this.#debounce?.cancel();
    this.#poll?.cancel();
    for (const folder of this.#folders) folder.close();
  }

  /** Once the file has been quiet for a moment: its writer may be in the middle of it. */
  #checkSoon(): void {
    this.#debounce?.cancel();
    if (!this.#isClosed) this.#debounce = this.#options.clock.after(limits.configDebounceMs, () => void this.#check());
  }

  /** One round of the poll. The folders come first, so that no change falls between watching and looking. */
  async #look(): Promise<void> {
    await Promise.all(this.#folders.map((folder) => folder.follow()));
    const stamp = await stampOf(candidateFiles(this.#options));
    if (this.#told === undefined) await this.#check();
    else if (stamp !== this.#stamp) this.#checkSoon();
    this.#stamp = stamp;
    if (!this.#isClosed) this.#poll = this.#options.clock.after(limits.configPollMs, () => void this.#look());
  }

  /** Checks never overlap: one that is asked for during another is made after it. */
  async #check(): Promise<void> {
    this.#isStale = true;
    if (this.#isChecking) return;
    this.#isChecking = true;
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      await this.#checkOnce();
    }
    this.#isChecking = false;
  }

  async #checkOnce(): Promise<void> {
    const seen = await this.#read();
    const isFirst = this.#told === undefined;
    const isNew = seen.key !== this.#told;
    // A file that is being replaced is for a moment absent or cut short: trouble, or another file, must be seen twice.
    const isDoubtful = isNew && (seen.loaded === null || (!isFirst && seen.loaded.file !== this.#file));
    const isConfirmed = seen.key === this.#suspect;
    this.#suspect = isDoubtful ? seen.key : undefined;
    if (this.#isClosed || !isNew) return;
    if (isDoubtful && !isConfirmed) return this.#checkSoon();
    this.#told = seen.key;
    if (seen.loaded === null) return this.#failed.emit(seen.error);
    this.#file = seen.loaded.file;
    if (!isFirst) this.#changed.emit(seen.loaded);
  }

  async #read(): Promise<Seen> {
    let fingerprint: string | undefined;
    try {
      const text = await readConfigText(this.#options);
      fingerprint = text.fingerprint;
      return { key: fingerprint, loaded: parseConfig(text, this.#options) };
    } catch (error) {
      return { key: fingerprint ?? messageOf(error), loaded: null, error };
    }
  }
}

/** The result of a look at the file. Equal keys mean nothing new. */
type Seen =
  | { readonly key: string; readonly loaded: LoadedConfig }
  | { readonly key: string; readonly loaded: null; readonly error: unknown };

/** Watches one folder for changes of some names in it; `follow` takes it up again when the folder has come, gone or been replaced. */
class FolderWatch {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;
  readonly #onEvent: () => void;
  #watcher: FSWatcher | undefined;
  #watched = '';
  #isClosed = false;

  constructor(folder: string, names: ReadonlySet<string>, onEvent: () => void) {
    this.#folder = folder;
    this.#names = names;
    this.#onEvent = onEvent;
  }

  async follow(): Promise<void> {
    const identity = await identityOf(this.#folder);
    if (this.#isClosed || (identity === this.#watched && this.#watcher !== undefined)) return;
    this.#stop();
    this.#watched = identity;
    if (identity === '') return;
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, (_kind, name) => {
        if (name === null || this.#names.has(name)) this.#onEvent();
      });
      this.#watcher.on('error', () => this.#stop());
    } catch {
      // No more watches, no support, or gone again: the poll does without, and tries again.
      this.#stop();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #stop(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}

/** The time of birth tells a folder from one that was removed and left it its inode. Empty: there is no such folder. */
async function identityOf(folder: string): Promise<string> {
  const found = await stat(folder, { bigint: true }).catch(() => null);
  return found?.isDirectory() ? `${found.dev}:${found.ino}:${found.birthtimeNs}` : '';
}

/** A text that changes whenever one of the files may have: the inode's change time cannot be set back by tools. */
async function stampOf(files: readonly string[]): Promise<string> {
  const stamps = files.map(async (file) => {
    const found = await stat(file, { bigint: true }).catch(() => null);
    return found === null ? 'absent' : `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
  });
  return (await Promise.all(stamps)).join(' ');
}
