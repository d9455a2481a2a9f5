/** Answers a view of a stored result: always a first line that says what follows and where it goes on, and never over the limit. */

import { jsonSize } from '../base/json.ts';
import { collect } from './byte-source.ts';
import { describePart } from './describe-part.ts';
import { headRoom, type OpenResult } from './open-result.ts';
import type { PageTable } from './page-table.ts';
import { counted, type PartFacts, sizeText } from './part-facts.ts';
import { readPage, readRange, type Unit } from './read-page.ts';
import { bad, type ResultView } from './result-view.ts';
import { viewFind } from './view-find.ts';
import { partKindOf, partOf, viewPath, viewUri } from './view-path.ts';

export interface ResultAnswer {
  readonly text: string;
  /** Bytes, in base64, which the text describes. */
  readonly blob: { readonly mimeType: string; readonly data: string } | null;
  /** Which page of how many this is, and of which part of how many; null for another kind of view. */
  readonly pages: {
    readonly page: number;
    readonly count: number;
    readonly part: number;
    readonly partCount: number;
  } | null;
}

export async function viewResult(result: OpenResult, view: ResultView): Promise<ResultAnswer> {
  if (view.find !== undefined) return textAnswer(await viewFind(result, view.find, view));
  if (view.path !== undefined) return textAnswer(await viewPath(result, view.path, view));
  const number = view.part ?? 1;
  const facts = await partOf(result, number);
  if (facts.kind === 'binary') return viewBytes(result, number, facts, view);
  const table = await result.table(number, facts);
  if (view.lines) return textAnswer(await viewRange(result, number, facts, table, view.lines));
  const page = await viewPage(result, number, facts, table, view.page ?? 1);
  const isPlain = view.part === undefined && view.page === undefined;
  const text = isPlain ? `${overview(result)}\n${page}` : page;
  const pages = { page: view.page ?? 1, count: table.pages.length, ...placeOf(result, number) };
  return { text, blob: null, pages };
}

function placeOf({ manifest }: OpenResult, part: number) {
  return { part, partCount: manifest.parts.length };
}

function textAnswer(text: string): ResultAnswer {
  return { text, blob: null, pages: null };
}

async function viewPage(
  result: OpenResult,
  number: number,
  facts: PartFacts,
  table: PageTable,
  page: number,
): Promise<string> {
  const pages = table.pages.length;
  if (page > pages) throw bad(`There is no page ${page}: part ${number} has ${counted(pages, 'page')}.`);
  const { text, units } = await readPage(result.source(number, facts), table, page - 1);
  const next = page < pages ? ` Next: ${viewUri(result, number, `page=${page + 1}`)}` : ' This is the last page.';
  const head = `Page ${page} of ${pages} of part ${number} (${partKindOf(facts)}): ${spanOf(table, units)}.`;
  return `${head}${cutNote(table, units)}${next}\n${text}`;
}

async function viewRange(
  result: OpenResult,
  number: number,
  facts: PartFacts,
  table: PageTable,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<string> {
  const { unit, total } = table;
  if (from > total) throw bad(`There is no ${unit} ${from}: part ${number} has ${counted(total, unit)}.`);
  const { units, page } = await readRange(result.source(number, facts), table, from, to);
  const last = units.at(-1)?.number ?? from;
  const end = Math.min(to, total);
  const cut = units.some(({ isWhole }) => !isWhole);
  const isDone = last >= end && !cut;
  const next = isDone ? '' : ` Next: ${viewUri(result, number, cut ? `page=${page + 1}` : `lines=${last + 1}-${end}`)}`;
  const head = `Part ${number} (${partKindOf(facts)}): ${spanOf(table, units)}.${cutNote(table, units)}`;
  return `${head}${next}\n${units.map(({ text }) => text).join('\n')}`;
}

/** Pages of bytes are cut so that their base64 can be put together again. */
async function viewBytes(
  result: OpenResult,
  number: number,
  facts: PartFacts,
  view: ResultView,
): Promise<ResultAnswer> {
  if (view.lines) throw bad(`Part ${number} is ${facts.mimeType}: it has no lines, only pages of bytes.`);
  const step = Math.max(3, Math.floor(result.pageBytes / 4) * 3);
  const pages = Math.max(1, Math.ceil(facts.bytes / step));
  const page = view.page ?? 1;
  if (page > pages) throw bad(`There is no page ${page}: part ${number} has ${counted(pages, 'page')}.`);
  const from = (page - 1) * step;
  const bytes = await collect(result.source(number, facts).read(from, from + step));
  const next = page < pages ? ` Next: ${viewUri(result, number, `page=${page + 1}`)}` : ' This is the last page.';
  const span = `bytes ${from + 1}-${from + bytes.length} of ${facts.bytes}, as base64`;
  const head = `Page ${page} of ${pages} of part ${number} (${facts.mimeType}): ${span}.${next}`;
  const isPlain = view.part === undefined && view.page === undefined;
  const text = isPlain ? `${overview(result)}\n${head}` : head;
  const blob = { mimeType: facts.mimeType, data: bytes.toString('base64') };
  return { text, blob, pages: { page, count: pages, ...placeOf(result, number) } };
}

function spanOf({ unit, total }: PageTable, units: readonly Unit[]): string {
  const first = units[0]?.number;
  const last = units.at(-1)?.number;
  if (first === undefined || last === undefined || first > total) return `${counted(total, unit)} in all, none here`;
  return first === last ? `${unit} ${first} of ${total}` : `${unit}s ${first}-${last} of ${total}`;
}

function cutNote({ unit }: PageTable, units: readonly Unit[]): string {
  const cut = units.filter(({ isWhole }) => !isWhole).map(({ number }) => number);
  if (cut.length === 0) return '';
  return ` Only a piece of ${unit} ${[...new Set(cut)].join(' and ')}: it is longer than a page.`;
}

/** Lists the parts and how to read them, as far as there is room. */
function overview(result: OpenResult): string {
  const { manifest } = result;
  const until = new Date(manifest.expiresAt).toISOString();
  const parts = manifest.parts.length === 1 ? '' : ` in ${manifest.parts.length} parts`;
  const error = manifest.isError ? ' The tool reported an error.' : '';
  const first = `The result of ${manifest.toolKey}: ${sizeText(manifest.bytes)}${parts}, stored until ${until} at the latest.${error}`;
  const ways = 'Read it with ?page=N, ?lines=A-B, ?find=TEXT or ?path=$.a.b[0:20], and part=N before them.';
  // The line of the page itself, the address and the brackets around an answer take some, too.
  let room = headRoom(result.limit) - jsonSize(first) - jsonSize(ways) - 400;
  const lines: string[] = [];
  for (const [at, part] of manifest.parts.entries()) {
    const line = `Part ${at + 1}: ${describePart(part)}`;
    room -= jsonSize(line);
    if (room < 0) break;
    lines.push(line);
  }
  const left = manifest.parts.length - lines.length;
  if (left > 0 && lines.length > 0) lines.push(`… and ${counted(left, 'further part')}.`);
  return [first, ...lines, ...(room > -200 ? [ways] : [])].join('\n');
}
