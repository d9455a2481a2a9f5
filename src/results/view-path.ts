/** The view that selects: the values to which a path leads in a part of a stored result. */

import { JsonLimitError, jsonSize } from '../base/json.ts';
import type { JsonSpot } from '../base/json-scan.ts';
import { type ByteSource, collect, decodedSource, sliceSource } from './byte-source.ts';
import { isDefinite, type PathStep, parsePath } from './json-path.ts';
import { framePart, makeTable, type OpenResult, type PathTable } from './open-result.ts';
import { outlineJson } from './outline-json.ts';
import { pageLines } from './page-table.ts';
import { counted, type PartFacts, sizeText, uriOf } from './part-facts.ts';
import { readPage } from './read-page.ts';
import { bad, type ResultView } from './result-view.ts';
import { selectPath } from './select-path.ts';
import { tidied } from './tidy-json.ts';

/** Names that are shown where a path leads nowhere. */
const namesTold = 20;

interface Selected {
  readonly start: number;
  readonly end: number;
  readonly kind: JsonSpot['kind'];
  /** Missing where it is too long for a page. */
  readonly text: string | undefined;
}

export async function viewPath(result: OpenResult, path: string, view: ResultView): Promise<string> {
  const steps = parsePath(path);
  const { number, facts } = await jsonPart(result, view.part);
  const source = result.source(number, facts);
  const page = view.page ?? 1;
  const address = (next: number) => viewUri(result, number, `path=${encodeURIComponent(path)}&page=${next}`);
  const known = isDefinite(steps) ? await result.pathTable(number, steps) : undefined;
  if (known) return viewInside(source, known, path, page, address);
  const pager = new ValuePager(page, result.pageBytes);
  await select(source, steps, pager);
  if (pager.count === 0) return nothingAt(path, number, facts);
  const [only] = pager.chosen;
  if (isDefinite(steps) && pager.longOnly) {
    const table = await tableOf(source, pager.longOnly, result.pageBytes);
    await result.keepPathTable(number, steps, table);
    return viewInside(source, table, path, page, address);
  }
  if (page > pager.pages || !only)
    throw bad(`There is no page ${page}: the values at ${path} fill ${counted(pager.pages, 'page')}.`);
  const lines = await Promise.all(pager.chosen.map((value) => lineOf(source, value, result.pageBytes)));
  const last = pager.first + pager.chosen.length - 1;
  const span = pager.count === 1 ? 'one value' : `values ${pager.first}-${last} of ${pager.count}`;
  const next = page < pager.pages ? ` Next: ${address(page + 1)}` : '';
  return `${path} in part ${number}: ${span}.${next}\n${lines.join('\n')}`;
}

/** Looks deeper than when the part was kept, and may find there what is over the limits. */
async function select(source: ByteSource, steps: readonly PathStep[], pager: ValuePager): Promise<void> {
  try {
    await selectPath(() => source.read(), steps, pager);
  } catch (error) {
    throw error instanceof JsonLimitError ? bad(`The path cannot be followed. ${error.message}`) : error;
  }
}

export async function jsonPart(result: OpenResult, wanted: number | undefined) {
  const parts = result.manifest.parts.map((facts, at) => ({ number: at + 1, facts }));
  const json = parts.filter(({ facts }) => facts.json !== null);
  const known = json.length === 0 ? 'No part is' : `JSON is in part ${json.map(({ number }) => number).join(', ')}`;
  if (wanted !== undefined) {
    const facts = await partOf(result, wanted);
    if (facts.json) return { number: wanted, facts };
    throw bad(`Part ${wanted} is not JSON, so it has no paths. ${known}.`);
  }
  const [first] = json;
  if (!first) throw bad('The result holds no JSON, so it has no paths.');
  return first;
}

/** Puts values onto pages, and keeps those of one page. */
class ValuePager {
  readonly keepBytes: number;
  readonly chosen: Selected[] = [];
  count = 0;
  pages = 1;
  /** Which value is the first one here. */
  first = 0;
  /** The value, where there is one only and no page can hold it. */
  longOnly: Selected | undefined;
  readonly #wanted: number;
  readonly #pageBytes: number;
  #room: number;

  constructor(wanted: number, pageBytes: number) {
    this.keepBytes = pageBytes;
    this.#wanted = wanted;
    this.#pageBytes = pageBytes;
    this.#room = pageBytes;
  }

