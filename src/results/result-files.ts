/** Where a stored result lies on disk: a folder with its manifest, its frame and a file for each part. */

import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { jsonChunks } from './part-chunks.ts';
import type { Manifest } from './part-facts.ts';
import { type StorageRoom, writeChunks } from './write-chunks.ts';

/** A folder whose name begins so is being written, or was when the gateway ended. */
const unfinished = '.new-';
const idPattern = /^[A-Za-z0-9_-]{22}$/;

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

  async finish(manifest: Manifest, frame: unknown, room: StorageRoom): Promise<void> {
    const folder = join(this.#root, `${unfinished}${manifest.id}`);
    await writeChunks(join(folder, 'frame.json'), jsonChunks(frame), room);
    await writeChunks(join(folder, 'manifest.json'), jsonChunks(manifest), room);
    await rename(folder, join(this.#root, manifest.id));
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
      const manifest: unknown = JSON.parse(await readFile(this.pathOf(id, 'manifest.json'), 'utf8'));
      // Only we write here; a folder that was renamed is complete.
      const isOurs = isObject(manifest) && manifest.id === id && Array.isArray(manifest.parts);
      return isOurs ? (manifest as unknown as Manifest) : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR')
        return undefined;
      throw error;
    }
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
