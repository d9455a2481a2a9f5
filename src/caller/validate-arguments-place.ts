/** The words of a check: what a keyword sees, what it answers, and what it notes. */

/** `unknown`: it cannot be said safely, so the server has to say it. */
export type Verdict = 'valid' | 'invalid' | 'unknown';

/** Both must hold. */
export function both(a: Verdict, b: Verdict): Verdict {
  if (a === 'invalid' || b === 'invalid') return 'invalid';
  return a === 'unknown' || b === 'unknown' ? 'unknown' : 'valid';
}

export type Schema = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

/** One thing that is wrong, as data. */
export interface Mistake {
  readonly path: Path;
  readonly keyword: string;
  /** The schema that refuses the value. */
  readonly schema: Schema;
  readonly value: unknown;
  /** The member that is missing or too much; for equal items and their like, what else there is to say. */
  readonly name?: string | undefined;
  /** The member because of which another must be there. */
  readonly because?: string | undefined;
  /** Why each form that a value may have does not fit. */
  readonly forms?: readonly Form[] | undefined;
}

export interface Form {
  readonly schema: unknown;
  readonly mistakes: readonly Mistake[];
}

/** What a keyword has to go by. */
export interface Place {
  readonly schema: Schema;
  readonly value: unknown;
  /** Where mistakes go; undefined where only the verdict counts. */
  readonly into: Mistake[] | undefined;
  /** Members and items that were looked at; undefined where nobody asks. */
  readonly marks: Marks | undefined;
  readonly isOldDraft: boolean;
  readonly steps: Steps;
  /** The same value against another schema, at the same place. */
  readonly same: (schema: unknown, into: Mistake[] | undefined, marks?: Marks) => Verdict;
  /** A member or item against its schema. */
  readonly inner: (key: string | number, schema: unknown, value: unknown, into: Mistake[] | undefined) => Verdict;
  /** Whether a text matches a pattern. */
  readonly matches: (pattern: string, text: string) => Verdict;
  /** Whether a schema that holds for the same value, or a form of it, has a member of this name. */
  readonly isNamedBeside: (name: string) => boolean;
  /** Notes a mistake of this keyword; the verdict is `invalid`. */
  readonly refuse: (keyword: string, more?: Partial<Mistake>) => Verdict;
}

export type Keyword = (given: unknown, place: Place) => Verdict;

/** Thrown when the steps are used up: then nothing is said about the arguments. */
export const outOfSteps = new Error('The check took too many steps.');

/** Counts work. A step is a schema, a member or a comparison; a thousand take well under a millisecond. */
export class Steps {
  readonly limit: number;
  used = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  spend(count: number): void {
    this.used += count;
    if (this.used > this.limit) throw outOfSteps;
  }
}

/** Which members or items a schema and those beside it have looked at, for those that ask about the rest. */
export class Marks {
  readonly #sure = new Set<string | number>();
  readonly #maybe = new Set<string | number>();
  #isAllSure = false;
  #isAllMaybe = false;

  add(key: string | number): void {
    this.#sure.add(key);
  }

  addMaybe(key: string | number): void {
    this.#maybe.add(key);
  }

  addAll(): void {
    this.#isAllSure = true;
  }

  /** What another schema has looked at counts as far as that schema fits. */
  merge(other: Marks, verdict: Verdict): void {
    if (verdict === 'invalid') return;
    const isSure = verdict === 'valid';
    for (const key of other.#sure) (isSure ? this.#sure : this.#maybe).add(key);
    for (const key of other.#maybe) this.#maybe.add(key);
    if (other.#isAllSure && isSure) this.#isAllSure = true;
    else if (other.#isAllSure || other.#isAllMaybe) this.#isAllMaybe = true;
  }

  has(key: string | number): Verdict {
    if (this.#isAllSure || this.#sure.has(key)) return 'valid';
    return this.#isAllMaybe || this.#maybe.has(key) ? 'unknown' : 'invalid';
  }
}
