/**
 * Writes what the reader of definitions learns from, as sentences of word pieces: `node model/reader-items.ts DATA REAL PACKAGES OUT`.
 *
 * DATA holds real definitions as files of JSON lines, some of them packed (see README.md); REAL is a list of real servers with
 * the tools that they offer; PACKAGES is a folder of packages with type declarations. None of them is in this repository. The
 * half of the corpus that is kept apart is not read.
 */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { madeUpCatalogs } from '../bench/kit/made-up-tools.ts';
import { addedTexts } from '../src/trust/added-text.ts';
import { isEnglish } from '../src/trust/scan/language.ts';
import { addedMark, isWorthReading, markOf, purposePieces, wordPiecesOf } from '../src/trust/scan/read-sentences.ts';
import { sentencesOf } from '../src/trust/scan/sentences.ts';
import { type ScannedText, textsToScan } from '../src/trust/scan/texts-to-scan.ts';
import { isHeldOut, readChanges, readCorpus, readFolder } from '../test/poison/read-corpus.ts';
import { commentsOf } from './comments.ts';
import { randomFrom } from './random.ts';

type Definition = Readonly<Record<string, unknown>>;

/** A text: the mark that says what sort of text it is, and its sentences. */
interface Text {
  readonly m: number;
  readonly s: readonly (readonly number[])[];
}

interface Item {
  /** The purpose of the tool, in word pieces. */
  readonly c: readonly number[];
  readonly id: string;
  readonly src: string;
  readonly y: 0 | 1;
  readonly kind: string;
  readonly t: readonly Text[];
}

interface Passage {
  readonly text: string;
  readonly label: string;
  readonly kind: string;
  readonly name?: string;
  readonly first?: string;
  readonly where?: 'description' | 'parameter';
}

interface RealServer {
  readonly package: string;
  readonly tools?: readonly Definition[];
  readonly instructions?: string;
  /** The tools of published versions, the oldest first: what honest upgrades add. */
  readonly versions?: readonly (readonly Definition[])[];
}

/** As long as the reader takes them. */
const mostPieces = 48;
const mostComments = 40_000;
const mostTexts = { ours: 400, theirs: 40 };
/** Kinds of bad definitions that words give away; hidden, encoded and borrowed names are found by other means. */
const wordy = new Set(['instruction', 'exfiltration', 'cross-server', 'schema', 'subtle']);

/** Kinds of rug pulls that no added word gives away. */
const wordless = new Set(['hints', 'hidden', 'default']);

const deed =
  /^(Delete|Remove|Create|Update|Send|Execute|Run|Publish|Transfer|Cancel|Approve|Move|Add|Post|Upload|Share|Archive|Close|Merge|Reset|Revoke|Grant|Install|Deploy|Restart|Submit|Book|Release|Register|Assign|Invite|Disable|Enable|Rename|Replace|Write|Modify|Edit|Clear|Stop|Start|Sign|Order|Buy|Forward|Enter|Mark|Lock|Unlock|Erase|Purge)s? ([a-z][^.\n]{8,90})(?:\.|$)/;
const readsOnly = /^(?:Get|List|Read|Find|Search|Show|Fetch|View|Look|Count|Check|Describe|Retrieve|Return|Query)s? /;
const mostMadeUp = 1_500;

const [data = '', real = '', packages = '', out = ''] = process.argv.slice(2);
const realOnes = JSON.parse(readFileSync(real, 'utf8')) as RealServer[];
const known = new Set<string>();
const realTools: Definition[] = [];
const items = [
  ...passages(),
  ...definitions(),
  ...corpus(),
  ...development(),
  ...changes(),
  ...realServers(),
  ...realUpgrades(),
  ...others(),
  ...madeUpChanges(),
  ...madeUp(),
  ...fixture(),
  ...comments(),
];
const counts = Map.groupBy(items, ({ src, y }) => `${src} ${y === 1 ? 'bad' : 'benign'}`);
for (const [name, { length }] of counts) console.log(`${name}: ${length}`);
writeFileSync(out, gzipSync(items.map((item) => JSON.stringify(item)).join('\n')));

/** Passages for any purpose, or for that of the tool they come with; those with a place are what a change adds to that tool. */
function passages(): Item[] {
  return written('passages').map(({ author, line }) => {
    const { text, label, kind, name, first, where } = JSON.parse(line) as Passage;
    const c = name === undefined ? [] : purposePieces({ name, description: first });
    const scanned: ScannedText = { where: '', role: 'prose', side: 'tool', owner: undefined, text };
    const y = label === 'bad' ? 1 : 0;
    if (where === undefined) return { c, id: '', src: `t${author}`, y, kind, t: [{ m: 0, s: sentencesIn(scanned) }] };
    const m = addedMark + markOf({ ...scanned, owner: where === 'parameter' ? 'value' : undefined });
    return { c, id: '', src: `c${author}`, y, kind, t: [{ m, s: sentencesIn(scanned) }] };
  });
}

