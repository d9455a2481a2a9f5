/** Loads a stored result for a program: the value itself as JSON text, whole or at a path, never over a limit. */

import { GatewayError, messageOf } from '../base/errors.ts';
import { JsonLimitError } from '../base/json.ts';
import type { JsonSpot } from '../base/json-scan.ts';
import { type ByteSource, collect, sliceSource } from './byte-source.ts';
import { describePart } from './describe-part.ts';
import { findText, textMatcher } from './find-text.ts';
import { isDefinite, parsePath } from './json-path.ts';
import type { OpenResult } from './open-result.ts';
import type { PageStart, PageTable } from './page-table.ts';
import { counted, type PartFacts, type RowsSpan, sizeText, uriOf } from './part-facts.ts';
import { pageIndex, readPage } from './read-page.ts';
import { type Row, readLines, readRows } from './read-units.ts';
import { bad, type ResultView } from './result-view.ts';
import { selectPath } from './select-path.ts';
import { searchable } from './view-find.ts';
import { jsonPart, nothingAt, partOf, viewUri } from './view-path.ts';
import { viewResult } from './view-result.ts';

/** Parts that are described where one has to be chosen. */
const partsTold = 5;

/** Throws TOO_LARGE with the way to a smaller piece, or ARGUMENTS_INVALID for a view that the result does not have. */
export async function loadValue(result: OpenResult, view: ResultView, options: LoadOptions): Promise<string> {
  // A program is given all of it or trouble: with less, it would count on what it does not have.
  if (view.page !== undefined && (view.path !== undefined || view.find !== undefined))
    throw bad('A program gets the whole value at once: leave "page" out.', 'Narrow the path: path=$.rows[0:100]');
  if (view.path !== undefined) return loadPath(result, view.path, view, options);
  if (view.find !== undefined) return loadMatches(result, view.find, view, options);
  if (view.lines !== undefined || view.page !== undefined) return loadPiece(result, view, options);
  if (view.part !== undefined) return loadPart(result, view.part, await partOf(result, view.part), options);
  const { parts } = result.manifest;
  const structured = parts.findIndex(({ kind, name }) => kind === 'json' && name === 'structuredContent');
  const [first] = parts;
  const chosen = structured === -1 ? first : parts[structured];
  if (chosen && (structured !== -1 || parts.length === 1))
    return loadPart(result, Math.max(0, structured) + 1, chosen, options);
  if (parts.every(({ kind, name }) => kind === 'text' && name === null)) return loadTexts(result, options);
  throw manyParts(result);
}

async function loadPart(
  result: OpenResult,
  number: number,
  facts: PartFacts,
  { maxBytes, verbatimOf }: LoadOptions,
): Promise<string> {
  if (facts.bytes > maxBytes) throw tooLargeToLoad(result, `It takes ${sizeText(facts.bytes)}`, maxBytes, facts);
  const bytes = await collect(result.source(number, facts).read());
  if (facts.kind === 'binary') return JSON.stringify({ mimeType: facts.mimeType, data: bytes.toString('base64') });
  const text = bytes.toString();
  const isRead = facts.json !== null && result.manifest.toolKey !== verbatimOf;
  return facts.kind === 'json' || isRead ? text : JSON.stringify(text);
}

async function loadTexts(result: OpenResult, { maxBytes }: LoadOptions): Promise<string> {
  const { parts } = result.manifest;
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (bytes > maxBytes) throw tooLargeToLoad(result, `It takes ${sizeText(bytes)}`, maxBytes, undefined);
  const texts: string[] = [];
  for (const [at, facts] of parts.entries())
    texts.push((await collect(result.source(at + 1, facts).read())).toString());
  return JSON.stringify(texts.join('\n'));
}

/** One value where the path leads to one at most, else the list of all. */
async function loadPath(
  result: OpenResult,
  path: string,
  view: ResultView,
  { maxBytes }: LoadOptions,
): Promise<string> {
  const steps = parsePath(path);
  const { number, facts } = await jsonPart(result, view.part);
  const values: string[] = [];
  let bytes = 0;
  const onValue = ({ start, end }: JsonSpot, text: Buffer | undefined) => {
    bytes += end - start + 1;
    if (text === undefined || bytes > maxBytes)
      throw tooLargeToLoad(result, `The value at ${path} takes ${sizeText(bytes)} or more`, maxBytes, facts);
    values.push(text.toString());
  };
  try {
    await selectPath(() => result.source(number, facts).read(), steps, { keepBytes: maxBytes, onValue });
  } catch (error) {
    throw error instanceof JsonLimitError ? bad(`The path cannot be followed. ${messageOf(error)}`) : error;
  }
  if (!isDefinite(steps)) return `[${values.join(',')}]`;
  if (values[0] === undefined) throw bad(nothingAt(path, number, facts));
  return values[0];
}

function manyParts(result: OpenResult): GatewayError {
  const { parts } = result.manifest;
  const told = parts.slice(0, partsTold).map((part, at) => `${at + 1}: ${describePart(part, 3)}`);
  return bad(
    `The result has ${parts.length} parts; choose one.`,
    `Write load("${viewUri(result, 1, '').replace(/&$/, '')}"). ${told.join(' ')}`,
  );
}

/** Characters on either side of what is found beside the rows of JSON. */
const around = 80;

/** `[{ line, text }]`, of JSON `[{ row, value }]`; with `part` where there are several. Numbers are those of the other views. */
async function loadMatches(
  result: OpenResult,
  text: string,
  view: ResultView,
  { maxBytes }: LoadOptions,
): Promise<string> {
  if (text.includes('\n')) throw bad('"find" looks through line by line: leave line breaks out.');
  const parts = await searchable(result, view.part);
  const found: string[] = [];
  for (const { number, facts } of parts) {
    const place = { source: result.source(number, facts), facts, text, keepBytes: maxBytes };
    const add = matchList(result, found, facts, maxBytes, parts.length > 1 ? number : undefined);
    const { unit } = await result.table(number, facts);
    if (unit === 'row' && facts.json) await addRows(place, facts.json.rows, add);
    else await addLines(place, add);
  }
  return `[${found.join(',')}]`;
}

