/** An index of tools with their meaning, and questions for it, by the built-in table. */

import { openTable, partsOf, textOfTool, type Vector } from '../../src/meaning/meaning.ts';
import type { SearchDocument } from '../../src/search/document.ts';
import type { PreparedQuery } from '../../src/search/hit.ts';
import { ToolIndex } from '../../src/search/tool-index.ts';

const table = openTable();

export function indexOf(documents: readonly SearchDocument[]): ToolIndex {
  const index = ToolIndex.build(documents);
  index.resetVectors(table);
  for (const document of documents) {
    const vector = table.vectorOf(textOfTool(document));
    if (vector) index.setVector(document.key, vector);
  }
  return index;
}

export function ask(text: string): PreparedQuery {
  const parts = partsOf(text);
  const vectors = [text, ...parts].map((part) => table.vectorOf(part));
  return { text, parts, vectors: vectors.filter((vector): vector is Vector => !!vector), usage: new Map() };
}
