/** Keywords for objects: which members there must, may and must not be, and what they hold. */

import { isObject } from '../base/json.ts';
import { both, type Keyword, type Place, type Verdict } from './validate-arguments-place.ts';

type ForObject = (given: unknown, place: Place, value: Readonly<Record<string, unknown>>) => Verdict;

export const objectKeywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['required', forObjects(required)],
  ['properties', forObjects(properties)],
  ['patternProperties', forObjects(patternProperties)],
  ['additionalProperties', forObjects(additionalProperties)],
  ['propertyNames', forObjects(propertyNames)],
  ['dependentRequired', forObjects(newer(dependentRequired))],
  ['dependentSchemas', forObjects(newer(dependentSchemas))],
  ['dependencies', forObjects(dependencies)],
  ['minProperties', forObjects((given, place, value) => amount(given, place, value, 'minProperties'))],
  ['maxProperties', forObjects((given, place, value) => amount(given, place, value, 'maxProperties'))],
]);

/** Runs after everything else, because it asks what the others have looked at. */
export const unevaluatedProperties: Keyword = forObjects(newer(unevaluated));

function forObjects(keyword: ForObject): Keyword {
  return (given, place) => (isObject(place.value) ? keyword(given, place, place.value) : 'valid');
}

/** Older drafts do not know the keyword, so there it means nothing. */
function newer(keyword: ForObject): ForObject {
  return (given, place, value) => (place.isOldDraft ? 'valid' : keyword(given, place, value));
}

function required(given: unknown, place: Place, value: Readonly<Record<string, unknown>>): Verdict {
  if (!Array.isArray(given)) return 'valid';
  return needAll(given, place, value);
}

function needAll(
  names: readonly unknown[],
  place: Place,
  value: Readonly<Record<string, unknown>>,
  because?: string,
): Verdict {
  place.steps.spend(names.length >> 1);
  let verdict: Verdict = 'valid';
  for (const name of names) {
    if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
    verdict = both(verdict, hasDefault(name, place) ? 'unknown' : place.refuse('required', { name, because }));
  }
  return verdict;
}

/** Some programs that write schemas call a member required because its default makes sure that it is there. */
function hasDefault(name: string, { schema: { properties: known } }: Place): boolean {
  if (!isObject(known) || !Object.hasOwn(known, name)) return false;
  const member = known[name];
  return isObject(member) && member.default !== undefined;
}

function properties(given: unknown, place: Place, value: Readonly<Record<string, unknown>>): Verdict {
  if (!isObject(given)) return 'unknown';
  let verdict: Verdict = 'valid';
  for (const [name, member] of Object.entries(value)) {
    place.steps.spend(1);
    if (!Object.hasOwn(given, name)) continue;
    place.marks?.add(name);
    verdict = both(verdict, place.inner(name, given[name], member, place.into));
  }
  return verdict;
}

function patternProperties(given: unknown, place: Place, value: Readonly<Record<string, unknown>>): Verdict {
  if (!isObject(given)) return 'unknown';
  let verdict: Verdict = 'valid';
  for (const [pattern, schema] of Object.entries(given)) {
    for (const [name, member] of Object.entries(value)) {
      place.steps.spend(1);
      const matches = place.matches(pattern, name);
      if (matches === 'invalid') continue;
      if (matches === 'valid') place.marks?.add(name);
      else place.marks?.addMaybe(name);
      const into = matches === 'valid' ? place.into : undefined;
      const inside = place.inner(name, schema, member, into);
      verdict = both(verdict, matches === 'valid' || inside === 'valid' ? inside : 'unknown');
    }
  }
  return verdict;
}

function additionalProperties(given: unknown, place: Place, value: Readonly<Record<string, unknown>>): Verdict {
  if (given === true) {
    place.marks?.addAll();
    return 'valid';
  }
  let verdict: Verdict = 'valid';
  for (const [name, member] of Object.entries(value)) {
    place.steps.spend(1);
    const known = isNamed(name, place);
    if (known === 'valid') continue;
    // A closed schema beside others that name the member: nothing would do, so hardly any server means it.
    const named = given === false && place.isNamedBeside(name) ? 'unknown' : known;
    if (named === 'invalid') place.marks?.add(name);
    else place.marks?.addMaybe(name);
    verdict = both(verdict, further('additionalProperties', given, place, name, member, named));
  }
  return verdict;
}