function definitions(): Item[] {
  return written('definitions').map(({ author, line }) => {
    const { definition, label, kind } = JSON.parse(line) as { definition: Definition; label: string; kind: string };
    return itemOf('', `w${author}`, label === 'bad' ? 1 : 0, kind, definition, mostTexts.ours);
  });
}

function corpus(): Item[] {
  return readCorpus()
    .filter((sample) => !isHeldOut(sample) && (sample.label === 'benign' || wordy.has(sample.kind)))
    .map(({ id, collection, label, kind, definition }) =>
      itemOf(id, collection, label === 'bad' ? 1 : 0, kind, definition, mostTexts.ours),
    );
}

/** Definitions by their authors; of changes, the first step and what an honest one becomes. */
function development(): Item[] {
  const folder = join(import.meta.dirname, '../test/poison/development');
  const author = (id: string) => `w${id.split('-', 1)}`;
  const seen = readFolder(folder)
    .filter(({ label, kind }) => label === 'benign' || !/encoded|hidden/.test(kind))
    .map(({ id, label, kind, definition }) =>
      itemOf(id, author(id), label === 'bad' ? 1 : 0, kind, definition, mostTexts.ours),
    );
  const changed = readChanges(folder).flatMap(({ id, label, steps }) =>
    [steps[0], label === 'benign' ? steps.at(-1) : undefined]
      .filter((step) => step !== undefined)
      .map((step) => itemOf(id, author(id), 0, 'step', step, mostTexts.ours)),
  );
  return [...seen, ...changed];
}

/** What changes add to a tool, for the purpose that it had before. */
function changes(): Item[] {
  return readChanges(join(import.meta.dirname, '../test/poison/development')).flatMap(({ id, label, kind, steps }) => {
    const [first = {}] = steps;
    if (label === 'bad' && wordless.has(kind)) return [];
    return steps
      .slice(1)
      .filter((_, at) => label === 'benign' || at === steps.length - 2)
      .map((after) => {
        const y = label === 'bad' ? 1 : 0;
        return changeOf(id, `c${id.split('-', 1)}`, y, `change-${kind}`, first, after);
      });
  });
}

/** Tools that read, and a sentence about another tool's action: said of the tool itself it is a new action, as advice it is none. */
function madeUpChanges(): Item[] {
  const random = randomFrom(11);
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const described = realTools.filter(({ description }) => typeof description === 'string');
  const found = described.flatMap(({ description }) => {
    const [, verb, object] = deed.exec(String(description)) ?? [];
    return verb && object ? [{ verb: verb.toLowerCase(), object }] : [];
  });
  const readers = described.filter(({ description }) => readsOnly.test(String(description)));
  return Array.from({ length: 2 * mostMadeUp }, (_, at) => {
    const { verb, object } = any(found);
    const tool = any(readers);
    const verbs = /(?:s|sh|ch|x)$/.test(verb)
      ? `${verb}es`
      : verb.endsWith('y') && !/[aeo]y$/.test(verb)
        ? `${verb.slice(0, -1)}ies`
        : `${verb}s`;
    const [own = ''] = String(tool.description).split(/(?<=\.)\s|\n/, 1);
    const begun = own.replace(/\.$/, '');
    const bad = [
      `${begun} and ${verbs} ${object}.`,
      `Also ${verbs} ${object}.`,
      `${verbs.charAt(0).toUpperCase()}${verbs.slice(1)} ${object}.`,
      `Afterwards it ${verbs} ${object}.`,
      `${begun}, then ${verbs} ${object} without asking.`,
      `When nothing is found, ${verbs} ${object}.`,
    ];
    const fair = [
      `To ${verb} ${object}, use another tool.`,
      `Does not ${verb} ${object}.`,
      `Use this before you ${verb} ${object}.`,
      `Never ${verbs} ${object}.`,
      `Helpful if you want to ${verb} ${object}.`,
      `If you then ${verb} ${object}, ask the user first.`,
    ];
    const isBad = at % 2 === 1;
    const text: ScannedText = {
      where: 'description',
      role: 'prose',
      side: 'tool',
      owner: undefined,
      text: any(isBad ? bad : fair),
    };
    const t = [{ m: addedMark + markOf(text), s: sentencesIn(text) }];
    return { c: purposePieces(tool), id: '', src: 'cmade', y: isBad ? 1 : 0, kind: 'change-made', t } as const;
  });
}

