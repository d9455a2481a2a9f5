/** A stored result that is being read: its parts, and the tables of their pages, which are made when first needed. */

import { createHash } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { systemCodeOf } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import type { JsonKind } from '../base/json-scan.ts';
import { type ByteSource, fileSource } from './byte-source.ts';
import type { PathStep } from './json-path.ts';
import { outlineJson } from './outline-json.ts';
import { type PageTable, pageLines, pageRows } from './page-table.ts';
import type { Manifest, PartFacts } from './part-facts.ts';
import { fileNamesIn, frameFile, partFile, type ResultFiles } from './result-files.ts';

/** The part that holds all but the long values. */
export const framePart = 0;
/** The share of an answer for its first lines. */
const headShare = 0.3;
const mostHeadBytes = 2_500;

/** Most bytes for the first lines of an answer, as sent. */
export function headRoom(limit: number): number {
  return Math.min(mostHeadBytes, Math.floor(limit * headShare));
}

/** Tables for values at paths that are remembered of one result. */
const maxPathTables = 50;

interface OpenOptions {
  readonly manifest: Manifest;
  readonly files: ResultFiles;
  /** Most bytes of an answer. */
  readonly limit: number;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** A long value inside a part, and where its pages begin. */
export interface PathTable {
  readonly kind: JsonKind;
  /** Its JSON in the part. */
  readonly start: number;
  readonly end: number;
  /** Of what is read: of a string, the text that it stands for. */
  readonly bytes: number;
  readonly table: PageTable;
}

export class OpenResult {
  readonly manifest: Manifest;
  readonly limit: number;
  /** True if something was written beside the parts. */
  hasGrown = false;
  readonly #files: ResultFiles;
  readonly #signal: AbortSignal | undefined;

  constructor({ manifest, files, limit, signal }: OpenOptions) {
    this.manifest = manifest;
    this.limit = limit;
    this.#files = files;
    this.#signal = signal;
  }

  get pageBytes(): number {
    return this.limit - headRoom(this.limit);
  }

  /** From 1; the frame's is 0. Undefined where there is no such part. */
  async part(number: number): Promise<PartFacts | undefined> {
    if (number !== framePart) return this.manifest.parts[number - 1];
    const path = this.#pathOf(frameFile);
    const { size } = await stat(path);
    const json = await outlineJson(fileSource(path, size, this.#signal).read());
    const type = 'application/json';
    return { kind: 'json', name: null, mimeType: type, bytes: size, blocks: 0, lines: 1, longestLine: size, json };
  }

  source(number: number, facts: PartFacts): ByteSource {
    const file = number === framePart ? frameFile : partFile(number);
    return fileSource(this.#pathOf(file), facts.bytes, this.#signal);
  }

  /** Of a text or of JSON. One that was made for larger pages than may be sent now is made again. */
  async table(number: number, facts: PartFacts): Promise<PageTable> {
    const file = `pages-${number}.json`;
    // Only we write here, and under another name until it is complete.
    const known = (await this.#recall(file)) as PageTable | undefined;
    if (known && known.pageBytes <= this.pageBytes) return known;
    const table = await makeTable(this.source(number, facts), facts, this.pageBytes);
    await this.#remember(file, table);
    return table;
  }

  /** Of a long value to which a path leads, where its pages have been read before. */
  async pathTable(number: number, path: readonly PathStep[]): Promise<PathTable | undefined> {
    const known = (await this.#recall(fileOf(number, path))) as PathTable | undefined;
    return known && known.table.pageBytes <= this.pageBytes ? known : undefined;
  }

  async keepPathTable(number: number, path: readonly PathStep[], table: PathTable): Promise<void> {
    const names = await fileNamesIn(this.#pathOf(''));
    const count = names.filter((name) => name.startsWith(pathPrefix)).length;
    if (count < maxPathTables) await this.#remember(fileOf(number, path), table);
  }

  #pathOf(file: string): string {
    return this.#files.pathOf(this.manifest.id, file);
  }

  async #recall(file: string): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.#pathOf(file), 'utf8'));
    } catch (error) {
      if (error instanceof SyntaxError || systemCodeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #remember(file: string, table: PageTable | PathTable): Promise<void> {
    const path = this.#pathOf(file);
    const fresh = `${path}.${randomId()}`;
    this.hasGrown = true;
    try {
      await writeFile(fresh, JSON.stringify(table), { mode: 0o600 });
      await rename(fresh, path);
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      // The answer is there all the same; the table is made again the next time.
      await rm(fresh, { force: true });
    }
  }
}

const pathPrefix = 'path-';

function fileOf(number: number, path: readonly PathStep[]): string {
  const hash = createHash('sha256').update(JSON.stringify(path)).digest('hex').slice(0, 32);
  return `${pathPrefix}${number}-${hash}.json`;
}

/** JSON that came as text keeps its lines, unless they are too long to be read. */
export function makeTable(source: ByteSource, facts: PartFacts, pageBytes: number): Promise<PageTable> {
  const hasRows = facts.json !== null && (facts.kind === 'json' || facts.longestLine > pageBytes);
  return hasRows && facts.json
    ? pageRows(source.read(), facts.json.rows, pageBytes)
    : pageLines(source.read(), pageBytes);
}
