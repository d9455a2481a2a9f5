/** Reads a config file of an agent to change it, and writes it in one step: a reader finds the old text or the new one, never a part. */

import { chown, mkdir, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { GatewayError, messageOf, systemCodeOf } from '../base/errors.ts';
import { readOthersFile } from '../base/others-file.ts';
import type { FileFormat } from './agents.ts';
import { mostBytesOf } from './parse-file.ts';

/** A file as it was read. */
export interface SeenFile {
  /** Behind all symbolic links. */
  readonly path: string;
  readonly format: FileFormat;
  /** null: there is no such file. */
  readonly text: string | null;
  readonly mode: number;
  /** Undefined where there is no file yet. */
  readonly owner?: { readonly user: number; readonly group: number };
}

/** It will hold a token. */
const newFileMode = 0o600;
const writableBits = 0o222;
const bitsOfOthers = 0o077;

/** Throws CONFIG_INVALID for what is no file of UTF-8 text. */
export async function readToEdit(path: string, format: FileFormat, signal?: AbortSignal): Promise<SeenFile> {
  try {
    const target = await targetOf(path);
    const found = await readOthersFile(target, { name: path, mostBytes: mostBytesOf(format), signal });
    if (found === undefined) return { path: target, format, text: null, mode: newFileMode };
    const { uid: user, gid: group, mode } = found.stats;
    return { path: target, format, text: decode(path, found.bytes), mode: mode & 0o7777, owner: { user, group } };
  } catch (error) {
    throw asTrouble(error, path, 'read');
  }
}

/** To be written so that nobody but its owner can read it. */
export function ownersAlone(seen: SeenFile): SeenFile {
  return { ...seen, mode: seen.mode & ~bitsOfOthers };
}

/** null removes the file. Throws where the file is not as it was seen, or cannot be written. */
export async function writeEdited(seen: SeenFile, text: string | null): Promise<void> {
  const draft = `${seen.path}.toolcrib-new`;
  try {
    if ((seen.mode & writableBits) === 0) throw refused(seen.path, 'is read-only', 'Make it writable and try again.');
    if (text !== null) await writeDraft(draft, seen, text);
    const now = await readToEdit(seen.path, seen.format);
    if (now.text !== seen.text) throw refused(seen.path, 'was changed by somebody else meanwhile', 'Try again.');
    if (text === null) await rm(seen.path, { force: true });
    else await rename(draft, seen.path);
  } catch (error) {
    throw asTrouble(error, seen.path, 'written');
  } finally {
    await rm(draft, { force: true });
  }
}

/** On the disk before it takes the place of the file. One that a killed process left behind is written again. */
async function writeDraft(draft: string, { path, mode, owner }: SeenFile, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await rm(draft, { force: true });
  await using file = await open(draft, 'wx', newFileMode);
  await file.writeFile(text);
  if (owner !== undefined && process.getuid !== undefined) await keepOwner(draft, owner);
  await file.chmod(mode);
  await file.sync();
}

async function keepOwner(
  draft: string,
  { user, group }: { readonly user: number; readonly group: number },
): Promise<void> {
  const made = await stat(draft);
  if (made.uid !== user || made.gid !== group) await chown(draft, user, group);
}

/** Behind all symbolic links, also where the last one leads to nothing yet. */
async function targetOf(path: string): Promise<string> {
  const found = await realpath(path).catch(undefinedIfMissing);
  if (found !== undefined) return found;
  const link = await readlink(path).catch(() => undefined);
  return link === undefined ? path : targetOf(resolve(dirname(path), link));
}

function undefinedIfMissing(error: unknown): undefined {
  const code = systemCodeOf(error);
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused(path, 'is not UTF-8 text', 'Save it in that encoding and try again.');
  }
}

function refused(path: string, reason: string, hint?: string): GatewayError {
  return new GatewayError('CONFIG_INVALID', `${path} ${reason}; it was left as it is.`, { hint });
}

function asTrouble(error: unknown, path: string, what: string): unknown {
  if (error instanceof GatewayError || systemCodeOf(error) === undefined) return error;
  return new GatewayError('CONFIG_INVALID', `${path} cannot be ${what}: ${messageOf(error)}`, { cause: error });
}
