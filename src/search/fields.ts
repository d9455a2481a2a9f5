/** The fields of a tool that words can stand in, with their weights, and how often each word stands in each. */

import type { SearchDocument } from './document.ts';
import { isStopWord, stemOf, tokensOf } from './words.ts';

interface Field {
  readonly name: string;
  /** How much a word counts here, compared with a word in the description. */
  readonly weight: number;
  /** How much a long field is held against it: 0 not at all, 1 in full. */
  readonly lengthPenalty: number;
}

/** The first five are tuned values. That of the server text is a cautious guess: results hardly move between 0 and 1. */
export const fields: readonly Field[] = [
  { name: 'name', weight: 3, lengthPenalty: 0.6 },
  { name: 'server', weight: 3, lengthPenalty: 0.6 },
  { name: 'description', weight: 1, lengthPenalty: 0.75 },
  { name: 'parameter names', weight: 1, lengthPenalty: 0.6 },
  { name: 'parameter descriptions', weight: 0.7, lengthPenalty: 0.5 },
  { name: 'server text', weight: 0.5, lengthPenalty: 0.75 },
];

/** Six fields share the 32 bits of a posting, so each has five for its count. */
export const bitsPerField = 5;
const mostCounted = 2 ** bitsPerField - 1;
/** The counts of a posting in the name, which is the first field. */
export const nameCounts = mostCounted;
/** The counts of a posting without those in the server text, which is the last field. */
export const ownCounts = 2 ** (bitsPerField * (fields.length - 1)) - 1;

export interface FieldCounts {
  /** Stem to its counts in all fields, packed: field f in bits 5f to 5f + 4. */
  readonly counts: ReadonlyMap<string, number>;
  /** Number of words in each field. */
  readonly lengths: readonly number[];
}

export function countFields(document: SearchDocument): FieldCounts {
  const counts = new Map<string, number>();
  const lengths = stemsByField(document).map(({ stems, length }, field) => {
    for (const stem of stems) addOne(counts, stem, field);
    return length;
  });
  return { counts, lengths };
}

interface FieldStems {
  readonly stems: readonly string[];
  readonly length: number;
}

/** In the order of `fields`. */
function stemsByField(document: SearchDocument): FieldStems[] {
  // Stop words of a name are kept: it is short, chosen with care, and may consist of nothing else (`who`, `is_up`).
  const name = stemsOf(document.name, () => true);
  // A title mostly repeats the name; only what it adds counts, so that tools with a title have no advantage.
  const title = stemsOf(document.title ?? '', (word) => !isStopWord(word) && !name.stems.includes(stemOf(word)));
  return [
    { stems: [...name.stems, ...title.stems], length: name.length + title.length },
    contentOf(document.server),
    contentOf(document.description),
    contentOf(document.parameters.map((parameter) => parameter.name).join(' ')),
    contentOf(document.parameters.map((parameter) => parameter.description).join(' ')),
    serverStems(document.serverText),
  ];
}

function contentOf(text: string): FieldStems {
  return stemsOf(text, (word) => !isStopWord(word));
}

/** A server's own text applies to all its tools: each word counts once, and is read once for all of them. */
function serverStems(text: string): FieldStems {
  if (text !== lastServer.text) {
    const { stems, length } = contentOf(text);
    lastServer = { text, found: { stems: [...new Set(stems)], length } };
  }
  return lastServer.found;
}

let lastServer: { readonly text: string; readonly found: FieldStems } = { text: '', found: { stems: [], length: 0 } };

/** A compound (GitHub) can be found as a whole too, but makes the field no longer than its parts do. */
function stemsOf(text: string, isWanted: (word: string) => boolean): FieldStems {
  const stems: string[] = [];
  let length = 0;
  for (const { parts, whole } of tokensOf(text)) {
    const wanted = parts.filter(isWanted);
    for (const word of wanted) stems.push(stemOf(word));
    if (whole !== undefined) stems.push(stemOf(whole));
    length += wanted.length;
  }
  return { stems, length };
}

function addOne(counts: Map<string, number>, stem: string, field: number): void {
  const packed = counts.get(stem) ?? 0;
  const shift = field * bitsPerField;
  if (((packed >>> shift) & mostCounted) < mostCounted) counts.set(stem, packed + (1 << shift));
}