/** Whether `properties` or `patternProperties` beside it speak of a name. */
function isNamed(name: string, place: Place): Verdict {
  const { properties: known, patternProperties: patterns } = place.schema;
  if (isObject(known) && Object.hasOwn(known, name)) return 'valid';
  if (!isObject(patterns)) return 'invalid';
  let verdict: Verdict = 'invalid';
  for (const pattern of Object.keys(patterns)) {
    place.steps.spend(1);
    const matches = place.matches(pattern, name);
    if (matches === 'valid') return 'valid';
    if (matches === 'unknown') verdict = 'unknown';
  }
  return verdict;
}

/** A member that others may not have spoken of, against the schema for such members. */
function further(
  keyword: string,
  schema: unknown,
  place: Place,
  name: string,
  member: unknown,
  spokenOf: Verdict,
): Verdict {
  if (schema === false) return spokenOf === 'invalid' ? place.refuse(keyword, { name }) : 'unknown';
  const inside = place.inner(name, schema, member, spokenOf === 'invalid' ? place.into : undefined);
  return spokenOf === 'invalid' || inside === 'valid' ? inside : 'unknown';
}

function unevaluated(given: unknown, place: Place, value: Readonly<Record<string, unknown>>): Verdict {
  let verdict: Verdict = 'valid';
  for (const [name, member] of Object.entries(value)) {
    place.steps.spend(1);
    const seen = place.marks?.has(name) ?? 'unknown';
    if (seen !== 'valid') verdict = both(verdict, further('unevaluatedProperties', given, place, name, member, seen));
  }
  place.marks?.addAll();
  return verdict;
}

function propertyNames(given: unknown, place: Place, value: Readonly<Record<string, unknown>>): Verdict {
  let verdict: Verdict = 'valid';
  for (const name of Object.keys(value)) {
    const fits = place.inner(name, given, name, undefined);
    verdict = both(verdict, fits === 'invalid' ? place.refuse('propertyNames', { name }) : fits);
  }
  return verdict;
}

function dependentRequired(given: unknown, place: Place, value: Readonly<Record<string, unknown>>): Verdict {
  if (!isObject(given)) return 'unknown';
  let verdict: Verdict = 'valid';
  for (const [name, others] of Object.entries(given)) {
    place.steps.spend(1);
    if (Object.hasOwn(value, name) && Array.isArray(others))
      verdict = both(verdict, needAll(others, place, value, name));
  }
  return verdict;
}

function dependentSchemas(given: unknown, place: Place, value: Readonly<Record<string, unknown>>): Verdict {
  if (!isObject(given)) return 'unknown';
  let verdict: Verdict = 'valid';
  for (const [name, schema] of Object.entries(given)) {
    place.steps.spend(1);
    if (Object.hasOwn(value, name)) verdict = both(verdict, place.same(schema, place.into, place.marks));
  }
  return verdict;
}

/** The older word for both kinds of dependence. */
function dependencies(given: unknown, place: Place, value: Readonly<Record<string, unknown>>): Verdict {
  if (!isObject(given)) return 'unknown';
  let verdict: Verdict = 'valid';
  for (const [name, needed] of Object.entries(given)) {
    place.steps.spend(1);
    if (!Object.hasOwn(value, name)) continue;
    const outcome = Array.isArray(needed)
      ? needAll(needed, place, value, name)
      : place.same(needed, place.into, place.marks);
    verdict = both(verdict, outcome);
  }
  return verdict;
}

function amount(given: unknown, place: Place, value: Readonly<Record<string, unknown>>, keyword: string): Verdict {
  if (typeof given !== 'number') return 'valid';
  const size = Object.keys(value).length;
  place.steps.spend(size >> 4);
  const fits = keyword === 'minProperties' ? size >= given : size <= given;
  return fits ? 'valid' : place.refuse(keyword);
}
