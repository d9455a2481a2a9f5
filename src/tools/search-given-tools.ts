/** Finds among tools that are in no catalog, such as those that came with a question: by an index of their own and the built-in table. */

import { setImmediate as giveWay } from 'node:timers/promises';
import { type Clock, systemClock } from '../base/clock.ts';
import { openTable, textOfTool } from '../meaning/meaning.ts';
import {
  documentFromTool,
  type Hit,
  type LocalMode,
  type PreparedQuery,
  type SearchDocument,
  ToolIndex,
} from '../search/search.ts';

export interface GivenTool {
  readonly toolKey: string;
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
}

export interface GivenQuery {
  readonly queries: readonly string[];
  readonly context?: string | undefined;
  readonly limit: number;
  readonly mode: LocalMode;
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
  readonly signal: AbortSignal;
  /** By which the work gives way; the system's where none is named. */
  readonly clock?: Clock | undefined;
}

/** Longer queries are cut, as those of agents are: an answer comes in bounded time. */
const mostCharacters = 10_000;
/** Of the texts of all tools together, as much as 2,000 long definitions have. Where there is more, each tool gets an equal share. */
const mostGivenCharacters = 2_000_000;
/** The longest time without a turn of the event loop, but for a single tool. */
const workMs = 10;

/** Where somebody waits for it, and how the work gives way. */
type Waiting = Pick<GivenQuery, 'signal' | 'clock'>;

export async function searchGivenTools(tools: readonly GivenTool[], question: GivenQuery): Promise<Hit[]> {
  return searchGivenIndex(await indexGivenTools(tools, question), question);
}

/** For a search, or for several among the same tools. */
export async function indexGivenTools(tools: readonly GivenTool[], { clock, signal }: Waiting): Promise<ToolIndex> {
  const pace = new Pace(clock ?? systemClock, signal);
  return indexOf(await documentsOf(tools, pace), pace);
}

export async function searchGivenIndex(index: ToolIndex, question: GivenQuery): Promise<Hit[]> {
  const { queries, context, limit, mode, synonyms, signal, clock = systemClock } = question;
  const pace = new Pace(clock, signal);
  index.useSynonyms(synonyms);
  const asked: PreparedQuery[] = [];
  for (const query of queries) {
    await pace.step();
    asked.push(readQuestion(index, context ? `${query}\n${context}` : query));
  }
  return index.search(asked, { limit, mode, collapses: true });
}

/** The document of each tool, cut where all together are too long. */
async function documentsOf(tools: readonly GivenTool[], pace: Pace): Promise<SearchDocument[]> {
  const documents: SearchDocument[] = [];
  let characters = 0;
  for (const tool of tools) {
    await pace.step();
    const document = documentFromTool(tool.server, '', tool);
    if (!document) continue;
    documents.push({ ...document, key: tool.toolKey });
    characters += lengthOf(document);
  }
  if (characters <= mostGivenCharacters) return documents;
  const share = Math.floor(mostGivenCharacters / documents.length);
  return documents.map((document) => cut(document, share));
}

async function indexOf(documents: readonly SearchDocument[], pace: Pace): Promise<ToolIndex> {
  const table = openTable();
  const index = new ToolIndex();
  index.resetVectors(table);
  for (const document of documents) {
    await pace.step();
    index.add(document);
    const vector = table.vectorOf(textOfTool(document));
    if (vector) index.setVector(document.key, vector);
  }
  return index;
}

/** Nobody's use of these tools is known, so usage counts for nothing. */
function readQuestion(index: ToolIndex, whole: string): PreparedQuery {
  const reading = index.read(whole.slice(0, mostCharacters));
  const texts = [reading.meant, ...reading.parts];
  const vectors = texts.map((text) => openTable().vectorOf(text)).filter((vector) => vector !== null);
  return { ...reading, vectors, usage: new Map() };
}

function lengthOf({ server, name, title = '', description, parameters }: SearchDocument): number {
  const lengths = parameters.map((parameter) => parameter.name.length + parameter.description.length);
  return lengths.reduce((sum, length) => sum + length, server.length + name.length + title.length + description.length);
}

/** The names are bounded as they are, and what a tool cannot be found without; then the description, then the first parameters. */
function cut(document: SearchDocument, most: number): SearchDocument {
  if (lengthOf(document) <= most) return document;
  const bare = { ...document, description: '', parameters: [] };
  let left = Math.max(0, most - lengthOf(bare));
  const description = document.description.slice(0, left);
  left -= description.length;
  const parameters = document.parameters.filter((parameter) => {
    left -= parameter.name.length + parameter.description.length;
    return left >= 0;
  });
  return { ...document, description, parameters };
}

/** Lets others have their turn from time to time, and ends when nobody waits any more. */
class Pace {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #since: number;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#since = clock.elapsed();
  }

  async step(): Promise<void> {
    if (this.#clock.elapsed() - this.#since >= workMs) {
      await giveWay();
      this.#since = this.#clock.elapsed();
    }
    this.#signal.throwIfAborted();
  }
}
