/**
 * Checks a value against a stranger's schema in a bounded number of steps. A validity is `invalid` only where the schema
 * surely refuses the value; what cannot be decided safely stays `unknown`, also through `not`, `oneOf` and conditions.
 */

import { isObject } from '../base/json.ts';
import { nestedKeywords, unevaluatedItems, unevaluatedProperties } from './nested-keywords.ts';
import { visitsPerStep } from './tame-pattern.ts';
import { refers, type TamedSchema } from './tamed-schema.ts';
import {
  both,
  type JsonSchema,
  type Keyword,
  Marks,
  type Mistake,
  outOfSteps,
  Steps,
  type Validity,
  type ValueCheck,
  valueKeywords,
} from './value-keywords.ts';

/** Steps of one check. Above them the arguments are left to the server. */
export const maxSteps = 20_000;
/** Schemas inside schemas, at one moment of a check. Below the nesting that JSON of ours may have, times the usual detours. */
const maxDepth = 500;
/** Mistakes that are noted; the validity counts them all. */
const maxNoted = 1_000;

const keywords: ReadonlyMap<string, Keyword> = new Map([...valueKeywords, ...nestedKeywords]);

interface Checked {
  readonly validity: Validity;
  readonly mistakes: readonly Mistake[];
}

/** Checks a value against a schema, which is the tamed one or a part of it. */
export function checkValue(tamed: TamedSchema, schema: unknown, value: unknown, steps = new Steps(maxSteps)): Checked {
  try {
    return checkWithin(tamed, schema, value, steps);
  } catch (error) {
    if (error !== outOfSteps) throw error;
    return { validity: 'unknown', mistakes: [] };
  }
}

/** The same for one check of several that share their steps: throws `outOfSteps` when these are used up. */
export function checkWithin(tamed: TamedSchema, schema: unknown, value: unknown, steps: Steps): Checked {
  const mistakes: Mistake[] = [];
  return { validity: new Check(tamed, steps).check(schema, value, mistakes), mistakes };
}

/** References that were followed without going further into the value: coming to one again would go round for ever. */
interface Followed {
  readonly target: unknown;
  readonly before: Followed | undefined;
}

class Check {
  readonly #tamed: TamedSchema;
  readonly #steps: Steps;
  readonly #path: (string | number)[] = [];
  /** The schemas that hold for the value that is looked at, from the outermost to the one that is checked. */
  #around: JsonSchema[] = [];
  #depth = 0;

  constructor(tamed: TamedSchema, steps: Steps) {
    this.#tamed = tamed;
    this.#steps = steps;
  }

  check(schema: unknown, value: unknown, into: Mistake[] | undefined, marks?: Marks, followed?: Followed): Validity {
    this.#steps.spend(1);
    if (schema === true) return 'valid';
    if (schema === false) return this.#refuse({}, value, into, 'false');
    if (!isObject(schema) || this.#depth >= maxDepth) return 'unknown';
    // A word of another standard, which many schemas use.
    if (value === null && schema.nullable === true) return 'valid';
    this.#depth += 1;
    this.#around.push(schema);
    const validity = this.#checkAll(schema, value, into, marks, followed);
    this.#around.pop();
    this.#depth -= 1;
    return validity;
  }

  #checkAll(
    schema: JsonSchema,
    value: unknown,
    into: Mistake[] | undefined,
    outerMarks: Marks | undefined,
    followed: Followed | undefined,
  ): Validity {
    const asksRest = schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined;
    const marks = asksRest ? new Marks() : outerMarks;
    const { isOldDraft } = this.#tamed;
    let validity = this.#followReference(schema, value, into, marks, followed);
    if (isOldDraft && schema.$ref !== undefined) return validity;
    const valueCheck = this.#valueCheck(schema, value, into, marks, followed);
    const names = Object.keys(schema);
    this.#steps.spend(names.length >> 2);
    for (const key of names) {
      const keyword = keywords.get(key);
      if (keyword === undefined) continue;
      validity = both(validity, keyword(schema[key], valueCheck));
      if (validity === 'invalid' && into === undefined) return validity;
    }
    if (!asksRest || marks === undefined) return validity;
    if (schema.unevaluatedProperties !== undefined)
      validity = both(validity, unevaluatedProperties(schema.unevaluatedProperties, valueCheck));
    if (schema.unevaluatedItems !== undefined)
      validity = both(validity, unevaluatedItems(schema.unevaluatedItems, valueCheck));
    outerMarks?.merge(marks, 'valid');
    return validity;
  }

