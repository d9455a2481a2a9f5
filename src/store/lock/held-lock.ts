/** A lock on the data folder that this process holds, and the note in the folder that says which gateway holds it. */

import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, parseJson } from '../../base/json.ts';

export interface DataLock {
  /** Tells others where the gateway can be reached. */
  update(change: { readonly url: string | null }): Promise<void>;
  /** Idempotent. */
  release(): Promise<void>;
}

export class HeldLock implements DataLock {
  readonly #dataDir: string;
  readonly #unlock: () => void;
  #holder: SignedHolder;
  #writing: Promise<void> = Promise.resolve();
  #releasing: Promise<void> | undefined;

  /** `unlock` gives the lock itself back. */
  constructor(dataDir: string, holder: SignedHolder, unlock: () => void) {
    this.#dataDir = dataDir;
    this.#holder = holder;
    this.#unlock = unlock;
  }

  /** Writes down who holds the lock. */
  async sign(): Promise<void> {
    try {
      await this.#write();
    } catch (error) {
      this.#unlock();
      throw error;
    }
  }

  update({ url }: { readonly url: string | null }): Promise<void> {
    this.#holder = { ...this.#holder, url };
    return this.#write();
  }

  release(): Promise<void> {
    this.#releasing ??= this.#release();
    return this.#releasing;
  }

  async #release(): Promise<void> {
    await this.#writing;
    try {
      // Before the lock goes: afterwards the note may already be the next holder's.
      await removeHolder(this.#dataDir);
    } finally {
      this.#unlock();
    }
  }

  /** One after the other, and never after the release. */
  #write(): Promise<void> {
    const writing = this.#writing.then(async () => {
      if (this.#releasing === undefined) await writeHolder(this.#dataDir, this.#holder);
    });
    this.#writing = writing.catch(() => {});
    return writing;
  }
}

/** The gateway that holds a data folder. `url` is null while it starts. */
export interface LockHolder {
  readonly pid: number;
  readonly startedAt: number;
  readonly url: string | null;
  readonly version: string;
}

/** With the start of its process, so that another process with the same id is not taken for it. */
interface SignedHolder extends LockHolder {
  readonly processStart: string | null;
}

const noteFile = (dataDir: string) => join(dataDir, 'gateway.lock');

/** Null for a note that is missing or makes no sense: the next holder rewrites it. */
export async function readHolder(dataDir: string): Promise<SignedHolder | null> {
  const value = await readFile(noteFile(dataDir), 'utf8')
    .then((text) => parseJson(text))
    .catch(() => null);
  if (!isObject(value)) return null;
  const { pid, startedAt, url, version, processStart } = value;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return null;
  if (typeof startedAt !== 'number' || typeof version !== 'string') return null;
  return { pid, startedAt, version, url: textOrNull(url), processStart: textOrNull(processStart) };
}

/** Whole or not at all. Only the holder of the lock may call this. */
async function writeHolder(dataDir: string, holder: SignedHolder): Promise<void> {
  const file = noteFile(dataDir);
  await writeFile(`${file}.new`, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function removeHolder(dataDir: string): Promise<void> {
  await rm(noteFile(dataDir), { force: true });
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
