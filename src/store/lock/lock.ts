/**
 * The lock on the data folder: one gateway at a time, and everybody else can read which one.
 *
 * Two files. The lock on `gateway.lock.held` decides: the operating system gives it to one process and takes it back when
 * that process dies, so there is no stale lock to take over and no moment in which two can win. `gateway.lock` says who it is.
 */

import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { GatewayError, systemCodeOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/folders.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { sleepAwake } from '../sqlite/retry-busy.ts';
import { checkFolder, claimFolder } from './claim-folder.ts';
import { isFileLocked, tryLockFile } from './lock-file.ts';
import { isSameProcess, processStartOf } from './process-identity.ts';

export { tryLockFile } from './lock-file.ts';

export type LockResult =
  | { readonly kind: 'held'; readonly lock: DataLock }
  | { readonly kind: 'other'; readonly holder: LockHolder };

interface LockOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly describe: LockHolder;
}

/** A process that has just got the lock, or only looks at it, is done within this time. */
const settleLimitMs = 2_000;
const lookAgainMs = 13;

/**
 * Takes the lock or says who has it. Throws DATA_LOCKED when somebody has it and does not say who, and STORE_BROKEN when
 * the folder cannot be used.
 */
export async function acquireDataLock(options: LockOptions): Promise<LockResult> {
  try {
    await makeFolder(options.dataDir);
    await claimFolder(options.dataDir);
    return await acquire(options);
  } catch (error) {
    throw folderTrouble(options.dataDir, error);
  }
}

async function acquire({ dataDir, clock, describe }: LockOptions): Promise<LockResult> {
  const signed = { ...describe, processStart: await processStartOf(describe.pid) };
  const since = clock.elapsed();
  for (;;) {
    const unlock = tryLockFile(heldFile(dataDir));
    if (unlock !== undefined) {
      const lock = new HeldLock(dataDir, signed, unlock);
      await lock.sign();
      return { kind: 'held', lock };
    }
    const holder = await findHolder(dataDir, clock.elapsed() - since >= settleLimitMs);
    if (holder !== null) return { kind: 'other', holder };
    await lookAgain(clock);
  }
}

/** The gateway that holds the folder now, or null. Throws DATA_LOCKED like `acquireDataLock`. */
export async function readLock(dataDir: string, clock: Clock = systemClock): Promise<LockHolder | null> {
  try {
    // The note decides where the owner's token is sent.
    await checkFolder(dataDir);
    return await read(dataDir, clock);
  } catch (error) {
    throw folderTrouble(dataDir, error);
  }
}

async function read(dataDir: string, clock: Clock): Promise<LockHolder | null> {
  const since = clock.elapsed();
  for (;;) {
    if (!(await exists(heldFile(dataDir))) || !isFileLocked(heldFile(dataDir))) return null;
    const holder = await findHolder(dataDir, clock.elapsed() - since >= settleLimitMs);
    if (holder !== null) return holder;
    await lookAgain(clock);
  }
}

const heldFile = (dataDir: string) => join(dataDir, 'gateway.lock.held');

/** Processes that start in the same moment must not stay in step, and no two have the same id. */
function lookAgain(clock: Clock): Promise<void> {
  return sleepAwake(clock, lookAgainMs + (process.pid % lookAgainMs));
}

/**
 * The holder of a lock that is held. Null while the file is missing or names a dead process: then the next
 * holder has not signed yet. After the time limit the name counts as it is: the holder may run where its process id
 * means nothing here, in another container.
 */
async function findHolder(dataDir: string, isTimeUp: boolean): Promise<LockHolder | null> {
  const found = await readHolder(dataDir);
  if (found !== null && (isTimeUp || (await isSameProcess(found.pid, found.processStart)))) {
    const { pid, startedAt, url, version } = found;
    return { pid, startedAt, url, version };
  }
  if (!isTimeUp) return null;
  throw new GatewayError(
    'DATA_LOCKED',
    `Another process holds the data folder ${dataDir} and does not say which one it is.`,
    {
      hint: `End the other gateway; it has the file ${heldFile(dataDir)} open.`,
      data: { dataDir },
    },
  );
}

/** An error of the system as trouble that names the folder; any other stays as it is. */
function folderTrouble(dataDir: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  const code = systemCodeOf(error);
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return new GatewayError('STORE_BROKEN', `The data folder ${dataDir} cannot be used: it is not a folder.`, {
      hint: 'Choose another one with --data.',
      cause: error,
      data: { dataDir },
    });
  }
  return new GatewayError('STORE_BROKEN', `The data folder ${dataDir} cannot be used (${error.message}).`, {
    hint: 'Toolcrib must be able to make files in this folder: check who owns it and whether the disk is full.',
    cause: error,
    data: { dataDir },
  });
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

export interface DataLock {
  /** Tells others where the gateway can be reached. */
  update(change: { readonly url: string | null }): Promise<void>;
  /** Idempotent. */
  release(): Promise<void>;
}

class HeldLock implements DataLock {
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
async function readHolder(dataDir: string): Promise<SignedHolder | null> {
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