  #followReference(
    schema: JsonSchema,
    value: unknown,
    into: Mistake[] | undefined,
    marks: Marks | undefined,
    followed: Followed | undefined,
  ): Validity {
    if (!refers(schema)) return 'valid';
    const target = this.#tamed.target(schema);
    if (target === undefined) return this.#lose(marks);
    for (let at = followed; at !== undefined; at = at.before) if (at.target === target) return this.#lose(marks);
    return this.check(target, value, into, marks, { target, before: followed });
  }

  /** An unknown schema may have looked at every member. */
  #lose(marks: Marks | undefined): Validity {
    const all = new Marks();
    all.addAll();
    marks?.merge(all, 'unknown');
    return 'unknown';
  }

  #valueCheck(
    schema: JsonSchema,
    value: unknown,
    into: Mistake[] | undefined,
    marks: Marks | undefined,
    followed: Followed | undefined,
  ): ValueCheck {
    return {
      schema,
      value,
      into,
      marks,
      isOldDraft: this.#tamed.isOldDraft,
      steps: this.#steps,
      same: (other, notes, otherMarks) => this.check(other, value, notes, otherMarks, followed),
      inner: (key, other, member, notes) => {
        const around = this.#around;
        this.#around = [];
        this.#path.push(key);
        const validity = this.check(other, member, notes);
        this.#path.pop();
        this.#around = around;
        return validity;
      },
      isNamedBeside: (name) => isNamedBeside(name, this.#around, this.#tamed, this.#steps),
      matches: (pattern, text) => this.#matches(pattern, text),
      refuse: (keyword, more) => this.#refuse(schema, value, into, keyword, more),
    };
  }

  #matches(source: string, text: string): Validity {
    const found = this.#tamed.pattern(source)?.find(text);
    if (found === undefined) return 'unknown';
    this.#steps.spend(Math.ceil(found.visits / visitsPerStep));
    if (found.isFound === undefined) return 'unknown';
    return found.isFound ? 'valid' : 'invalid';
  }

  #refuse(
    schema: JsonSchema,
    value: unknown,
    into: Mistake[] | undefined,
    keyword: string,
    more?: Partial<Mistake>,
  ): Validity {
    if (into && into.length < maxNoted) into.push({ path: [...this.#path], keyword, schema, value, ...more });
    return 'invalid';
  }
}

/** Schemas that are looked through for a name; where there are more, it may be known. */
const maxParts = 100;

/** `around`: the schemas that hold for one value, each inside the one before. */
function isNamedBeside(name: string, around: readonly JsonSchema[], tamed: TamedSchema, steps: Steps): boolean {
  const waiting = around.flatMap((schema, at) => [
    { properties: schema.properties },
    ...partsOf(schema, around[at + 1] ?? null, tamed, steps),
  ]);
  const seen = new Set<unknown>();
  // The list grows while it is walked along.
  for (const part of waiting) {
    if (!isObject(part) || seen.has(part)) continue;
    steps.spend(1);
    if (seen.size >= maxParts) return true;
    seen.add(part);
    if (isObject(part.properties) && Object.hasOwn(part.properties, name)) return true;
    waiting.push(...partsOf(part, null, tamed, steps));
  }
  return false;
}

/** The parts of a schema, without the one being checked and without the alternatives to it. */
function partsOf(schema: JsonSchema, inner: JsonSchema | null, tamed: TamedSchema, steps: Steps): unknown[] {
  const { allOf, anyOf, oneOf, then: yes, else: no } = schema;
  const target = refers(schema) ? tamed.target(schema) : undefined;
  const lists = [anyOf, oneOf, [yes, no], allOf].filter((list) => Array.isArray(list));
  steps.spend(lists.reduce((sum, list) => sum + list.length, 0) >> 6);
  const counting = lists.filter((list) => list === allOf || !list.includes(inner));
  return [target, ...counting.flat()].filter((part) => part !== inner).slice(0, maxParts + 1);
}
