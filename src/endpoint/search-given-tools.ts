/** Finds among tools that came with the question and are in no catalog: by a throw-away index and the built-in table. */

import { openTable, partsOf, textOfTool } from '../meaning/meaning.ts';
import { documentFromTool, type Hit, type LocalMode, type Question, ToolIndex } from '../search/search.ts';

export interface GivenTool {
  readonly toolKey: string;
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
}

export interface GivenQuestion {
  readonly queries: readonly string[];
  readonly context?: string | undefined;
  readonly limit: number;
  readonly mode: LocalMode;
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
  readonly signal: AbortSignal;
}

/** Longer ones are cut, as those of agents are: an answer comes in bounded time. */
const mostCharacters = 10_000;
/** Tools that are indexed between two turns of the event loop. */
const indexedPerTurn = 50;

export async function searchGivenTools(tools: readonly GivenTool[], question: GivenQuestion): Promise<Hit[]> {
  const { queries, context, limit, mode, synonyms, signal } = question;
  const index = await indexOf(tools, signal);
  index.useSynonyms(synonyms);
  const asked = queries.map((query) => readQuestion(context ? `${query}\n${context}` : query));
  return index.search(asked, { limit, mode, collapses: true });
}

async function indexOf(tools: readonly GivenTool[], signal: AbortSignal): Promise<ToolIndex> {
  const table = openTable();
  const index = new ToolIndex();
  index.resetVectors(table);
  for (const [place, tool] of tools.entries()) {
    if (place % indexedPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const document = documentFromTool(tool.server, '', tool);
    if (!document) continue;
    index.add({ ...document, key: tool.toolKey });
    const vector = table.vectorOf(textOfTool(document));
    if (vector) index.setVector(tool.toolKey, vector);
  }
  return index;
}

/** What others executed is not known of these tools, so usage says nothing. */
function readQuestion(whole: string): Question {
  const text = whole.slice(0, mostCharacters);
  const parts = partsOf(text);
  const vectors = [text, ...parts].map((part) => openTable().vectorOf(part)).filter((vector) => vector !== null);
  return { text, parts, vectors, usage: new Map() };
}