  onValue({ start, end, kind }: JsonSpot, kept: Buffer | undefined): void {
    const tidy = kept === undefined ? undefined : tidied(kept).toString();
    const fits = tidy !== undefined && jsonSize(tidy) <= this.#pageBytes;
    const value: Selected = { start, end, kind, text: fits ? tidy : undefined };
    const size = fits ? jsonSize(tidy) : this.#pageBytes;
    if (size > this.#room && this.count > 0) {
      this.pages += 1;
      this.#room = this.#pageBytes;
    }
    this.#room -= size;
    this.count += 1;
    this.longOnly = this.count === 1 && !fits ? value : undefined;
    if (this.pages !== this.#wanted) return;
    if (this.chosen.length === 0) this.first = this.count;
    this.chosen.push(value);
  }
}

/** One of several values that is too long is shown by its beginning. */
async function lineOf(source: ByteSource, value: Selected, pageBytes: number): Promise<string> {
  if (value.text !== undefined) return value.text;
  const note = ` … (cut: ${sizeText(value.end - value.start)}; name it alone in the path to read it all)`;
  const bytes = await collect(source.read(value.start, value.start + Math.floor((pageBytes - note.length) / 2)));
  return new TextDecoder('utf-8').decode(bytes, { stream: true }) + note;
}

/** A single long value is read page by page: a text as it is, a list or object by rows. */
async function tableOf(source: ByteSource, { start, end, kind }: Selected, pageBytes: number): Promise<PathTable> {
  const inside = await insideOf(source, { start, end, kind });
  const { bytes } = inside;
  if (kind !== 'array' && kind !== 'object')
    return { kind, start, end, bytes, table: await pageLines(inside.read(), pageBytes) };
  const json = await outlineJson(inside.read());
  const facts: PartFacts = {
    kind: 'json',
    name: null,
    mimeType: 'application/json',
    bytes,
    blocks: 0,
    lines: null,
    longestLine: bytes,
    json,
  };
  return { kind, start, end, bytes, table: await makeTable(inside, facts, pageBytes) };
}

/** The inside of a value: of a string, its text. */
async function insideOf(
  source: ByteSource,
  { start, end, kind, bytes }: Pick<PathTable, 'start' | 'end' | 'kind'> & { readonly bytes?: number },
): Promise<ByteSource> {
  const slice = sliceSource(source, start, end);
  return kind === 'string' ? decodedSource(slice, bytes) : slice;
}

async function viewInside(
  part: ByteSource,
  known: PathTable,
  path: string,
  page: number,
  address: (next: number) => string,
): Promise<string> {
  const { table } = known;
  const source = await insideOf(part, known);
  const pages = table.pages.length;
  if (page > pages) throw bad(`There is no page ${page}: the value at ${path} fills ${counted(pages, 'page')}.`);
  const { text, units } = await readPage(source, table, page - 1);
  const span =
    units.length === 0 ? '' : `, ${table.unit}s ${units[0]?.number}-${units.at(-1)?.number} of ${table.total}`;
  const next = page < pages ? ` Next: ${address(page + 1)}` : ' This is the last page.';
  return `${path}: page ${page} of ${pages}${span} (${sizeText(source.bytes)}).${next}\n${text}`;
}

export function nothingAt(path: string, number: number, facts: PartFacts): string {
  const keys = facts.json?.keys.slice(0, namesTold) ?? [];
  const names = keys.length === 0 ? '' : ` At the top level there are: ${keys.join(', ')}.`;
  return `There is nothing at ${path} in part ${number}.${names}`;
}

export async function partOf(result: OpenResult, number: number): Promise<PartFacts> {
  const facts = await result.part(number);
  if (facts) return facts;
  const { length } = result.manifest.parts;
  const range = length === 1 ? 'only part 1' : `parts 1 to ${length}`;
  throw bad(`There is no part ${number}: the result has ${range} (and part ${framePart}, the frame around them).`);
}

/** The URI of a view; a part is named where there are several. */
export function viewUri(result: OpenResult, number: number, query: string): string {
  const part = number === 1 && result.manifest.parts.length === 1 ? '' : `part=${number}&`;
  return `${uriOf(result.manifest.id)}?${part}${query}`;
}

export function partKindOf(facts: PartFacts): string {
  return facts.kind === 'json' ? 'JSON' : facts.json ? 'JSON as text' : 'text';
}
