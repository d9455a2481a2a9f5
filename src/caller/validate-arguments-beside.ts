/** Names that are known beside a schema: of those that hold for the same value, and of the forms that it may have itself. */

import { isObject } from '../base/json.ts';
import { refers, type TamedSchema } from './tame-schema.ts';
import type { Schema, Steps } from './validate-arguments-place.ts';

/** Schemas that are looked through for a name; where there are more, it may be known. */
const maxParts = 100;

/** `around`: the schemas that hold for one value, each inside the one before. */
export function isNamedBeside(name: string, around: readonly Schema[], tamed: TamedSchema, steps: Steps): boolean {
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

/** What a schema is made of, less the part that is looked at and the forms that the value has instead of it. */
function partsOf(schema: Schema, inner: Schema | null, tamed: TamedSchema, steps: Steps): unknown[] {
  const { allOf, anyOf, oneOf, then: yes, else: no } = schema;
  const target = refers(schema) ? tamed.target(schema) : undefined;
  const lists = [anyOf, oneOf, [yes, no], allOf].filter((list) => Array.isArray(list));
  steps.spend(lists.reduce((sum, list) => sum + list.length, 0) >> 6);
  const counting = lists.filter((list) => list === allOf || !list.includes(inner));
  return [target, ...counting.flat()].filter((part) => part !== inner).slice(0, maxParts + 1);
}
