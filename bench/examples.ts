/** Prints queries that words alone get wrong and words with meaning right, and some the other way, as a person would read them. */

import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { openTable } from '../src/meaning/meaning.ts';
import type { Hit, LocalMode, SearchDocument, ToolIndex } from '../src/search/search.ts';
import type { LabelledQuery } from './search-figures.ts';
import { askQuestion, indexSet, readSet } from './search-set.ts';

const usage = 'npm run bench:examples -- --data DIR [--data DIR …] [--json]';
const wanted = { gains: 10, losses: 5 };
/** How far down the wanted tool is looked for. */
const depth = 20;
/** Longer queries are no pleasure to read. */
const mostWords = 30;
const longestSentence = 110;

interface Ranked {
  readonly hits: readonly Hit[];
  readonly first: Hit;
  /** Where the wanted tool stands, from 1; null: not among those looked at. */
  readonly place: number | null;
  /** How the wanted tool fared, where it was found. */
  readonly own: Hit | null;
}

interface Example {
  readonly set: string;
  readonly query: string;
  readonly wanted: SearchDocument;
  readonly bm25: Ranked;
  readonly hybrid: Ranked;
}

const { values } = parseArgs({ options: { data: { type: 'string', multiple: true }, json: { type: 'boolean' } } });
if (values.data === undefined) {
  console.error(`Say which data sets to look at: ${usage}`);
  process.exitCode = 2;
} else {
  await main(values.data);
}

async function main(folders: readonly string[]): Promise<void> {
  const gains: Example[][] = [];
  const losses: Example[][] = [];
  const documentsOf = new Map<string, ReadonlyMap<string, SearchDocument>>();
  for (const folder of folders) {
    const { documents, queries } = readSet(folder);
    const set = basename(folder);
    const byKey = new Map(documents.map((document) => [document.key, document]));
    documentsOf.set(set, byKey);
    const index = await indexSet(documents, openTable());
    const examples: Example[] = [];
    for (const query of queries) examples.push(...(await exampleOf(set, query, index, byKey)));
    gains.push(
      byClarity(
        examples.filter((each) => isRight(each.hybrid) && !isRight(each.bm25)),
        'bm25',
      ),
    );
    losses.push(
      byClarity(
        examples.filter((each) => isRight(each.bm25) && !isRight(each.hybrid)),
        'hybrid',
      ),
    );
  }
  const chosen = { gains: choose(gains, wanted.gains), losses: choose(losses, wanted.losses) };
  const total = { gains: gains.flat().length, losses: losses.flat().length };
  const read = (example: Example) => textsOf(example, documentsOf.get(example.set) ?? new Map());
  const report = { total, gains: chosen.gains.map(read), losses: chosen.losses.map(read) };
  if (values.json) console.info(JSON.stringify(report));
  else print(report);
}

/** None where the query is long or its tool is not in the set. */
async function exampleOf(
  set: string,
  query: LabelledQuery,
  index: ToolIndex,
  documents: ReadonlyMap<string, SearchDocument>,
): Promise<Example[]> {
  const document = documents.get(query.relevant[0] ?? '');
  if (!document || query.query.split(/\s+/).length > mostWords) return [];
  const right = new Set([...query.relevant, ...(query.relevantGroups ?? []).flat()]);
  const [bm25, hybrid] = [await rank(index, query, right, 'bm25'), await rank(index, query, right, 'hybrid')];
  if (!bm25 || !hybrid) return [];
  const own = documents.get((bm25.own ?? hybrid.own)?.key ?? '') ?? document;
  return [{ set, query: query.query.replace(/\s+/g, ' ').trim(), wanted: own, bm25, hybrid }];
}

async function rank(
  index: ToolIndex,
  query: LabelledQuery,
  right: ReadonlySet<string>,
  mode: LocalMode,
): Promise<Ranked | undefined> {
  const question = await askQuestion(index, query.query, mode === 'bm25' ? null : openTable());
  const hits = index.search([question], { limit: depth, mode });
  const [first] = hits;
  if (!first) return undefined;
  const at = hits.findIndex((hit) => right.has(hit.key));
  return { hits, first, place: at < 0 ? null : at + 1, own: hits[at] ?? null };
}

function isRight({ place }: Ranked): boolean {
  return place === 1;
}