function changeOf(id: string, src: string, y: 0 | 1, kind: string, before: Definition, after: Definition): Item {
  const t = addedTexts(before, after).map((text) => ({ m: addedMark + markOf(text), s: sentencesIn(text) }));
  return { c: purposePieces(before), id, src, y, kind, t: t.slice(0, mostTexts.theirs) };
}

function realUpgrades(): Item[] {
  return realOnes.flatMap(({ package: name, versions = [] }) =>
    versions.slice(1).flatMap((tools, at) => {
      const before = new Map(versions[at]?.map((tool) => [tool.name, tool]));
      return tools.flatMap((tool) => {
        const old = before.get(tool.name);
        const item = old && changeOf(`${name}/${tool.name}`, 'creal', 0, 'change-real', old, tool);
        return item && item.t.length > 0 ? [item] : [];
      });
    }),
  );
}

function realServers(): Item[] {
  return realOnes.flatMap(({ package: name, tools = [], instructions }) => {
    const own = instructions === undefined ? [] : [{ name, instructions }];
    return [...tools, ...own].map((offer) => {
      known.add(keyOf(offer));
      return itemOf(`${name}/${offer.name}`, 'real', 0, 'real', offer, mostTexts.ours);
    });
  });
}

/** Without those that real servers offer too: what is measured on is not learnt from under another name. */
function others(): Item[] {
  const found = globSync('**/{tools.jsonl,mcp-docs.jsonl.gz}', { cwd: data }).sort();
  return found.flatMap((name) => {
    const bytes = readFileSync(join(data, name));
    const lines = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().trim().split('\n');
    return lines
      .map((line) => JSON.parse(line) as Definition)
      .filter((tool) => !known.has(keyOf(tool)))
      .map(({ id, name: own, description, inputSchema = { type: 'object' } }) => {
        realTools.push({ name: own, description });
        return itemOf(String(id), 'docs', 0, 'docs', { name: own, description, inputSchema }, mostTexts.theirs);
      });
  });
}

function madeUp(): Item[] {
  return [...madeUpCatalogs()].flatMap(([server, { tools }]) =>
    tools.map((tool) => itemOf(`${server}/${tool.name}`, 'docs', 0, 'made-up', { ...tool }, mostTexts.theirs)),
  );
}

/** The tools of the real-sized fixture, which lead from one step of a task to the next. */
function fixture(): Item[] {
  const folder = join(import.meta.dirname, '../test/fixtures/real-size');
  return globSync('*.json', { cwd: folder })
    .sort()
    .flatMap((file) => {
      const { tools } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { tools: Definition[] };
      return tools.map((tool) => itemOf(`${file}/${tool.name}`, 'wfixture', 0, 'fixture', tool, mostTexts.ours));
    });
}

/** Most of what is documented in a definition is a parameter. */
function comments(): Item[] {
  const random = randomFrom(7);
  const order = commentsOf(packages).map((text) => ({ text, at: random() }));
  return order
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
    .filter(isEnglish)
    .slice(0, mostComments)
    .map((text) => {
      const owner = random() < 0.7 ? 'value' : undefined;
      const scanned: ScannedText = { where: '', role: 'prose', side: 'tool', owner, text };
      return {
        c: [],
        id: '',
        src: 'docs',
        y: 0,
        kind: 'comments',
        t: [{ m: markOf(scanned), s: sentencesIn(scanned) }],
      };
    });
}

function itemOf(id: string, src: string, y: 0 | 1, kind: string, definition: Definition, most: number): Item {
  const t = textsToScan(definition)
    .texts.filter(({ text }) => isWorthReading(text))
    .map((text) => ({ m: markOf(text), s: sentencesIn(text) }))
    .filter(({ s }) => s.length > 0);
  return { c: purposePieces(definition), id, src, y, kind, t: t.slice(0, most) };
}

function sentencesIn(text: ScannedText): number[][] {
  return sentencesOf(text).flatMap((sentence) => {
    const numbers = wordPiecesOf(sentence, 2_000);
    return Array.from({ length: Math.ceil(numbers.length / mostPieces) }, (_, part) =>
      numbers.slice(part * mostPieces, (part + 1) * mostPieces),
    );
  });
}

function written(folder: string): { readonly author: string; readonly line: string }[] {
  return globSync(`${folder}/*.jsonl`, { cwd: import.meta.dirname })
    .sort()
    .flatMap((file) =>
      readFileSync(join(import.meta.dirname, file), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => ({ author: /-(\d+)\.jsonl$/.exec(file)?.[1] ?? '', line })),
    );
}

function keyOf({ name, description }: Definition): string {
  return `${name} ${String(description ?? '').slice(0, 40)}`;
}
