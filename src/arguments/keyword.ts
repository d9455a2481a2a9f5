/** The interface of a JSON Schema keyword: its input, its answer and the mistakes it reports. */

/** `unknown`: can't be decided safely, so the server has to decide. */
export type Validity = 'valid' | 'invalid' | 'unknown';

/** Both must hold. */
export function both(a: Validity, b: Validity): Validity {
  if (a === 'invalid' || b === 'invalid') return 'invalid';
  return a === 'unknown' || b === 'unknown' ? 'unknown' : 'valid';
}

export type JsonSchema = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

/** One thing that is wrong, as data. */
export interface Mistake {
  readonly path: Path;
  readonly keyword: string;
  /** The schema that refuses the value. */
  readonly schema: JsonSchema;
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

/** The input of a keyword: one value under one schema. */
export interface ValueCheck {
  readonly schema: JsonSchema;
  readonly value: unknown;
  /** Collects mistakes; undefined if only the validity matters. */
  readonly into: Mistake[] | undefined;
  /** Members and items that were looked at; undefined where nobody asks. */
  readonly marks: Marks | undefined;
  readonly isOldDraft: boolean;
  readonly steps: Steps;
  /** Checks the same value against another schema. */
  readonly same: (schema: unknown, into: Mistake[] | undefined, marks?: Marks) => Validity;
  /** Checks a member or item against its schema. */
  readonly inner: (key: string | number, schema: unknown, value: unknown, into: Mistake[] | undefined) => Validity;
  readonly matches: (pattern: string, text: string) => Validity;
  /** True if another schema for the same value, or one of its forms, names this member. */
  readonly isNamedBeside: (name: string) => boolean;
  /** Notes a mistake of this keyword; the validity is `invalid`. */
  readonly refuse: (keyword: string, more?: Partial<Mistake>) => Validity;
}

export type Keyword = (given: unknown, check: ValueCheck) => Validity;

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

/** The members or items that a schema and its neighbours have looked at, for keywords about the rest. */
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

  /** Adds the marks of another schema as far as that schema fits. */
  merge(other: Marks, validity: Validity): void {
    if (validity === 'invalid') return;
    const isSure = validity === 'valid';
    for (const key of other.#sure) (isSure ? this.#sure : this.#maybe).add(key);
    for (const key of other.#maybe) this.#maybe.add(key);
    if (other.#isAllSure && isSure) this.#isAllSure = true;
    else if (other.#isAllSure || other.#isAllMaybe) this.#isAllMaybe = true;
  }

  has(key: string | number): Validity {
    if (this.#isAllSure || this.#sure.has(key)) return 'valid';
    return this.#isAllMaybe || this.#maybe.has(key) ? 'unknown' : 'invalid';
  }
}
