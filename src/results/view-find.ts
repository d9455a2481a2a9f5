/** The view that searches: where a text occurs in a stored result, with what surrounds it. */

import { jsonSize } from '../base/json.ts';
import { type ByteSource, collect } from './byte-source.ts';
import { findText, type Match } from './find-text.ts';
import type { OpenResult } from './open-result.ts';
import type { PageStart, PageTable } from './page-table.ts';
import { counted, type PartFacts } from './part-facts.ts';
import { pageAt, splitRows } from './read-page.ts';
import { bad, type ResultView } from './result-view.ts';
import { partOf, viewUri } from './view-path.ts';

/** Beyond this many, matches are not counted. */
const maxMatches = 10_000;
/** Characters shown on either side of a match, where there is room. */
const mostAround = 80;

interface FoundMatch {
  readonly number: number;
  readonly facts: PartFacts;
  readonly source: ByteSource;
  readonly match: Match;
}

export async function viewFind(result: OpenResult, text: string, view: ResultView): Promise<string> {
  const parts = await searchable(result, view.part);
  const pager = new MatchPager(view.page ?? 1, result.pageBytes);
  for (const { number, facts } of parts) {
    const source = result.source(number, facts);
    const around = Math.min(mostAround, Math.floor(result.pageBytes / 20));
    const isJson = facts.kind === 'json' || facts.json !== null;
    for await (const match of findText(source.read(), text, { around, isJson })) {
      pager.add({ number, facts, source, match });
      if (pager.matches >= maxMatches) break;
    }
    if (pager.matches >= maxMatches) break;
  }
  return tell(result, text, view, pager, parts.length > 1);
}

/** The parts in which a text can be. */
export async function searchable(result: OpenResult, wanted: number | undefined) {
  if (wanted !== undefined) {
    const facts = await partOf(result, wanted);
    if (facts.kind === 'binary') throw bad(`Part ${wanted} is ${facts.mimeType}: only texts and JSON can be searched.`);
    return [{ number: wanted, facts }];
  }
  const parts = result.manifest.parts.map((facts, at) => ({ number: at + 1, facts }));
  const texts = parts.filter(({ facts }) => facts.kind !== 'binary');
  if (texts.length === 0) throw bad('The result holds only bytes: only texts and JSON can be searched.');
  return texts;
}

/** Keeps the matches of one page, and counts the others. */
class MatchPager {
  readonly found: FoundMatch[] = [];
  matches = 0;
  pages = 1;
  /** Which match is the first one here. */
  first = 0;
  readonly #wanted: number;
  readonly #pageBytes: number;
  #room: number;

  constructor(wanted: number, pageBytes: number) {
    this.#wanted = wanted;
    this.#pageBytes = pageBytes;
    this.#room = pageBytes;
  }

  add(found: FoundMatch): void {
    // The part and the line stand before the excerpt.
    const size = jsonSize(found.match.excerpt) + 50;
    if (size > this.#room && this.matches > 0) {
      this.pages += 1;
      this.#room = this.#pageBytes;
    }
    this.#room -= size;
    if (this.pages === this.#wanted) {
      if (this.found.length === 0) this.first = this.matches + 1;
      this.found.push(found);
    }
    this.matches += found.match.count;
  }
}

async function tell(
  result: OpenResult,
  text: string,
  view: ResultView,
  pager: MatchPager,
  isInSeveral: boolean,
): Promise<string> {
  const page = view.page ?? 1;
  const sought = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  const where = view.part === undefined ? '' : ` in part ${view.part}`;
  if (pager.matches === 0) return `No match for ${sought}${where}.`;
  if (page > pager.pages)
    throw bad(`There is no page ${page}: the matches for ${sought} fill ${counted(pager.pages, 'page')}.`);
  const last = pager.first - 1 + pager.found.reduce((sum, { match }) => sum + match.count, 0);
  const total = pager.matches >= maxMatches ? `at least ${maxMatches}` : pager.matches;
  const query = `find=${encodeURIComponent(text)}&page=${page + 1}`;
  const uri =
    view.part === undefined ? viewUri(result, 0, query).replace('part=0&', '') : viewUri(result, view.part, query);
  const next = page < pager.pages ? ` Next: ${uri}` : '';
  const lines: string[] = [];
  const tables = new Map<number, PageTable>();
  for (const found of pager.found) {
    const part = isInSeveral ? `part ${found.number}, ` : '';
    const many = found.match.count > 1 ? ` (${found.match.count} matches)` : '';
    const label = `${part}${await unitOf(result, found, tables)}${many}: `;
    lines.push(label + fitting(found.match.excerpt, result.pageBytes - 50));
  }
  return `Matches ${pager.first}-${last} of ${total} for ${sought}${where}.${next}\n${lines.join('\n')}`;
}

function fitting(excerpt: string, bytes: number): string {
  let text = excerpt;
  while (jsonSize(text) > bytes) text = `${text.slice(0, Math.floor(text.length * 0.7)).toWellFormed()}…`;
  return text;
}

/** The line, or the row of JSON, in which a match is. */
async function unitOf(result: OpenResult, found: FoundMatch, tables: Map<number, PageTable>): Promise<string> {
  const { number, facts, source, match } = found;
  if (facts.json === null) return `line ${match.line}`;
  const table = tables.get(number) ?? (await result.table(number, facts));
  tables.set(number, table);
  if (table.unit === 'line' || !table.rows) return `line ${match.line}`;
  if (match.byteAt < table.rows.start || match.byteAt >= table.rows.end) return 'outside the rows';
  const index = pageAt(table, match.byteAt);
  const [at, first, isInside] = table.pages[index] as PageStart;
  if (isInside === 1) return `row ${first}`;
  const before = await collect(source.read(Math.max(at, table.rows.start), match.byteAt + 1));
  return `row ${first + Math.max(1, splitRows(before).length) - 1}`;
}
