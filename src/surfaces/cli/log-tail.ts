/** Reads the log of a gateway: its last lines and then the new ones, also when a full file is moved aside. */

import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../../base/errors.ts';
import { logFileName } from './start-log.ts';

/** The path of the log; null where no gateway has written one yet. */
export async function findLogFile(dataDir: string): Promise<string | null> {
  const file = join(dataDir, logFileName);
  return (await orMissing(stat(file))) === undefined ? null : file;
}

export class LogTail {
  readonly file: string;
  /** The file that was read last, and how far. */
  #inode: number | undefined;
  #end = 0;

  constructor(dataDir: string) {
    this.file = join(dataDir, logFileName);
  }

  /** False until there was something to read from. */
  get isThere(): boolean {
    return this.#inode !== undefined;
  }

  /** The last lines; the next ones come after them. */
  async last(count: number): Promise<string[]> {
    const lines = await this.next();
    const older = lines.length < count ? ((await readLines(this.#older, 0))?.lines ?? []) : [];
    return count === 0 ? [] : [...older, ...lines].slice(-count);
  }

  /** The whole lines that were written since. */
  async next(): Promise<string[]> {
    const found = await readLines(this.file, this.#end, this.#inode);
    if (found === undefined) return [];
    const isOther = this.#inode !== undefined && found.inode !== this.#inode;
    const rest = isOther ? await readLines(this.#older, this.#end, this.#inode) : undefined;
    const missed = rest !== undefined && rest.inode === this.#inode ? rest.lines : [];
    this.#inode = found.inode;
    this.#end = found.end;
    return [...missed, ...found.lines];
  }

  get #older(): string {
    return `${this.file}.1`;
  }
}

interface Lines {
  readonly inode: number;
  readonly lines: readonly string[];
  /** Where the last whole line ends. */
  readonly end: number;
}

/** Undefined where there is no such file. One that is not `inode`, or has become shorter, is read from its beginning. */
async function readLines(file: string, from: number, inode?: number): Promise<Lines | undefined> {
  await using handle = await orMissing(open(file, 'r'));
  if (handle === undefined) return undefined;
  const { ino, size } = await handle.stat();
  const start = ino === inode && size >= from ? from : 0;
  const buffer = Buffer.alloc(size - start);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
  const length = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
  const lines = buffer.toString('utf8', 0, length).split('\n').slice(0, -1);
  return { inode: ino, lines, end: start + length };
}

function orMissing<T>(found: Promise<T>): Promise<T | undefined> {
  return found.catch((error) => {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
}
