/** Reads a file that somebody else made or named: a regular file alone, up to a limit, and without waiting for a writer. */

import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { abortable } from './clock.ts';
import { type ErrorCode, GatewayError, messageOf, systemCodeOf } from './errors.ts';
import { printable } from './text.ts';

export interface OthersFile {
  readonly bytes: Buffer;
  /** The stats of the file that was read. */
  readonly stats: Stats;
}

export interface OthersFileOptions {
  /** The code of every error; CONFIG_INVALID unless given. */
  readonly code?: ErrorCode;
  /** The file as errors name it; its path unless given. */
  readonly name?: string;
  /** The next step where it is no regular file. */
  readonly hint?: string;
  readonly mostBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

const mebibyte = 1_024 * 1_024;
/** Agents keep their history in some of these files. */
const usualMostBytes = 64 * mebibyte;
const chunkBytes = mebibyte / 4;

/** A pipe opens without its writer, and a terminal does not become ours. Windows has neither flag. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** undefined: there is no such file. Throws a `GatewayError` that names the file, or the signal's reason. */
export async function readOthersFile(path: string, options: OthersFileOptions = {}): Promise<OthersFile | undefined> {
  const { signal = new AbortController().signal } = options;
  try {
    // A file system that is gone never answers: nobody waits for it after the signal.
    return await abortable(openAndRead(path, options, signal), signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw asTrouble(path, options, error);
  }
}

async function openAndRead(path: string, options: OthersFileOptions, signal: AbortSignal): Promise<OthersFile> {
  await using handle = await open(path, flags);
  // Asked of what was opened: by now the path may lead elsewhere.
  const stats = await handle.stat();
  if (!stats.isFile()) throw notRegular(kindOf(stats), options);
  return { bytes: await readAll(handle, options.mostBytes ?? usualMostBytes, signal), stats };
}

/** Some files hold more than their size says, and others grow meanwhile. */
async function readAll(handle: FileHandle, mostBytes: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let chunk = Buffer.allocUnsafe(chunkBytes);
  for (let length = 0, filled = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, filled, chunkBytes - filled, null);
    length += bytesRead;
    filled += bytesRead;
    if (length > mostBytes) throw new Unreadable(`is larger than ${mostBytes / mebibyte} MiB`, 'Make it smaller.');
    if (bytesRead > 0 && filled < chunkBytes) continue;
    chunks.push(chunk.subarray(0, filled));
    if (bytesRead === 0) return Buffer.concat(chunks, length);
    chunk = Buffer.allocUnsafe(chunkBytes);
    filled = 0;
  }
}

/** The end of a sentence about the file, and the next step. */
class Unreadable extends Error {
  readonly hint: string;

  constructor(reason: string, hint: string) {
    super(reason);
    this.hint = hint;
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  return stats.isFIFO() ? 'a pipe' : 'a device';
}

function notRegular(kind: string, { hint = 'Remove it, or put a file in its place.' }: OthersFileOptions) {
  return new Unreadable(`is ${kind}, not a file`, hint);
}

function asTrouble(path: string, options: OthersFileOptions, error: unknown): GatewayError {
  const { code = 'CONFIG_INVALID', name = printable(path) } = options;
  const { message, hint } = error instanceof Unreadable ? error : whyNotOpened(error, options);
  return new GatewayError(code, `${name} ${message}.`, { hint, cause: error });
}

function whyNotOpened(error: unknown, options: OthersFileOptions): Unreadable {
  const code = systemCodeOf(error) ?? messageOf(error);
  // The system's answer to opening a socket, or a device that is not there.
  if (code === 'ENXIO') return notRegular('a socket or a device', options);
  if (code === 'ELOOP') return new Unreadable('is a link that leads back to itself', 'Put a file in its place.');
  if (code === 'EACCES') return new Unreadable("can't be read (EACCES)", 'Give your user the right to read it.');
  return new Unreadable(`can't be read (${code})`, 'Look at it by hand, then try again.');
}
