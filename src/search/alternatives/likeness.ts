/** How well one tool could stand in for another one: by what they are for, what they are called, and what they take. */

import type { SearchView } from '../hit.ts';
import { stemOf, tokensOf } from '../words.ts';
import { isStrongerThan, type NamedEffect, namedEffectOf } from './effect-of.ts';
import { pairUp } from './map-arguments.ts';
import { type ToolParameter, toolParametersOf } from './parameters-of.ts';

/** How like a tool is to another one, by the index. */
export interface Alike {
  readonly key: string;
  /** How near its meaning is, -1 to 1; null where it was not compared, or on a scale that is not known. */
  readonly meaning: number | null;
  /** How many of the other one's words it has, 0 to 1, rare ones counting more. */
  readonly words: number;
}

export interface AlikeRequest {
  /** Of the tool that others are compared with. */
  readonly key: string;
  /** Its own text, without its server's. */
  readonly text: string;
  /** True where models understand the text. */
  readonly isByMeaning: boolean;
  /** How many of each kind of likeness. */
  readonly limit: number;
  readonly filter: (key: string) => boolean;
  /** The tools that the reader can see, unless all. */
  readonly view?: SearchView | undefined;
}

/** The parts of a tool that are compared. */
export interface ToolTraits {
  readonly server: string;
  /** The words of its name, without those of its server's. */
  readonly nameWords: ReadonlySet<string>;
  /** Its server, its name and its description in lower case. */
  readonly text: string;
  /** Products and things that it is bound to: in its name or its server's, and written with a capital in its description. */
  readonly properNames: readonly string[];
  readonly isSilent: boolean;
  readonly named: NamedEffect | null;
  readonly parameters: readonly ToolParameter[];
}

/** Chosen by looking at some 300 pairs of real tools, together with `leastSimilarity`. */
const weights = { meaning: 0.65, name: 0.2, words: 0.15 };
/** The same where meaning was not compared. */
const wordWeights = { name: 0.4, words: 0.6 };
/** The share that what the tools take has in the whole. */
const schemaWeight = 0.2;
/** Within it: what the other tool needs can be given, and they take the same. */
const schemaParts = { filled: 0.6, shared: 0.4 };
/** The factors on the likeness of tools that differ in something telling. */
const discounts = {
  /** One reads and the other one writes: near in meaning, and no replacement. */
  otherAct: 0.6,
  /** Only one of the names says which of them it is. */
  unknownAct: 0.9,
  /** One is for a product that the other one does not know. */
  otherProduct: 0.8,
  /** A server that has two tools, each with a word of its own in its name, has them for two purposes. */
  sibling: 0.6,
  /** Where only one of them has, the other one may do its work as well; rather the broader one that of the narrower. */
  broader: 0.8,
  narrower: 0.7,
  /** Many tools are called `search`; one that says nothing more is not taken to be the same. */
  silent: 0.75,
};

/** The beginning of a description that is looked at. */
const charactersRead = 1_000;
const nameInText = /(?<=[\p{L}\p{N},;)"'`(\]-] ?)\b\p{Lu}[\p{L}\p{N}]{2,}/gu;
/** In characters. A shorter description says next to nothing. */
const shortestText = 10;

export function traitsOf(server: string, definition: Readonly<Record<string, unknown>>): ToolTraits {
  const name = textOf(definition.name);
  const description = textOf(definition.description).slice(0, charactersRead);
  const words = stemsOf(name);
  const own = words.difference(stemsOf(server));
  const address = `${server} ${name}`.toLowerCase();
  return {
    server,
    nameWords: own.size > 0 ? own : words,
    text: `${address} ${description.toLowerCase()}`,
    properNames: namesWrittenIn(description).filter((written) => address.includes(written)),
    isSilent: description.trim().length < shortestText,
    named: namedEffectOf(name),
    parameters: toolParametersOf(definition.inputSchema),
  };
}

/** 0 to 1. */
export function similarityOf(
  failed: ToolTraits,
  other: ToolTraits,
  { meaning, words }: Pick<Alike, 'meaning' | 'words'>,
): number {
  const name = shareOf(failed.nameWords, other.nameWords);
  const purpose =
    meaning === null
      ? wordWeights.name * name + wordWeights.words * words
      : weights.meaning * Math.max(0, meaning) + weights.name * name + weights.words * words;
  const taken = 1 - schemaWeight + schemaWeight * schemaLikeness(failed.parameters, other.parameters);
  return Math.min(1, purpose * taken * discountOf(failed, other));
}

/** 0 to 1: how far the other tool can be called with what the failed one takes. */
export function schemaLikeness(from: readonly ToolParameter[], to: readonly ToolParameter[]): number {
  const pairs = pairUp(from, to);
  const filled = new Set([...pairs.values()].map(({ name }) => name));
  const needed = to.filter(({ isRequired }) => isRequired);
  const share = needed.length === 0 ? 1 : needed.filter(({ name }) => filled.has(name)).length / needed.length;
  const shared = from.length + to.length === 0 ? 1 : (2 * pairs.size) / (from.length + to.length);
  return schemaParts.filled * share + schemaParts.shared * shared;
}

function discountOf(failed: ToolTraits, other: ToolTraits): number {
  let left = actDiscount(failed.named, other.named);
  const knowsNot =
    ({ text }: ToolTraits) =>
    (name: string) =>
      !text.includes(name);
  const isBoundElsewhere = failed.properNames.some(knowsNot(other)) || other.properNames.some(knowsNot(failed));
  if (isBoundElsewhere) left *= discounts.otherProduct;
  if (failed.server === other.server) left *= siblingDiscount(failed.nameWords, other.nameWords);
  if (failed.isSilent || other.isSilent) left *= discounts.silent;
  return left;
}

function actDiscount(a: NamedEffect | null, b: NamedEffect | null): number {
  if (a === null || b === null) return a === b ? 1 : discounts.unknownAct;
  return isStrongerThan(a.least, b.most) || isStrongerThan(b.least, a.most) ? discounts.otherAct : 1;
}

function siblingDiscount(failed: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (other.isSubsetOf(failed)) return discounts.broader;
  return failed.isSubsetOf(other) ? discounts.narrower : discounts.sibling;
}

function shareOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const all = a.size + b.size;
  return all === 0 ? 0 : (2 * a.intersection(b).size) / all;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function stemsOf(text: string): Set<string> {
  return new Set(
    tokensOf(text).flatMap(({ parts, whole }) => [...parts, ...(whole === undefined ? [] : [whole])].map(stemOf)),
  );
}

/** Words with a capital letter that do not begin a sentence, in lower case. */
function namesWrittenIn(description: string): string[] {
  const names = [...description.matchAll(nameInText)].map(([word]) => word.toLowerCase());
  return [...new Set(names)];
}
