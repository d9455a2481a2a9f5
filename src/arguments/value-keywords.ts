/** Keywords of JSON Schema: the interface of all, and those for single values: type, choices, numbers and texts. */

import { isObject, numberOf } from '../base/json.ts';
import { formatOf, mayBeOfFormat } from './formats.ts';

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

export const valueKeywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['type', type],
  ['const', constant],
  ['enum', choices],
  ['minimum', forNumbers('minimum', (value, limit) => value >= limit)],
  ['maximum', forNumbers('maximum', (value, limit) => value <= limit)],
  ['exclusiveMinimum', exclusive('exclusiveMinimum', 'minimum', (value, limit) => value > limit)],
  ['exclusiveMaximum', exclusive('exclusiveMaximum', 'maximum', (value, limit) => value < limit)],
  ['multipleOf', forNumbers('multipleOf', isMultiple)],
  ['minLength', (given, check) => length(given, check, 'minLength')],
  ['maxLength', (given, check) => length(given, check, 'maxLength')],
  ['pattern', pattern],
  ['format', format],
]);

const typeNames: readonly string[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

export function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (JSON.isRawJSON(value)) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

function type(given: unknown, check: ValueCheck): Validity {
  const names = listed(given);
  if (isOfTypes(check.value, names)) return 'valid';
  // A type that is not one of JSON's may mean anything.
  const isUnderstood = names.length > 0 && names.every((name) => typeof name === 'string' && typeNames.includes(name));
  return isUnderstood ? check.refuse('type') : 'unknown';
}

function constant(given: unknown, check: ValueCheck): Validity {
  if (isEqual(check.value, given, check.steps)) return 'valid';
  return isAnyOfType([given], check) ? check.refuse('const') : 'unknown';
}

function choices(given: unknown, check: ValueCheck): Validity {
  if (!Array.isArray(given)) return 'unknown';
  const { value, steps } = check;
  steps.spend(given.length >> 6);
  const isSimple = typeof value !== 'object' || value === null;
  if (isSimple ? given.includes(value) : given.some((choice) => isEqual(value, choice, steps))) return 'valid';
  const { type: types } = check.schema;
  // Null is often allowed by the type and forgotten among the choices.
  if (value === null && Array.isArray(types) && types.includes('null')) return 'unknown';
  return isAnyOfType(given, check) ? check.refuse('enum') : 'unknown';
}

/**
 * True if at least one choice has the type beside them. If none has, as with numbers and choices that are texts, no value
 * would fit, so the server must mean something else.
 */
function isAnyOfType(given: readonly unknown[], { schema: { type: types } }: ValueCheck): boolean {
  return given.some((choice) => types === undefined || isOfTypes(choice, listed(types)));
}

function listed(types: unknown): readonly unknown[] {
  return Array.isArray(types) ? types : [types];
}

function isOfTypes(value: unknown, names: readonly unknown[]): boolean {
  const actual = typeOfValue(value);
  return names.some((name) => name === actual || (name === 'integer' && Number.isInteger(numberOf(value))));
}

function isEqual(a: unknown, b: unknown, steps: Steps): boolean {
  steps.spend(1);
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => isEqual(item, b[at], steps));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name], steps));
}

/** A text that is the same for equal values, whatever the order of their members. */
export function canonical(value: unknown, steps: Steps): string {
  steps.spend(1);
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value) ?? 'null';
    steps.spend(text.length >> 10);
    return text;
  }
  // An object or a list costs more than what is in it.
  steps.spend(2);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, steps)).join(',')}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${canonical(member, steps)}`);
  return `{${members.sort().join(',')}}`;
}

function forNumbers(keyword: string, holds: (value: number, limit: number) => boolean): Keyword {
  return (given, check) => {
    const value = numberOf(check.value);
    if (typeof value !== 'number' || typeof given !== 'number') return 'valid';
    return holds(value, given) ? 'valid' : check.refuse(keyword);
  };
}

/** In the oldest draft the word is a boolean that sharpens the limit beside it. */
function exclusive(keyword: string, besides: string, holds: (value: number, limit: number) => boolean): Keyword {
  const compare = forNumbers(keyword, holds);
  return (given, check) => compare(given === true ? check.schema[besides] : given, check);
}

/** Decimal fractions have no exact binary form: what agrees in fifteen digits is a multiple. */
function isMultiple(value: number, divisor: number): boolean {
  const times = Math.round(value / divisor);
  if (divisor <= 0 || !Number.isFinite(times)) return true;
  return Number((times * divisor).toPrecision(15)) === Number(value.toPrecision(15));
}

function length(given: unknown, check: ValueCheck, keyword: 'minLength' | 'maxLength'): Validity {
  const { value } = check;
  if (typeof value !== 'string' || typeof given !== 'number') return 'valid';
  const isMost = keyword === 'maxLength';
  // Characters outside the basic plane take two units, so there are between half as many and as many characters as units.
  if (isMost ? value.length <= given : value.length >= given * 2) return 'valid';
  if (isMost ? value.length > given * 2 : value.length < given) return check.refuse(keyword);
  check.steps.spend(value.length >> 6);
  let characters = 0;
  for (const _character of value) characters += 1;
  if (isMost ? characters <= given : characters >= given) return 'valid';
  // A server that counts units may find enough of them.
  return isMost ? check.refuse(keyword) : 'unknown';
}

function pattern(given: unknown, check: ValueCheck): Validity {
  if (typeof check.value !== 'string') return 'valid';
  if (typeof given !== 'string') return 'unknown';
  const matches = check.matches(given, check.value);
  return matches === 'invalid' ? check.refuse('pattern') : matches;
}

/**
 * By the newest draft a format is a remark, and programs that check it differ in how strictly they do. So a text that is
 * clearly wrong is told, and what would follow from one that is right is left open.
 */
function format(given: unknown, check: ValueCheck): Validity {
  if (typeof check.value !== 'string') return 'valid';
  const known = formatOf(given);
  if (known === undefined || check.into === undefined || mayBeOfFormat(known, check.value)) return 'unknown';
  return check.refuse('format');
}
