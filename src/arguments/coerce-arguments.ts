/**
 * Harmless corrections of arguments: a value that the schema refuses is read another way where exactly one other reading
 * fits. Valid arguments are never touched, and what came is never changed in place.
 */

import { parseExactJson } from '../base/json.ts';
import { checkWithin, maxSteps } from './check-value.ts';
import { isInWords, pathText, show } from './show-value.ts';
import { choicesOf, followed, namedParameters, type TamedSchema } from './tamed-schema.ts';
import { canonical, type JsonSchema, type Mistake, outOfSteps, type Path, Steps } from './value-keywords.ts';

/** Rounds of corrections: one shows what was hidden behind another. */
const maxRounds = 6;
/** Forms and JSON texts inside each other that are corrected. */
const maxNesting = 3;
const maxNotes = 20;

interface Coerced {
  readonly value: unknown;
  /** One line for each correction: `limit: "5" → 5`. */
  readonly notes: readonly string[];
}

/** Corrects arguments that a check refused; undefined where they cannot all be corrected without a guess. */
export function coerceArguments(
  tamed: TamedSchema,
  args: Readonly<Record<string, unknown>>,
  steps = new Steps(maxSteps),
): Coerced | undefined {
  try {
    const fixed = new Coercion(tamed, steps).fix(tamed.root, args, []);
    return fixed && { value: fixed.value, notes: sayChanges(fixed.changes) };
  } catch (error) {
    if (error !== outOfSteps) throw error;
    return undefined;
  }
}

interface Change {
  readonly path: Path;
  readonly from: unknown;
  /** `leftOut`, or the new value. */
  readonly to: unknown;
}

interface Fixed {
  readonly value: unknown;
  readonly changes: readonly Change[];
}

/** In place of a value: its member is to go. */
const leftOut = Symbol('left out');

/** Mistakes that another reading of the same value can mend. */
const mendable: readonly string[] = ['type', 'enum', 'const', 'anyOf', 'oneOf'];

class Coercion {
  readonly #tamed: TamedSchema;
  readonly #steps: Steps;
  #nesting = 0;

  constructor(tamed: TamedSchema, steps: Steps) {
    this.#tamed = tamed;
    this.#steps = steps;
  }

