/** A ranker that nobody tuned for: textbook BM25 over name, description and parameters, without stems, synonyms or meaning. */

export interface RankedTool {
  readonly address: string;
  readonly text: string;
}

const saturation = 1.2;
const lengthPenalty = 0.75;

/** Finds the best tool for a query; undefined where no word of it is known. Of equals the first address. */
export function plainRanker(tools: readonly RankedTool[]): (query: string) => string | undefined {
  const documents = tools
    .map(({ address, text }) => ({ address, words: wordsOf(text) }))
    .sort((a, b) => (a.address < b.address ? -1 : 1))
    .map(({ address, words }) => ({ address, length: words.length, counts: countsOf(words) }));
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const spread = countsOf(documents.flatMap(({ counts }) => [...counts.keys()]));
  const rarity = (word: string) => {
    const found = spread.get(word) ?? 0;
    return Math.log(1 + (documents.length - found + 0.5) / (found + 0.5));
  };
  return (query) => {
    const words = wordsOf(query);
    let best: { readonly address: string; readonly score: number } | undefined;
    for (const { address, length, counts } of documents) {
      const damping = saturation * (1 - lengthPenalty + (lengthPenalty * length) / mean);
      const score = words.reduce((sum, word) => {
        const count = counts.get(word) ?? 0;
        return sum + (rarity(word) * count * (saturation + 1)) / (count + damping);
      }, 0);
      if (score > (best?.score ?? 0)) best = { address, score };
    }
    return best?.address;
  };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
