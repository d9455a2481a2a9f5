/** Lines, rows and pages of a kept result as a program wants them: the piece itself as JSON text, all that was asked for or nothing. */

import { collect } from './byte-source.ts';
import { type LoadOptions, tooLarge } from './load-limit.ts';
import type { OpenResult } from './open-result.ts';
import type { PageStart, PageTable } from './page-table.ts';
import { counted, type PartFacts, type RowsPlace } from './part-facts.ts';
import { pageOf, readPage } from './read-page.ts';
import { type Row, readLines, readRows } from './read-units.ts';
import { bad, type ResultView } from './result-view.ts';
import { partOf, viewUri } from './view-address.ts';
import { viewResult } from './view-result.ts';

interface Place {
  readonly result: OpenResult;
  readonly number: number;
  readonly facts: PartFacts;
  readonly table: PageTable;
}

/** Numbers of lines, rows and pages are those that a reader of the same result sees. */
export async function loadPiece(result: OpenResult, view: ResultView, { maxBytes }: LoadOptions): Promise<string> {
  const number = view.part ?? 1;
  const facts = await partOf(result, number);
  if (facts.kind === 'binary') return JSON.stringify((await viewResult(result, view)).blob);
  const place = { result, number, facts, table: await result.table(number, facts) };
  if (view.lines === undefined) return loadPage(place, view.page ?? 1);
  const { unit, total } = place.table;
  const { from } = view.lines;
  if (from > total) throw bad(`There is no ${unit} ${from}: part ${number} has ${counted(total, unit)}.`);
  const range = { from, to: Math.min(view.lines.to, total) };
  return unit === 'line' ? loadLines(place, range, maxBytes) : loadRows(place, rowsOf(facts), range, maxBytes);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

async function loadLines({ result, number, facts, table }: Place, { from, to }: Range, maxBytes: number) {
  const [at, first] = table.pages[pageOf(table, from)] as PageStart;
  const lines: string[] = [];
  let bytes = 0;
  for await (const line of readLines(result.source(number, facts), at, first, maxBytes)) {
    if (line.number < from) continue;
    bytes += line.text === undefined ? maxBytes + 1 : Buffer.byteLength(line.text) + 1;
    if (bytes > maxBytes) throw tooMany(result, number, facts, { from, to: line.number }, maxBytes);
    lines.push(line.text ?? '');
    if (line.number >= to) break;
  }
  return JSON.stringify(lines.join('\n'));
}

async function loadRows({ result, number, facts }: Place, rows: RowsPlace, range: Range, maxBytes: number) {
  const found: Row[] = [];
  let bytes = 0;
  const onRow = (row: Row) => {
    bytes += row.json === undefined ? maxBytes + 1 : Buffer.byteLength(row.json) + (row.key?.length ?? 0) + 1;
    if (bytes > maxBytes) throw tooMany(result, number, facts, { from: range.from, to: row.number }, maxBytes);
    found.push(row);
  };
  await readRows(result.source(number, facts), rows, { ...range, keepBytes: maxBytes, onRow });
  const texts = found.map(({ key, json = '' }) => (key === undefined ? json : `${JSON.stringify(key)}:${json}`));
  return joined(rows, texts);
}

function tooMany(result: OpenResult, number: number, facts: PartFacts, { from, to }: Range, maxBytes: number) {
  if (to === from) return tooLarge(result, `Number ${from} alone takes more`, maxBytes, facts);
  const fewer = viewUri(result, number, `lines=${from}-${to - 1}`);
  const hint = `Load fewer at a time, e.g. load("${fewer}").`;
  return tooLarge(result, `Numbers ${from} to ${to} take more`, maxBytes, facts, hint);
}

/** Of a text all pages one after the other are the text; of JSON the whole rows that are on the page. */
async function loadPage({ result, number, facts, table }: Place, page: number): Promise<string> {
  const pages = table.pages.length;
  if (page > pages) throw bad(`There is no page ${page}: part ${number} has ${counted(pages, 'page')}.`);
  const source = result.source(number, facts);
  if (table.unit === 'line') {
    const [at] = table.pages[page - 1] as PageStart;
    return JSON.stringify((await collect(source.read(at, table.pages[page]?.[0] ?? table.end))).toString());
  }
  const { units } = await readPage(source, table, page - 1);
  const piece = units.find(({ isWhole }) => !isWhole);
  if (!piece)
    return joined(
      rowsOf(facts),
      units.map(({ text }) => text),
    );
  throw bad(
    `Page ${page} is only a piece of row ${piece.number}.`,
    `Load the whole row: load("${viewUri(result, number, `lines=${piece.number}`)}").`,
  );
}

function joined({ kind }: RowsPlace, texts: readonly string[]): string {
  return kind === 'array' ? `[${texts.join(',')}]` : `{${texts.join(',')}}`;
}

/** A table of rows is made of JSON that has some. */
function rowsOf({ json }: PartFacts): RowsPlace {
  if (!json) throw new Error('A part without an outline has no rows.');
  return json.rows;
}
