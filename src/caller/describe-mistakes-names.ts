/** Names that are missing or too much: often one mistake, the same name misspelt. */

import { isObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { placeOf, quoted, typeName } from './describe-mistakes-values.ts';
import { refers, type TamedSchema } from './tame-schema.ts';
import type { Mistake } from './validate-arguments-place.ts';

/** Names among which the nearest is looked for: to compare takes time with their number. */
const maxCompared = 200;
/** Parameters that are known by name for this; a schema with more is no help to anybody. */
const maxParameters = 1_000;
/** Parts of a schema that are searched for names. */
const maxParts = 50;

const tooMuch: readonly string[] = ['additionalProperties', 'unevaluatedProperties'];

export function isNameMistake({ keyword }: Mistake): boolean {
  return keyword === 'required' || tooMuch.includes(keyword);
}

/** Sentences for all mistakes of names at one place. */
export function describeNames(mistakes: readonly Mistake[], schema: unknown, tamed: TamedSchema): string[] {
  const [first] = mistakes;
  if (first === undefined) return [];
  const value = isObject(first.value) ? first.value : {};
  const known = parametersOf([schema, ...mistakes.map((mistake) => mistake.schema)], tamed);
  const unused = [...known.keys()].filter((name) => !Object.hasOwn(value, name));
  const refused = namesOf(mistakes, (mistake) => mistake.keyword !== 'required');
  const meant = new Map(refused.map((name) => [name, near(name, unused)]));
  const where = placeOf(first.path);
  const said = (sentence: string) => (where === '' ? sentence : `${where}: ${sentence}`);
  const unknown = refused.map((name) => {
    const guess = meant.get(name);
    return said(
      `there is no parameter ${quoted(name)}${guess === undefined ? '' : `; did you mean ${quoted(guess)}?`}`,
    );
  });
  const explained = new Set(meant.values());
  // Where a schema allows any name, a misspelt one is noticed only by what is missing.
  const strangers = Object.keys(value).filter((name) => !known.has(name) && !meant.has(name));
  const lacking = mistakes
    .filter((mistake) => mistake.keyword === 'required' && !explained.has(mistake.name))
    .map((mistake) => said(describeMissing(mistake, near(mistake.name ?? '', strangers), known, tamed)));
  return [...unknown, ...lacking];
}

function describeMissing(
  { name = '', because }: Mistake,
  guess: string | undefined,
  known: ReadonlyMap<string, unknown>,
  tamed: TamedSchema,
): string {
  if (guess !== undefined) return `the parameter ${quoted(name)} is missing; is ${quoted(guess)} meant to be it?`;
  const type = typeName(known.get(name), tamed);
  const reason = because === undefined ? '' : `, which ${quoted(because)} needs`;
  return `the parameter ${quoted(name)} is missing${type ? ` (${type})` : ''}${reason}`;
}

function namesOf(mistakes: readonly Mistake[], isWanted: (mistake: Mistake) => boolean): string[] {
  return [...new Set(mistakes.filter(isWanted).map(({ name }) => name ?? ''))];
}

function near(name: string, names: readonly string[]): string | undefined {
  return nearest(name, names.slice(0, maxCompared), 1)[0];
}

/** Parameters with their schemas, of schemas and of those that they are made of. */
export function parametersOf(schemas: readonly unknown[], tamed: TamedSchema): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const waiting = [...schemas];
  const seen = new Set<unknown>();
  // The list grows while it is walked along.
  for (const schema of waiting) {
    if (seen.size >= maxParts) break;
    if (!isObject(schema) || seen.has(schema)) continue;
    seen.add(schema);
    if (isObject(schema.properties)) {
      for (const name of Object.keys(schema.properties).slice(0, maxParameters))
        if (!found.has(name)) found.set(name, schema.properties[name]);
    }
    if (refers(schema)) waiting.push(tamed.target(schema));
    for (const parts of [schema.allOf, schema.anyOf, schema.oneOf])
      if (Array.isArray(parts)) waiting.push(...parts.slice(0, maxParts));
    waiting.push(schema.then, schema.else);
  }
  return found;
}