interface SearchedPart {
  readonly source: ByteSource;
  readonly facts: PartFacts;
  readonly text: string;
  readonly keepBytes: number;
}

/** Members of one match as JSON texts; undefined where it is too long to be given. */
type Add = (members: Readonly<Record<string, string>> | undefined) => void;

function matchList(
  result: OpenResult,
  found: string[],
  facts: PartFacts,
  maxBytes: number,
  part: number | undefined,
): Add {
  let bytes = found.reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 2);
  return (members) => {
    const all = Object.entries(members ?? {}).map(([name, json]) => `"${name}":${json}`);
    const match = `{${[...(part === undefined ? [] : [`"part":${part}`]), ...all].join(',')}}`;
    bytes += members === undefined ? maxBytes : Buffer.byteLength(match) + 1;
    if (bytes > maxBytes)
      throw tooLargeToLoad(
        result,
        'The matches take more',
        maxBytes,
        facts,
        'Look for a longer text, or load pieces with ?lines=1-100.',
      );
    found.push(match);
  };
}

async function addLines({ source, facts, text, keepBytes }: SearchedPart, add: Add): Promise<void> {
  const holds = textMatcher(text, facts.kind === 'json' || facts.json !== null);
  for await (const line of readLines(source, 0, 1, keepBytes)) {
    if (line.text === undefined) add(undefined);
    else if (holds(line.text)) add({ line: String(line.number), text: JSON.stringify(line.text) });
  }
}

async function addRows({ source, text, keepBytes }: SearchedPart, rows: RowsSpan, add: Add): Promise<void> {
  const holds = textMatcher(text, true);
  const beside = async (from: number, to: number) => {
    const chunks = sliceSource(source, from, to).read();
    for await (const { excerpt } of findText(chunks, text, { around, isJson: true }))
      add({ row: 'null', text: JSON.stringify(excerpt) });
  };
  await beside(0, rows.start);
  await readRows(source, rows, {
    from: 1,
    to: Number.MAX_SAFE_INTEGER,
    keepBytes,
    onRow: ({ number, key, json }) => {
      if (json === undefined) add(undefined);
      else if (holds(json) || (key !== undefined && holds(key)))
        add({ row: String(number), ...(key === undefined ? {} : { key: JSON.stringify(key) }), value: json });
    },
  });
  await beside(rows.end, source.bytes);
}

interface PagedPart {
  readonly result: OpenResult;
  readonly number: number;
  readonly facts: PartFacts;
  readonly table: PageTable;
}

/** Numbers of lines, rows and pages are those that a reader of the same result sees. */
async function loadPiece(result: OpenResult, view: ResultView, { maxBytes }: LoadOptions): Promise<string> {
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

async function loadLines({ result, number, facts, table }: PagedPart, { from, to }: Range, maxBytes: number) {
  const [at, first] = table.pages[pageIndex(table, from)] as PageStart;
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

async function loadRows({ result, number, facts }: PagedPart, rows: RowsSpan, range: Range, maxBytes: number) {
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
  if (to === from) return tooLargeToLoad(result, `Number ${from} alone takes more`, maxBytes, facts);
  const fewer = viewUri(result, number, `lines=${from}-${to - 1}`);
  const hint = `Load fewer at a time, e.g. load("${fewer}").`;
  return tooLargeToLoad(result, `Numbers ${from} to ${to} take more`, maxBytes, facts, hint);
}

/** Of a text all pages one after the other are the text; of JSON the whole rows that are on the page. */
async function loadPage({ result, number, facts, table }: PagedPart, page: number): Promise<string> {
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

function joined({ kind }: RowsSpan, texts: readonly string[]): string {
  return kind === 'array' ? `[${texts.join(',')}]` : `{${texts.join(',')}}`;
}

/** A table of rows is made of JSON that has some. */
function rowsOf({ json }: PartFacts): RowsSpan {
  if (!json) throw new Error('A part without an outline has no rows.');
  return json.rows;
}

export interface LoadOptions {
  /** Of the value's JSON text. */
  readonly maxBytes: number;
  /** The tool whose texts stay texts: those of others that are JSON are given as what they say. */
  readonly verbatimOf: string;
}

/** TOO_LARGE with the way to a smaller piece. */
function tooLargeToLoad(
  result: OpenResult,
  what: string,
  maxBytes: number,
  facts: PartFacts | undefined,
  hint = smallerPiece(result, facts),
): GatewayError {
  const uri = uriOf(result.manifest.id);
  return new GatewayError('TOO_LARGE', `${what}; a program gets at most ${sizeText(maxBytes)} at once.`, {
    hint,
    data: { uri },
  });
}

function smallerPiece({ manifest }: OpenResult, facts: PartFacts | undefined): string {
  const uri = uriOf(manifest.id);
  return facts?.json
    ? `Load less at a time, e.g. load("${uri}?path=${rowsPath(facts)}").`
    : `Read it in pieces, e.g. load("${uri}?page=1"), ?lines=1-100 or ?find=TEXT.`;
}

function rowsPath({ json }: PartFacts): string {
  const keys = json?.rows.keys ?? [];
  const isPlain = keys.every((key) => /^[A-Za-z_]\w*$/.test(key));
  return isPlain ? `$${keys.map((key) => `.${key}`).join('')}[0:100]` : '$.name[0:100]';
}
