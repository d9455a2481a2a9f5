/** Catalogs of any size for benchmarks: made from word lists, or from the tools of a data folder, repeated with varied names and words. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { documentFromTool, type SearchDocument } from '../src/search/search.ts';
import { type Random, reword, seededRandom } from './usage-week.ts';

/** A tool as a server would list it, with what the server says of itself. */
export interface ToolRow {
  readonly server: string;
  readonly serverDescription?: string;
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
}

const toolFiles = ['tools.jsonl', 'mcp-docs.jsonl.gz', 'mcp-docs.jsonl'];
const toolsPerServer = 12;
/** How many words of a repeated tool's description are other ones than in the original. */
const variedShare = 0.15;
/** Words of a query that is made from a description. */
const queryWords = { fewest: 3, most: 12 };

const verbs =
  'add archive assign attach book cancel check close compare convert copy count create delete download draft export fetch filter find get import invite label list lock merge move pause plan print publish query read rename render reset resize restore resume rotate run save schedule search send share show sort split start stop subscribe summarize sync tag test translate update upload verify watch';
const things =
  'account address agenda album alarm alert answer appointment archive article asset attachment backup balance banner board booking branch bucket budget build calendar campaign card cart channel chapter chart certificate class client cluster color comment commit company contact container contract coupon course currency customer dashboard dataset deal delivery deployment device diagram directory discount document domain draft email employee entry event exchange exercise expense feature feed field file filter flight folder font forecast form formula game gene graph group guest histogram holiday hotel house image incident index ingredient inventory invoice issue item job journal key keyword label language lead lesson license link list location log map meal measurement medicine meeting member message metric milestone model movie namespace network note notification offer order organization package page parcel park passage password patient payment permission phone photo pipeline place player playlist podcast policy portfolio position post prescription price process product profile project prompt protein quiz rate recipe record region release reminder rental repository request reservation resource restaurant review ring road role room route row rule salary sample scene schedule schema script season secret segment sensor service session shape shipment shop signal skill slide snapshot snippet song species sprint stage statement station stock story stream street subscription summary survey symbol table tag target task tax team template tenant test thread ticket timer token topic track trade train transaction transcript translation trip unit user vacancy vehicle vendor version video visit volume voucher vulnerability wallet warehouse weather webhook website widget workflow workout workspace';
const qualities =
  'active annual archived average available blocked cached cheap closed compressed confirmed current daily damaged default detailed digital direct duplicate early empty encrypted expired external failed fast favourite final free frequent full global hidden historical hourly important inactive incoming internal large late latest linked local locked main manual missing mobile monthly nearby new next old open optional outgoing overdue paid parallel pending personal popular previous primary private public quarterly rare raw recent recurring regional related remote rented scheduled secure shared short signed simple single small stale starred temporary top total trusted unread unused urgent valid verified weekly yearly';
const settings =
  'limit offset query name id start_date end_date format language sort_by order status region currency path url include_archived page_size timezone tags author priority unit width height depth dry_run recursive encoding timeout_seconds';
const syllables = 'ba co da el fi go ha in jo ka lu me no or pa qui ra so ta um ve wi xo ya zen';

const lists = {
  verbs: verbs.split(' '),
  things: things.split(' '),
  qualities: qualities.split(' '),
  settings: settings.split(' '),
  syllables: syllables.split(' '),
};

/** The same tools for the same size, folder and seed. */
export function makeCatalog(size: number, folder: string | undefined, seed = 1): SearchDocument[] {
  const random = seededRandom(seed);
  const rows = folder === undefined ? inventTools(size, random) : repeatTools(readTools(folder), size, random);
  return rows.map((row, at) => {
    const document = documentFromTool(row.server, row.serverDescription ?? '', row);
    if (document === undefined) throw new Error(`The tool ${at} of the catalog has no name.`);
    // Some sets hold two tools of one name.
    return { ...document, key: `${document.key}#${at}` };
  });
}