/** The worse the loser did, the clearer; then the shorter query; the text decides last, so that the order is always the same. */
function byClarity(examples: readonly Example[], loser: 'bm25' | 'hybrid'): Example[] {
  const place = (example: Example) => example[loser].place ?? depth + 1;
  return examples.toSorted(
    (a, b) => place(b) - place(a) || a.query.length - b.query.length || (a.query < b.query ? -1 : 1),
  );
}

/** From the sets in turn; no tool is wanted twice, stands first twice, or comes from the same named server twice. */
function choose(sets: readonly Example[][], count: number): Example[] {
  const queues = sets.map((examples) => examples[Symbol.iterator]());
  const used = new Set<string>();
  const chosen: Example[] = [];
  let isEmpty = false;
  while (chosen.length < count && !isEmpty) {
    isEmpty = true;
    for (const queue of queues) {
      for (const example of queue) {
        const marks = marksOf(example);
        if (marks.some((mark) => used.has(mark))) continue;
        for (const mark of marks) used.add(mark);
        if (chosen.length < count) chosen.push(example);
        isEmpty = false;
        break;
      }
    }
  }
  return chosen;
}

function marksOf({ wanted: { key, server }, bm25, hybrid }: Example): string[] {
  const tools = new Set([key, bm25.first.key, hybrid.first.key]);
  return [...tools, ...(server === '' ? [] : [`server ${server}`])];
}

type Texts = Readonly<Record<'set' | 'query' | 'wanted' | 'bm25' | 'hybrid' | 'why', string>>;

function textsOf(example: Example, documents: ReadonlyMap<string, SearchDocument>): Texts {
  const { bm25, hybrid } = example;
  const title = (hit: Hit) => titleOf(documents.get(hit.key));
  const shown = (ranked: Ranked) =>
    isRight(ranked)
      ? `right: ${title(ranked.first)}`
      : `${title(ranked.first)} — the wanted one is ${placeText(ranked)}`;
  return {
    set: example.set,
    query: example.query,
    wanted: titleOf(example.wanted),
    bm25: shown(bm25),
    hybrid: shown(hybrid),
    why: whyOf(example),
  };
}

function whyOf({ bm25, hybrid }: Example): string {
  const right = (isRight(bm25) ? bm25 : hybrid).own;
  const wrong = isRight(bm25) ? hybrid.first : bm25.first;
  const wrongWords = wordsText(wrong.explanation.words);
  const rightWords = wordsText(right?.explanation.words ?? []);
  const nearness = (hit: Hit | null | undefined) => near(hybrid.hits.find((other) => other.key === hit?.key));
  if (isRight(bm25))
    return `The other one has ${wrongWords}, and its meaning is nearer (${nearness(wrong)} against ${nearness(right)}) than that of the wanted one, which has ${rightWords}.`;
  return `By words the other one fits, for it has ${wrongWords}; the wanted one has ${rightWords}, but its meaning is nearer (${nearness(right)} against ${nearness(wrong)}).`;
}

function wordsText(words: readonly string[]): string {
  return words.length === 0 ? 'none of the words' : words.map((word) => `“${word}”`).join(', ');
}

function near(hit: Hit | null | undefined): string {
  return hit?.explanation.meaning?.toFixed(2) ?? 'too little to be listed';
}

function placeText({ place }: Ranked): string {
  return place === null ? `not among the first ${depth}` : `number ${place}`;
}

/** The tool with the first sentence of its description. */
function titleOf(document: SearchDocument | undefined): string {
  if (!document) return '';
  const text = document.description.replace(/\s+/g, ' ').trim();
  const sentence = /^.*?[.!?。](?=\s|$)/u.exec(text)?.[0] ?? text;
  const short = sentence.length > longestSentence ? `${sentence.slice(0, longestSentence)}…` : sentence;
  return `${document.key} (${short})`;
}

function print(report: { total: Record<'gains' | 'losses', number>; gains: Texts[]; losses: Texts[] }): void {
  const show = (heading: string, texts: readonly Texts[]) => {
    console.info(`\n${heading}`);
    for (const [at, { set, query, wanted: tool, bm25, hybrid, why }] of texts.entries())
      console.info(
        `\n${at + 1}. “${query}” [${set}]\n   wanted  ${tool}\n   bm25    ${bm25}\n   hybrid  ${hybrid}\n   why     ${why}`,
      );
  };
  show(`Words alone are wrong, words with meaning right (${report.total.gains} in all)`, report.gains);
  show(`The other way round (${report.total.losses} in all)`, report.losses);
}
