/** Values that are known to be secret, by whose they are: every text that is logged, kept or shown to people is searched for them. */

import { isOrdinary } from './ordinary-text.ts';
import { spellingsOf } from './secret-spellings.ts';

/** Shorter values cannot be told from ordinary words. */
export const leastSecretChars = 6;
/** A line of a secret with several lines (a key in PEM form) is a secret of its own from this length on. */
const leastLineChars = 20;
/** Spellings of one owner's values. Each is looked for in every text; the values themselves come first. */
const mostSpellings = 2_000;

/** What somebody else may have chosen so that something else is hidden is taken for a secret only if it can be one. */
const issuable = /^[\x21-\x7e]{16,16384}$/;

export class KnownSecrets {
  /** By whose they are: those that people gave us, and those that strangers made up. */
  readonly #given = new Map<string, readonly string[]>();
  readonly #issued = new Map<string, readonly string[]>();
  #all: readonly string[] = [];
  #allGiven: readonly string[] = [];

  /** Replaces what is known of an owner. */
  set(owner: string, values: Iterable<string>): void {
    this.#given.set(owner, spelled(values));
    this.#gather();
  }

  /** The same for values that a stranger made up, such as tokens: those that could as well be a word or a name do not count. */
  setIssued(owner: string, values: Iterable<string>): void {
    this.#issued.set(owner, spelled([...values].filter(isIssuable)));
    this.#gather();
  }

  forget(owner: string): void {
    this.#given.delete(owner);
    this.#issued.delete(owner);
    this.#gather();
  }

  /** The text with every known value replaced. */
  mask(text: string, by: string): string {
    return replaced(text, this.#all, by);
  }

  /** The same where no stranger may decide what is hidden. */
  maskGiven(text: string, by: string): string {
    return replaced(text, this.#allGiven, by);
  }

  /** How much of a text has to be looked at so that none of them is cut in two. */
  get longest(): number {
    return this.#all[0]?.length ?? 0;
  }

  /** The longest first: one value may be the beginning of another. */
  #gather(): void {
    const given = [...this.#given.values()].flat();
    this.#allGiven = longestFirst(given);
    this.#all = longestFirst([...given, ...[...this.#issued.values()].flat()]);
  }
}

/** Of this process: logs are written everywhere, and what is secret to one part is secret to all. */
export const knownSecrets = new KnownSecrets();

function isIssuable(value: string): boolean {
  return issuable.test(value) && !isOrdinary(value);
}

function longestFirst(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}

function replaced(text: string, values: readonly string[], by: string): string {
  let out = text;
  for (const value of values) if (out.includes(value)) out = out.replaceAll(value, by);
  return out;
}

function spelled(values: Iterable<string>): readonly string[] {
  const known = [...values].slice(0, mostSpellings).flatMap(linesOf).slice(0, mostSpellings);
  const spellings = new Set(known);
  for (const value of known) {
    if (spellings.size >= mostSpellings) break;
    for (const spelling of spellingsOf(value)) if (spelling.length >= leastSecretChars) spellings.add(spelling);
  }
  return [...spellings].slice(0, mostSpellings);
}

function linesOf(value: string): string[] {
  const lines = value.includes('\n') ? value.split(/\r?\n/).filter((line) => line.length >= leastLineChars) : [];
  return [value, ...lines].filter((text) => text.length >= leastSecretChars);
}
