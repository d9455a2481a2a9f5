/** A kept result that is being read: its parts, and the tables of their pages, which are made when first needed. */

import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { systemCodeOf } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import { isObject } from '../base/json.ts';
import { type ByteSource, fileSource } from './byte-source.ts';
import { outlineJson } from './outline-json.ts';
import { type PageTable, pageLines, pageRows } from './page-table.ts';
import type { Manifest, PartFacts } from './part-facts.ts';
import { partFile, type ResultFiles } from './result-files.ts';

/** The part that holds all but the long values. */
export const framePart = 0;
/** What of an answer is left for its first lines. */
const headShare = 0.3;
const mostHeadBytes = 2_500;

/** What the first lines of an answer may take, as they are sent. */
export function headRoom(limit: number): number {
  return Math.min(mostHeadBytes, Math.floor(limit * headShare));
}

export class OpenResult {
  readonly manifest: Manifest;
  /** What an answer may take. */
  readonly limit: number;
  readonly #files: ResultFiles;

  constructor(manifest: Manifest, files: ResultFiles, limit: number) {
    this.manifest = manifest;
    this.#files = files;
    this.limit = limit;
  }

  get pageBytes(): number {
    return this.limit - headRoom(this.limit);
  }

  /** From 1; the frame's is 0. Undefined where there is no such part. */
  async part(number: number): Promise<PartFacts | undefined> {
    if (number !== framePart) return this.manifest.parts[number - 1];
    const path = this.#files.pathOf(this.manifest.id, 'frame.json');
    const { size } = await stat(path);
    const json = await outlineJson(fileSource(path, size).read());
    const type = 'application/json';
    return { kind: 'json', name: null, mimeType: type, bytes: size, blocks: 0, lines: 1, longestLine: size, json };
  }

  source(number: number, facts: PartFacts): ByteSource {
    const file = number === framePart ? 'frame.json' : partFile(number);
    return fileSource(this.#files.pathOf(this.manifest.id, file), facts.bytes);
  }

  /** Of a text or of JSON. One that was made for larger pages than may be sent now is made again. */
  async table(number: number, facts: PartFacts): Promise<PageTable> {
    const path = this.#files.pathOf(this.manifest.id, `pages-${number}.json`);
    const known = await readTable(path);
    if (known && known.pageBytes <= this.pageBytes) return known;
    const table = await makeTable(this.source(number, facts), facts, this.pageBytes);
    const fresh = `${path}.${randomId()}`;
    await writeFile(fresh, JSON.stringify(table), { mode: 0o600 });
    await rename(fresh, path);
    return table;
  }
}

/** JSON that came as text keeps its lines, unless they are too long to be read. */
export function makeTable(source: ByteSource, facts: PartFacts, pageBytes: number): Promise<PageTable> {
  const hasRows = facts.json !== null && (facts.kind === 'json' || facts.longestLine > pageBytes);
  return hasRows && facts.json
    ? pageRows(source.read(), facts.json.rows, pageBytes)
    : pageLines(source.read(), pageBytes);
}

async function readTable(path: string): Promise<PageTable | undefined> {
  try {
    const table: unknown = JSON.parse(await readFile(path, 'utf8'));
    // Only we write here, and under another name until it is complete.
    return isObject(table) && Array.isArray(table.pages) ? (table as unknown as PageTable) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