  /** A value that the schema does not refuse, with what was changed for it; `at` is where the value stands. */
  fix(schema: unknown, given: unknown, at: Path): Fixed | undefined {
    let value = given;
    const changes: Change[] = [];
    const replacing = new Replacing(this.#steps);
    for (let round = 0; round <= maxRounds; round += 1) {
      const { validity, mistakes } = checkWithin(this.#tamed, schema, value, this.#steps);
      if (validity !== 'invalid') return { value, changes };
      const touched = new Touched();
      for (const group of Map.groupBy(mistakes, ({ path }) => JSON.stringify(path)).values()) {
        const path = group[0]?.path ?? [];
        // A change around or inside this value makes the mistake obsolete: the next round checks again.
        if (!touched.add(path)) continue;
        const fixed = this.#read(group, schema, [...at, ...path]);
        if (fixed === undefined) return undefined;
        value = replacing.put(value, path, fixed.value);
        changes.push(...fixed.changes);
      }
    }
    return undefined;
  }

  /** The one reading of a value that all who refused it would take. */
  #read(mistakes: readonly Mistake[], schema: unknown, at: Path): Fixed | undefined {
    const value = mistakes[0]?.value;
    if (!mistakes.every(({ keyword }) => mendable.includes(keyword) || typeof value !== 'object')) return undefined;
    if (!mistakes.some(({ keyword }) => mendable.includes(keyword))) return undefined;
    if (value === null) {
      const isNamed = this.#isNamed(schema, mistakes[0]?.path ?? []);
      return isNamed ? { value: leftOut, changes: [{ path: at, from: null, to: leftOut }] } : undefined;
    }
    const accepted = new Map<string, Fixed>();
    for (const reading of this.#candidates(mistakes, value, at)) {
      if (this.#isRefused(mistakes, reading.value)) continue;
      const key = canonical(reading.value, this.#steps);
      if (!accepted.has(key)) accepted.set(key, reading);
      if (accepted.size > 1) return undefined;
    }
    return accepted.values().next().value;
  }

  #isRefused(mistakes: readonly Mistake[], value: unknown): boolean {
    const schemas = new Set(mistakes.map(({ schema }) => schema));
    return [...schemas].some((schema) => checkWithin(this.#tamed, schema, value, this.#steps).validity === 'invalid');
  }

  /** Readings of the value itself, and of what is inside it. */
  *#candidates(mistakes: readonly Mistake[], value: unknown, at: Path): Generator<Fixed> {
    const forms = mistakes.flatMap((mistake) => mistake.forms ?? []);
    const refusing = refusingSchemas(mistakes).map((schema) => followed(schema, this.#tamed));
    const choices = refusing.flatMap((schema) => choicesOf(schema) ?? []);
    for (const reading of readingsOf(value, choices, this.#steps)) {
      // A schema that does not speak of lists takes any, but nobody meant one.
      if (isWrapped(reading, value) && !refusing.some(speaksOfLists)) continue;
      const change: Change = { path: at, from: value, to: reading };
      yield { value: reading, changes: [change] };
      if (typeof value !== 'string' || typeof reading !== 'object' || isWrapped(reading, value)) continue;
      // A list or an object that came as text may need corrections inside.
      for (const { schema } of mistakes) {
        const inside = this.#inside(schema, reading, at);
        if (inside) yield { value: inside.value, changes: [change, ...inside.changes] };
      }
    }
    if (typeof value !== 'object') return;
    for (const { schema } of forms) {
      const inside = this.#inside(schema, value, at);
      if (inside) yield inside;
    }
  }

  #inside(schema: unknown, value: unknown, at: Path): Fixed | undefined {
    if (this.#nesting >= maxNesting) return undefined;
    this.#nesting += 1;
    const fixed = this.fix(schema, value, at);
    this.#nesting -= 1;
    return fixed;
  }

  /** True if a path leads to a named parameter: only those can be left out. */
  #isNamed(schema: unknown, path: Path): boolean {
    let at: unknown = schema;
    for (const part of path) {
      const known = typeof part === 'string' ? namedParameters([at], this.#tamed) : undefined;
      if (known && !known.has(String(part))) return false;
      at = known ? known.get(String(part)) : followed(at, this.#tamed).items;
    }
    return typeof path.at(-1) === 'string';
  }
}

/** Every schema that refuses one value, and the forms of them all. */
function refusingSchemas(mistakes: readonly Mistake[], depth = mistakes[0]?.path.length): unknown[] {
  return mistakes
    .filter(({ path }) => path.length === depth)
    .flatMap(({ schema, forms = [] }) => [
      schema,
      ...forms.flatMap((form) => [form.schema, ...refusingSchemas(form.mistakes, depth)]),
    ]);
}

function speaksOfLists({ type, items, prefixItems }: JsonSchema): boolean {
  const isType = type === 'array' || (Array.isArray(type) && type.includes('array'));
  return isType || items !== undefined || prefixItems !== undefined;
}

/** Puts other values into a copy. Members are defined, not assigned: `__proto__` is a name like any other. */
class Replacing {
  readonly #steps: Steps;
  /** Containers that are copies already. */
  readonly #own = new WeakSet<object>();

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  /** The value, or its copy, with another value at a path. */
  put(value: unknown, path: Path, by: unknown): unknown {
    const [key, ...rest] = path;
    if (key === undefined || typeof value !== 'object' || value === null) return by;
    const copy = this.#copy(value);
    if (rest.length === 0 && by === leftOut) Reflect.deleteProperty(copy, key);
    else {
      const inner = this.put(Reflect.get(copy, key), rest, by);
      Reflect.defineProperty(copy, key, { value: inner, writable: true, enumerable: true, configurable: true });
    }
    return copy;
  }

  #copy(value: object): object {
    if (this.#own.has(value)) return value;
    const copy = Array.isArray(value) ? [...value] : Object.fromEntries(Object.entries(value));
    this.#steps.spend(Object.keys(copy).length >> 4);
    this.#own.add(copy);
    return copy;
  }
}

/** Paths that were changed, none of which leads into another. */
class Touched {
  readonly #paths = new Set<string>();
  readonly #around = new Set<string>();

  /** False where the path leads into one that is there, or around it. */
  add(path: Path): boolean {
    const around = path.map((_part, length) => JSON.stringify(path.slice(0, length)));
    const own = JSON.stringify(path);
    if (this.#around.has(own) || around.some((outer) => this.#paths.has(outer))) return false;
    this.#paths.add(own);
    for (const outer of around) this.#around.add(outer);
    return true;
  }
}

function isWrapped(reading: unknown, value: unknown): boolean {
  return Array.isArray(reading) && reading.length === 1 && reading[0] === value;
}

function sayChanges(changes: readonly Change[]): string[] {
  const said = changes.slice(0, maxNotes).map(({ path, from, to }) => {
    const after = to === leftOut ? 'left out' : show(to, path);
    return `${pathText(path) || 'arguments'}: ${show(from, path)} → ${after}`;
  });
  return changes.length > maxNotes ? [...said, `and ${changes.length - maxNotes} more`] : said;
}

/** Choices that are compared without regard to case. */
const maxChoices = 5_000;
/** Characters of a text that is read as JSON. */
const maxJsonText = 1_000_000;

/** A text that somebody meant as several items, as none, or as a list in a writing that is not JSON. */
const notOneItem = /^\s*$|[,;\r\n]|^\s*[[{]|^\s*(?:none|null|nil|undefined)\s*$/i;

const longWhole = /^-?[1-9]\d{15,20}$/;
const decimal = /^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?$/;

/** Every reading that loses nothing; whether the schema takes one is for others to say. `choices`: the values it lists. */
function readingsOf(value: unknown, choices: readonly unknown[], steps: Steps): unknown[] {
  if (typeof value === 'string') return readingsOfText(value, choices, steps);
  if (typeof value === 'number') return [...(isPlain(value) ? [String(value)] : []), [value]];
  if (typeof value === 'boolean') return [String(value), [value]];
  return value !== null && !Array.isArray(value) ? [[value]] : [];
}

function readingsOfText(text: string, choices: readonly unknown[], steps: Steps): unknown[] {
  const container = containerIn(text, steps);
  // A text that holds a list or an object means that value, not a list with the text in it.
  if (container !== undefined) return [container];
  const readings: unknown[] = notOneItem.test(text) ? [] : [[text]];
  if (isExactNumber(text)) readings.push(Number(text));
  // A whole number that JavaScript would round is passed on with all its digits.
  else if (longWhole.test(text)) readings.push(JSON.rawJSON(text));
  if (/^(?:true|false)$/i.test(text)) readings.push(text.toLowerCase() === 'true');
  const choice = choiceFor(text, choices, steps);
  if (choice !== undefined) readings.push(choice);
  return readings;
}

/** The object or array that a text holds as JSON, with every number as it is written. */
function containerIn(text: string, steps: Steps): unknown {
  if (!/^\s*[[{]/.test(text.slice(0, 100)) || text.length > maxJsonText) return undefined;
  steps.spend(text.length >> 6);
  try {
    return parseExactJson(text);
  } catch {
    // No JSON: then it is a text like any other.
    return undefined;
  }
}

/** "5" and "-1.5" as a number, but not "5.0", "0x5", "1e3" or more digits than a number keeps: the way back must give the same text. */
function isExactNumber(text: string): boolean {
  if (!decimal.test(text)) return false;
  const value = Number(text);
  return String(value) === text && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function isPlain(value: number): boolean {
  return !Object.is(value, -0) && isExactNumber(String(value));
}

/** The one choice that differs only in case, where that has no meaning. */
function choiceFor(text: string, choices: readonly unknown[], steps: Steps): string | undefined {
  if (text.length > 200) return undefined;
  const folded = text.toLowerCase();
  const same = new Set<string>();
  for (const choice of choices.slice(0, maxChoices))
    if (typeof choice === 'string' && choice.length <= 200 && choice.toLowerCase() === folded) same.add(choice);
  steps.spend(Math.min(choices.length, maxChoices) >> 2);
  const [only] = same;
  return only !== undefined && same.size === 1 && isInWords(only) ? only : undefined;
}