/** The folder's own queries; where it has none, descriptions in fewer and other order of words. */
export function makeQueries(documents: readonly SearchDocument[], folder: string | undefined, count: number): string[] {
  const random = seededRandom(count);
  const file = folder === undefined ? undefined : join(folder, 'queries.jsonl');
  if (file !== undefined && existsSync(file)) {
    const texts = readLines(file).map((line) => (JSON.parse(line) as { query: string }).query);
    return Array.from({ length: count }, () => pick(texts, random));
  }
  const isLongEnough = ({ description }: SearchDocument) => description.split(/\s+/).length > queryWords.fewest;
  const described = documents.filter(isLongEnough);
  return Array.from({ length: count }, () => {
    const words = (pick(described, random).description.split(/[.\n]/)[0] ?? '').split(/\s+/);
    return reword(words.slice(0, queryWords.most).join(' '), random);
  });
}

export function inventTools(size: number, random: Random): ToolRow[] {
  const rows: ToolRow[] = [];
  while (rows.length < size) {
    const about = Array.from({ length: 5 }, () => pick(lists.things, random));
    const maker = Array.from({ length: 3 }, () => pick(lists.syllables, random)).join('');
    const server = `${maker}-${about[0]}`;
    const serverDescription = `Works with every ${about.join(', ')} of ${maker}: ${sentence(about, random)}`;
    const count = Math.min(toolsPerServer, size - rows.length);
    for (let at = 0; at < count; at += 1) rows.push({ server, serverDescription, ...inventTool(about, random) });
  }
  return rows;
}

function inventTool(about: readonly string[], random: Random): Omit<ToolRow, 'server'> {
  const [verb, quality, thing] = [pick(lists.verbs, random), pick(lists.qualities, random), pick(about, random)];
  const description = Array.from({ length: 1 + Math.floor(3 * random()) }, () => sentence(about, random)).join(' ');
  const parameters = Array.from({ length: 1 + Math.floor(5 * random()) }, () => {
    const described = { type: 'string', description: `The ${pick(lists.qualities, random)} ${pick(about, random)}.` };
    return [pick(random() < 0.5 ? lists.settings : lists.things, random), described] as const;
  });
  return {
    name: `${verb}_${quality}_${thing}`,
    description: `${verb} the ${quality} ${thing} ${description}`,
    inputSchema: { type: 'object', properties: Object.fromEntries(parameters) },
  };
}

function sentence(about: readonly string[], random: Random): string {
  const [first, second] = [pick(about, random), pick(lists.things, random)];
  const how = `${pick(lists.qualities, random)} or ${pick(lists.qualities, random)}`;
  return `${pick(lists.verbs, random)} each ${how} ${first} by its ${second}, and ${pick(lists.verbs, random)} the ${pick(lists.things, random)}.`;
}

/** The first round is as it was; later ones are tools of other servers that say nearly the same. */
function repeatTools(rows: readonly ToolRow[], size: number, random: Random): ToolRow[] {
  const words = rows.slice(0, 5_000).flatMap((row) => (row.description ?? '').match(/\p{L}{3,}/gu) ?? []);
  return Array.from({ length: size }, (_, at) => {
    const row = rows[at % rows.length] as ToolRow; // there is one at every place below the length
    return at < rows.length ? row : vary(row, Math.floor(at / rows.length), words, random);
  });
}

function vary(row: ToolRow, round: number, words: readonly string[], random: Random): ToolRow {
  const varied = (text: string) =>
    text.replace(/\p{L}{3,}/gu, (word) => (random() < variedShare ? pick(words, random) : word));
  return {
    ...row,
    server: `${row.server}-${pick(lists.syllables, random)}${pick(lists.syllables, random)}${round}`,
    name: `${row.name}_${pick(words, random)}`,
    description: varied(row.description ?? ''),
  };
}

function readTools(folder: string): ToolRow[] {
  const file = toolFiles.map((name) => join(folder, name)).find(existsSync);
  if (file === undefined) throw new Error(`There is none of ${toolFiles.join(', ')} in ${folder}.`);
  return readLines(file).map((line) => JSON.parse(line) as ToolRow); // the data's form is fixed; a wrong one shows at once
}

function readLines(file: string): string[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.split('\n').filter(Boolean);
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)] as T; // random is below 1, and no list here is empty
}
