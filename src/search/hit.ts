/** Queries and hits, the same for every way of searching. */

import type { Vector } from '../meaning/meaning.ts';

/** The ways of searching that need nothing but this process. */
export const localModes = ['bm25', 'semantic', 'hybrid'] as const;
export type LocalMode = (typeof localModes)[number];

/** One need as it is read before it is looked for. */
export interface ParsedNeed {
  /** As it was written. */
  readonly text: string;
  /** The text that is searched: slips mended, in the words of tools. */
  readonly meant: string;
  /** The sentences of a long one, which are looked for on their own as well. */
  readonly parts: readonly string[];
}

/** One need, ready to be looked for. */
export interface PreparedQuery extends Omit<ParsedNeed, 'meant'> {
  /** The text itself, if left out. */
  readonly meant?: string | undefined;
  /** Of what is meant and of its parts; none where only words are compared. */
  readonly vectors: readonly Vector[];
  /** Of what else is said about the task: it may tip the scales, no more. */
  readonly context?: Vector | null | undefined;
  /** Past use of tools for needs like this one, by key. */
  readonly usage: ReadonlyMap<string, PastUse>;
}

export interface PastUse {
  /** Added to a score between 0 and 1; negative for a tool that failed. */
  readonly boost: number;
  /** Calls after needs like this one that went well, and that did not; faded and weighted by likeness. */
  readonly good: number;
  readonly bad: number;
  /** A need for which it was used before. */
  readonly likeQuery: string;
}

/** The tools that somebody can see. The same object as long as they are the same: what is worked out from it is remembered. */
export interface SearchView {
  has(key: string): boolean;
}

export interface SearchOptions {
  readonly limit: number;
  /** hybrid, if left out. */
  readonly mode?: LocalMode | undefined;
  /** Tools for which this is false do not exist for this search. */
  readonly filter?: ((key: string) => boolean) | undefined;
  /** The tools that the reader can see; all, if left out. The rarity of words is measured among these. */
  readonly view?: SearchView | undefined;
  /** True: twins of other servers are named under the best of them instead of listed. */
  readonly collapses?: boolean | undefined;
  /** True for servers, by name, that are other accounts of each other. None are, if left out. */
  readonly areAccounts?: ((server: string, other: string) => boolean) | undefined;
  /** Tools that cannot be called now: live ones like them come before them. */
  readonly down?: ReadonlySet<string> | undefined;
  /** Taken off the scores of tools, by key. */
  readonly doubts?: ReadonlyMap<string, number> | undefined;
  /** True: hits come with the parts of their scores, which takes longer. */
  readonly explains?: boolean | undefined;
}

/** The parts of a score, added or taken off in this order. */
export const scoreParts = ['words', 'meaning', 'name', 'context', 'use', 'caution', 'doubt', 'failure'] as const;
export type ScorePart = (typeof scoreParts)[number];

/** A word of the query that a tool has. */
export interface WordMatch {
  readonly word: string;
  /** The stem by which the tool has it: another one for a synonym or a guess. */
  readonly stem: string;
  /** True for the word itself, false for a synonym or a guess. */
  readonly isExact: boolean;
  /** Added to the score of the tool by words, before that is divided by the best one. */
  readonly gain: number;
  /** How often it stands in each field that has it, and how much one occurrence there counts. */
  readonly fields: readonly { readonly name: string; readonly count: number; readonly weight: number }[];
}

/** The parts of a score. */
export interface ScoreBreakdown {
  /** They add up to the score. */
  readonly parts: Readonly<Record<ScorePart, number>>;
  /** Of the whole query, the most valuable first. */
  readonly matches: readonly WordMatch[];
}

/** Why a tool stands where it stands. */
export interface Explanation {
  /** True where the query is the tool's name. */
  readonly isNamed: boolean;
  /** The words of the query that the tool has. */
  readonly words: readonly string[];
  /** Those that it has only by what its server says, by a synonym or by a guess. */
  readonly similar: readonly string[];
  /** How well its words fit, compared with the tool that they fit best; null where words were not compared. */
  readonly lexical: number | null;
  /** How much of the query its words answer, 0 to 1; null where words were not compared. */
  readonly coverage: number | null;
  /** How near its meaning is, -1 to 1; null where it was not compared. */
  readonly meaning: number | null;
  readonly usage: PastUse | null;
}

export interface Hit {
  readonly key: string;
  /** Which of the queries it answers best, from 0. */
  readonly need: number;
  /** Comparable within one query only. */
  readonly score: number;
  /** 0 to 1: how probable it is that the tool is one that was asked for. */
  readonly relevance: number;
  readonly explanation: Explanation;
  /** Only where a search has to explain itself. */
  readonly breakdown?: ScoreBreakdown | undefined;
  /** Why, in the words of another service that found it. */
  readonly givenReason?: string | undefined;
  /** Tools of other servers that do the same, best first. */
  readonly equals: readonly string[];
  /** The same tool for other accounts or folders, best first. */
  readonly accounts: readonly string[];
}
