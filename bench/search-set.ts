/** A data set of tools and labelled queries, and the gateway's own index over it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddingModel, textOfTool, type Vector } from '../src/meaning/meaning.ts';
import { documentFromTool, type PreparedQuery, type SearchDocument, ToolIndex } from '../src/search/search.ts';
import type { LabelledQuery } from './search-figures.ts';

interface ToolRow {
  readonly id: string;
  readonly server: string;
  readonly serverTitle?: string;
  readonly serverDescription?: string;
}

export interface SearchSet {
  readonly documents: readonly SearchDocument[];
  readonly queries: readonly LabelledQuery[];
}

export function readSet(folder: string): SearchSet {
  return {
    documents: readRows<ToolRow>(join(folder, 'tools.jsonl')).map(toDocument),
    queries: readRows<LabelledQuery>(join(folder, 'queries.jsonl')),
  };
}

/** Words at once, meaning where there is a model. */
export async function indexSet(documents: readonly SearchDocument[], model: EmbeddingModel | null): Promise<ToolIndex> {
  const index = ToolIndex.build(documents);
  if (!model) return index;
  index.resetVectors(model);
  const vectors = await embedAll(documents.map(textOfTool), model);
  for (const [at, vector] of vectors.entries()) if (vector) index.setVector(documents[at]?.key ?? '', vector);
  return index;
}

/** As the gateway asks: with the sentences of a long query, which `isSplit` false leaves out. */
export async function askQuestion(
  index: ToolIndex,
  text: string,
  model: EmbeddingModel | null,
  isSplit = true,
): Promise<PreparedQuery> {
  const { meant, parts: sentences } = index.read(text);
  const parts = isSplit ? sentences : [];
  const vectors = model ? await model.embed([meant, ...parts], AbortSignal.timeout(60_000)) : [];
  return { text, meant, parts, vectors: vectors.filter((vector) => vector !== null), usage: new Map() };
}

async function embedAll(texts: readonly string[], model: EmbeddingModel): Promise<(Vector | null)[]> {
  const batch = 256;
  const out: (Vector | null)[] = [];
  for (let start = 0; start < texts.length; start += batch)
    out.push(...(await model.embed(texts.slice(start, start + batch), AbortSignal.timeout(600_000))));
  return out;
}

/** The data's own id is the key: some sets hold two tools of one name. */
function toDocument(row: ToolRow): SearchDocument {
  const serverText = [row.serverTitle, row.serverDescription].filter((text) => text !== undefined).join('\n');
  const document = documentFromTool(row.server, serverText, row);
  if (document === undefined) throw new Error(`The tool ${row.id} of the data set has no name.`);
  return { ...document, key: row.id };
}

function readRows<T>(file: string): T[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as T); // the data set's form is fixed; a wrong one shows at once
}
