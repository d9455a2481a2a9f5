/**
 * Checks a value against a stranger's schema in a bounded number of steps. A verdict is `invalid` only where the schema
 * surely refuses the value; what cannot be decided safely stays `unknown`, also through `not`, `oneOf` and conditions.
 */

import { isObject } from '../base/json.ts';
import { refers, type TamedSchema } from './tame-schema.ts';
import { visitsPerStep } from './tame-schema-patterns.ts';
import { isNamedBeside } from './validate-arguments-beside.ts';
import { choiceKeywords } from './validate-arguments-choices.ts';
import { listKeywords, unevaluatedItems } from './validate-arguments-lists.ts';
import { objectKeywords, unevaluatedProperties } from './validate-arguments-objects.ts';
import {
  both,
  type Keyword,
  Marks,
  type Mistake,
  outOfSteps,
  type Place,
  type Schema,
  Steps,
  type Verdict,
} from './validate-arguments-place.ts';
import { valueKeywords } from './validate-arguments-values.ts';

/** Steps of one check. Above them the arguments are left to the server. */
export const maxSteps = 20_000;
/** Schemas inside schemas, at one moment of a check. Below the nesting that JSON of ours may have, times the usual detours. */
const maxDepth = 500;
/** Mistakes that are noted; the verdict counts them all. */
const maxNoted = 1_000;

const keywords: ReadonlyMap<string, Keyword> = new Map([
  ...valueKeywords,
  ...objectKeywords,
  ...listKeywords,
  ...choiceKeywords,
]);

export interface Checked {
  readonly verdict: Verdict;
  readonly mistakes: readonly Mistake[];
}

/** Checks a value against a schema, which is the tamed one or a part of it. */
export function checkValue(tamed: TamedSchema, schema: unknown, value: unknown, steps = new Steps(maxSteps)): Checked {
  try {
    return checkWithin(tamed, schema, value, steps);
  } catch (error) {
    if (error !== outOfSteps) throw error;
    return { verdict: 'unknown', mistakes: [] };
  }
}

/** The same for one check of several that share their steps: throws `outOfSteps` when these are used up. */
export function checkWithin(tamed: TamedSchema, schema: unknown, value: unknown, steps: Steps): Checked {
  const mistakes: Mistake[] = [];
  return { verdict: new Check(tamed, steps).check(schema, value, mistakes), mistakes };
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
  #around: Schema[] = [];
  #depth = 0;

  constructor(tamed: TamedSchema, steps: Steps) {
    this.#tamed = tamed;
    this.#steps = steps;
  }

  check(schema: unknown, value: unknown, into: Mistake[] | undefined, marks?: Marks, followed?: Followed): Verdict {
    this.#steps.spend(1);
    if (schema === true) return 'valid';
    if (schema === false) return this.#refuse({}, value, into, 'false');
    if (!isObject(schema) || this.#depth >= maxDepth) return 'unknown';
    // A word of another standard, which many schemas use.
    if (value === null && schema.nullable === true) return 'valid';
    this.#depth += 1;
    this.#around.push(schema);
    const verdict = this.#checkAll(schema, value, into, marks, followed);
    this.#around.pop();
    this.#depth -= 1;
    return verdict;
  }

  #checkAll(
    schema: Schema,
    value: unknown,
    into: Mistake[] | undefined,
    outerMarks: Marks | undefined,
    followed: Followed | undefined,
  ): Verdict {
    const asksRest = schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined;
    const marks = asksRest ? new Marks() : outerMarks;
    const { isOldDraft } = this.#tamed;
    let verdict = this.#followReference(schema, value, into, marks, followed);
    if (isOldDraft && schema.$ref !== undefined) return verdict;
    const place = this.#place(schema, value, into, marks, followed);
    const names = Object.keys(schema);
    this.#steps.spend(names.length >> 2);
    for (const key of names) {
      const keyword = keywords.get(key);
      if (keyword === undefined) continue;
      verdict = both(verdict, keyword(schema[key], place));
      if (verdict === 'invalid' && into === undefined) return verdict;
    }
    if (!asksRest || marks === undefined) return verdict;
    if (schema.unevaluatedProperties !== undefined)
      verdict = both(verdict, unevaluatedProperties(schema.unevaluatedProperties, place));
    if (schema.unevaluatedItems !== undefined)
      verdict = both(verdict, unevaluatedItems(schema.unevaluatedItems, place));
    outerMarks?.merge(marks, 'valid');
    return verdict;
  }

  #followReference(
    schema: Schema,
    value: unknown,
    into: Mistake[] | undefined,
    marks: Marks | undefined,
    followed: Followed | undefined,
  ): Verdict {
    if (!refers(schema)) return 'valid';
    const target = this.#tamed.target(schema);
    if (target === undefined) return this.#lose(marks);
    for (let at = followed; at !== undefined; at = at.before) if (at.target === target) return this.#lose(marks);
    return this.check(target, value, into, marks, { target, before: followed });
  }

  /** What is not known may have looked at every member. */
  #lose(marks: Marks | undefined): Verdict {
    const all = new Marks();
    all.addAll();
    marks?.merge(all, 'unknown');
    return 'unknown';
  }

  #place(
    schema: Schema,
    value: unknown,
    into: Mistake[] | undefined,
    marks: Marks | undefined,
    followed: Followed | undefined,
  ): Place {
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
        const verdict = this.check(other, member, notes);
        this.#path.pop();
        this.#around = around;
        return verdict;
      },
      isNamedBeside: (name) => isNamedBeside(name, this.#around, this.#tamed, this.#steps),
      matches: (pattern, text) => this.#matches(pattern, text),
      refuse: (keyword, more) => this.#refuse(schema, value, into, keyword, more),
    };
  }

  #matches(source: string, text: string): Verdict {
    const found = this.#tamed.pattern(source)?.find(text);
    if (found === undefined) return 'unknown';
    this.#steps.spend(Math.ceil(found.visits / visitsPerStep));
    if (found.isFound === undefined) return 'unknown';
    return found.isFound ? 'valid' : 'invalid';
  }

  #refuse(
    schema: Schema,
    value: unknown,
    into: Mistake[] | undefined,
    keyword: string,
    more?: Partial<Mistake>,
  ): Verdict {
    if (into && into.length < maxNoted) into.push({ path: [...this.#path], keyword, schema, value, ...more });
    return 'invalid';
  }
}
