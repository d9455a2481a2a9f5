/** The note in the data folder that says which gateway holds it. */

import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, parseJson } from '../../base/json.ts';

/** The gateway that holds a data folder. `url` is null while it starts. */
export interface LockHolder {
  readonly pid: number;
  readonly startedAt: number;
  readonly url: string | null;
  readonly version: string;
}

/** With the start of its process, so that another process with the same id is not taken for it. */
export interface SignedHolder extends LockHolder {
  readonly processStart: string | null;
}

const noteFile = (dataDir: string) => join(dataDir, 'gateway.lock');

/** Null for a note that is missing or makes no sense: the next holder writes it anew. */
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
export async function writeHolder(dataDir: string, holder: SignedHolder): Promise<void> {
  const file = noteFile(dataDir);
  await writeFile(`${file}.new`, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

export async function removeHolder(dataDir: string): Promise<void> {
  await rm(noteFile(dataDir), { force: true });
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
