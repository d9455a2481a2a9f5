/** Where a stored result lies on disk: a folder with its manifest, its frame and a file for each part. */

import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError, systemCodeOf } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { ByteReader, collect, fileSource } from './byte-source.ts';
import { jsonChunks } from './part-chunks.ts';
import type { Manifest } from './part-facts.ts';
import { type StorageRoom, writeChunks } from './write-chunks.ts';

/** A folder whose name begins so is being written, or was when the gateway ended. */
const unfinished = '.new-';
const manifestFile = 'manifest.json';
export const frameFile = 'frame.json';
const idPattern = /^[A-Za-z0-9_-]{22}$/;

/** There is no such result for this principal: it never was, its time is over, or it is somebody else's. */
export class NoSuchResultError extends GatewayError {
  constructor(id: string) {
    super('ARGUMENTS_INVALID', `There is no result ${JSON.stringify(id.slice(0, 40))}, or it has expired.`, {
      hint: 'Call the tool again to get a new result.',
      data: { reason: 'result-gone' },
    });
  }
}

/** A stored result as one run of bytes: its manifest, its parts, its frame. */
export interface PackedResult {
  readonly bytes: number;
  /** At the beginning. */
  readonly manifestBytes: number;
  read(): AsyncGenerator<Buffer>;
}

export function isResultId(text: string): boolean {
  return idPattern.test(text);
}

export class ResultFiles {
  readonly #root: string;

  constructor(folder: string) {
    this.#root = join(folder, 'kept');
  }

  /** The folder in which a result is written until it is complete. */
  async begin(id: string): Promise<string> {
    const folder = join(this.#root, `${unfinished}${id}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  async finish(manifest: Manifest, frame: AsyncIterable<Buffer>, room: StorageRoom): Promise<void> {
    const folder = join(this.#root, `${unfinished}${manifest.id}`);
    await writeChunks(join(folder, frameFile), frame, room);
    await writeChunks(join(folder, manifestFile), jsonChunks(manifest), room);
    await rename(folder, join(this.#root, manifest.id));
  }

  /** Throws ENOENT where it is gone. */
  async pack({ id, parts }: Manifest): Promise<PackedResult> {
    const sizeOf = async (file: string) => (await stat(this.pathOf(id, file))).size;
    const [manifestBytes, frameBytes] = [await sizeOf(manifestFile), await sizeOf(frameFile)];
    const files: [name: string, bytes: number][] = [
      [manifestFile, manifestBytes],
      ...parts.map(({ bytes }, at): [string, number] => [partFile(at + 1), bytes]),
      [frameFile, frameBytes],
    ];
    const sources = files.map(([name, bytes]) => fileSource(this.pathOf(id, name), bytes));
    return {
      manifestBytes,
      bytes: sources.reduce((sum, { bytes }) => sum + bytes, 0),
      async *read() {
        for (const source of sources) yield* source.read();
      },
    };
  }

  /** Writes a result that was packed by another gateway, with times by this one's clock. */
  async unpack(
    { id, manifestBytes }: { readonly id: string; readonly manifestBytes: number },
    packed: AsyncIterable<Buffer>,
    times: Pick<Manifest, 'madeAt' | 'expiresAt'>,
    room: StorageRoom,
  ): Promise<Manifest> {
    await using reader = new ByteReader(packed);
    const written = parseManifest(id, (await collect(reader.take(manifestBytes))).toString());
    if (written === undefined) throw new NoSuchResultError(id);
    const manifest = { ...written, ...times };
    const folder = await this.begin(id);
    for (const [at, { bytes }] of manifest.parts.entries())
      await writeChunks(join(folder, partFile(at + 1)), reader.take(bytes), room);
    await this.finish(manifest, reader.take(Number.POSITIVE_INFINITY), room);
    return manifest;
  }

  async abandon(id: string): Promise<void> {
    await rm(join(this.#root, `${unfinished}${id}`), { recursive: true, force: true });
  }

  /** Removing what is gone already is no mistake. */
  async remove(id: string): Promise<void> {
    await rm(join(this.#root, id), { recursive: true, force: true });
  }

  pathOf(id: string, file: string): string {
    return join(this.#root, id, file);
  }

  /** The total size of its files. */
  async sizeOf(id: string): Promise<number> {
    let bytes = 0;
    for (const name of await fileNamesIn(join(this.#root, id))) bytes += await sizeOfFile(this.pathOf(id, name));
    return bytes;
  }

  /** All that are complete; whatever else lies there is removed. */
  async readAll(): Promise<Manifest[]> {
    const manifests: Manifest[] = [];
    for (const name of await fileNamesIn(this.#root)) {
      const manifest = isResultId(name) ? await this.readManifest(name) : undefined;
      if (manifest) manifests.push(manifest);
      else await rm(join(this.#root, name), { recursive: true, force: true });
    }
    return manifests;
  }

  /** Undefined where there is none that can be read. */
  async readManifest(id: string): Promise<Manifest | undefined> {
    try {
      return parseManifest(id, await readFile(this.pathOf(id, manifestFile), 'utf8'));
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR') return undefined;
      throw error;
    }
  }
}

/** Undefined where it is not the manifest of this result. */
function parseManifest(id: string, text: string): Manifest | undefined {
  try {
    const manifest: unknown = JSON.parse(text);
    // Only we write these; a folder that was renamed is complete.
    const isOurs = isObject(manifest) && manifest.id === id && Array.isArray(manifest.parts);
    return isOurs ? (manifest as unknown as Manifest) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** None where there is no such folder, or it has expired. */
export async function fileNamesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function sizeOfFile(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

export function partFile(number: number): string {
  return `part-${number}`;
}
