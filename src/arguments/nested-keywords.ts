/** Keywords that hold other schemas: for members, for items, and for all, any, one or none of several schemas. */

import { isObject } from '../base/json.ts';
import {
  both,
  canonical,
  type Form,
  type Keyword,
  Marks,
  type Mistake,
  type Validity,
  type ValueCheck,
} from './value-keywords.ts';

type KeywordFor<T> = (given: unknown, check: ValueCheck, value: T) => Validity;
type Members = Readonly<Record<string, unknown>>;

export const nestedKeywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['allOf', allOf],
  ['anyOf', anyOf],
  ['oneOf', oneOf],
  ['not', not],
  ['if', condition],
  ['prefixItems', forLists(newer(prefixItems))],
  ['items', forLists(items)],
  ['additionalItems', forLists(additionalItems)],
  ['contains', forLists(contains)],
  ['uniqueItems', forLists(uniqueItems)],
  ['minItems', forLists((given, check, list) => amount(given, check, 'minItems', list.length))],
  ['maxItems', forLists((given, check, list) => amount(given, check, 'maxItems', list.length))],
  ['required', forObjects(required)],
  ['properties', forObjects(properties)],
  ['patternProperties', forObjects(patternProperties)],
  ['additionalProperties', forObjects(additionalProperties)],
  ['propertyNames', forObjects(propertyNames)],
  ['dependentRequired', forObjects(newer(dependentRequired))],
  ['dependentSchemas', forObjects(newer(dependentSchemas))],
  ['dependencies', forObjects(dependencies)],
  [
    'minProperties',
    forObjects((given, check, value) => amount(given, check, 'minProperties', Object.keys(value).length)),
  ],
  [
    'maxProperties',
    forObjects((given, check, value) => amount(given, check, 'maxProperties', Object.keys(value).length)),
  ],
]);

/** These two run after everything else, because they ask what the others have looked at. */
export const unevaluatedItems: Keyword = forLists(newer(otherItems));
export const unevaluatedProperties: Keyword = forObjects(newer(otherMembers));

function allOf(given: unknown, check: ValueCheck): Validity {
  if (!Array.isArray(given)) return 'unknown';
  let validity: Validity = 'valid';
  for (const schema of given) validity = both(validity, check.same(schema, check.into, check.marks));
  return validity;
}

function anyOf(given: unknown, check: ValueCheck): Validity {
  if (!Array.isArray(given)) return 'unknown';
  const forms: Form[] = [];
  let hasValid = false;
  let hasUnknown = false;
  for (const schema of given) {
    const validity = tryForm(schema, check, forms);
    hasValid ||= validity === 'valid';
    hasUnknown ||= validity === 'unknown';
    if (hasValid && !check.marks) return 'valid';
  }
  if (hasValid) return 'valid';
  return hasUnknown || given.length === 0 ? 'unknown' : check.refuse('anyOf', { forms });
}

/** More than one form that fits stays open: few servers count, and no value would do where forms overlap. */
function oneOf(given: unknown, check: ValueCheck): Validity {
  if (!Array.isArray(given)) return 'unknown';
  const forms: Form[] = [];
  let valid = 0;
  let unknown = 0;
  for (const schema of given) {
    const validity = tryForm(schema, check, forms);
    if (validity === 'valid') valid += 1;
    else if (validity === 'unknown') unknown += 1;
    if (valid > 1 && !check.marks) return 'unknown';
  }
  if (valid > 1 || unknown > 0 || given.length === 0) return 'unknown';
  return valid === 1 ? 'valid' : check.refuse('oneOf', { forms });
}

function tryForm(schema: unknown, check: ValueCheck, forms: Form[]): Validity {
  const mistakes: Mistake[] | undefined = check.into && [];
  const marks = check.marks && new Marks();
  const validity = check.same(schema, mistakes, marks);
  if (marks) check.marks?.merge(marks, validity);
  if (mistakes) forms.push({ schema, mistakes });
  return validity;
}

function not(given: unknown, check: ValueCheck): Validity {
  const validity = check.same(given, undefined);
  if (validity === 'unknown') return 'unknown';
  return validity === 'valid' ? check.refuse('not') : 'valid';
}

/** If the condition can't be decided, both branches are checked: the result holds where they agree. */
function condition(given: unknown, check: ValueCheck): Validity {
  const { then: yes, else: no } = check.schema;
  const marks = check.marks && new Marks();
  const validity = check.same(given, undefined, marks);
  if (marks) check.marks?.merge(marks, validity);
  if (validity !== 'unknown') {
    const chosen = validity === 'valid' ? yes : no;
    return chosen === undefined ? 'valid' : check.same(chosen, check.into, check.marks);
  }
  const ways = [yes, no].map((schema) => {
    const seen = new Marks();
    const outcome = schema === undefined ? 'valid' : check.same(schema, undefined, seen);
    check.marks?.merge(seen, outcome === 'invalid' ? 'invalid' : 'unknown');
    return outcome;
  });
  if (ways.every((way) => way === 'invalid')) return check.refuse('if');
  return ways.every((way) => way === 'valid') ? 'valid' : 'unknown';
}

function forLists(keyword: KeywordFor<readonly unknown[]>): Keyword {
  return (given, check) => (Array.isArray(check.value) ? keyword(given, check, check.value) : 'valid');
}

function prefixItems(given: unknown, check: ValueCheck, list: readonly unknown[]): Validity {
  return Array.isArray(given) ? each(given, check, list) : 'unknown';
}

/** Items one by one against schemas one by one. */
function each(schemas: readonly unknown[], check: ValueCheck, list: readonly unknown[]): Validity {
  let validity: Validity = 'valid';
  for (const [at, item] of list.slice(0, schemas.length).entries()) {
    check.marks?.add(at);
    validity = both(validity, check.inner(at, schemas[at], item, check.into));
  }
  return validity;
}

function items(given: unknown, check: ValueCheck, list: readonly unknown[]): Validity {
  // A list of schemas is the older way to write `prefixItems`.
  if (Array.isArray(given)) return each(given, check, list);
  const { prefixItems: prefix } = check.schema;
  return rest('items', given, check, list, !check.isOldDraft && Array.isArray(prefix) ? prefix.length : 0);
}

function additionalItems(given: unknown, check: ValueCheck, list: readonly unknown[]): Validity {
  const { items: first } = check.schema;
  return Array.isArray(first) ? rest('additionalItems', given, check, list, first.length) : 'valid';
}

function rest(keyword: string, schema: unknown, check: ValueCheck, list: readonly unknown[], from: number): Validity {
  check.marks?.addAll();
  if (schema === false) return list.length > from ? check.refuse(keyword, { name: String(from) }) : 'valid';
  let validity: Validity = 'valid';
  for (let at = from; at < list.length; at += 1)
    validity = both(validity, check.inner(at, schema, list[at], check.into));
  return validity;
}

function contains(given: unknown, check: ValueCheck, list: readonly unknown[]): Validity {
  let sure = 0;
  let maybe = 0;
  for (const [at, item] of list.entries()) {
    const validity = check.inner(at, given, item, undefined);
    if (validity === 'valid') {
      sure += 1;
      check.marks?.add(at);
    } else if (validity === 'unknown') {
      maybe += 1;
      check.marks?.addMaybe(at);
    }
  }
  const { minContains, maxContains } = check.schema;
  const least = !check.isOldDraft && typeof minContains === 'number' ? minContains : 1;
  const most = !check.isOldDraft && typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY;
  if (sure + maybe < least) return check.refuse('contains');
  if (sure > most) return check.refuse('maxContains');
  return sure >= least && sure + maybe <= most ? 'valid' : 'unknown';
}

/** Items are compared by their canonical text, so the work grows with their number and not with its square. */
function uniqueItems(given: unknown, check: ValueCheck, list: readonly unknown[]): Validity {
  if (given !== true) return 'valid';
  const seen = new Map<string, number>();
  for (const [at, item] of list.entries()) {
    const text = canonical(item, check.steps);
    const before = seen.get(text);
    if (before !== undefined) return check.refuse('uniqueItems', { name: `${before} and ${at}` });
    seen.set(text, at);
  }
  return 'valid';
}

function otherItems(given: unknown, check: ValueCheck, list: readonly unknown[]): Validity {
  let validity: Validity = 'valid';
  for (const [at, item] of list.entries()) {
    const seen = check.marks?.has(at) ?? 'unknown';
    if (seen === 'valid') continue;
    const inside = check.inner(at, given, item, seen === 'invalid' ? check.into : undefined);
    validity = both(validity, seen === 'invalid' || inside === 'valid' ? inside : 'unknown');
  }
  check.marks?.addAll();
  return validity;
}

function forObjects(keyword: KeywordFor<Members>): Keyword {
  return (given, check) => (isObject(check.value) ? keyword(given, check, check.value) : 'valid');
}

/** Older drafts do not know the keyword, so there it means nothing. */
function newer<T>(keyword: KeywordFor<T>): KeywordFor<T> {
  return (given, check, value) => (check.isOldDraft ? 'valid' : keyword(given, check, value));
}

function required(given: unknown, check: ValueCheck, value: Members): Validity {
  if (!Array.isArray(given)) return 'valid';
  return needAll(given, check, value);
}

function needAll(names: readonly unknown[], check: ValueCheck, value: Members, because?: string): Validity {
  check.steps.spend(names.length >> 1);
  let validity: Validity = 'valid';
  for (const name of names) {
    if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
    validity = both(validity, hasDefault(name, check) ? 'unknown' : check.refuse('required', { name, because }));
  }
  return validity;
}

/** Some programs that write schemas call a member required because its default makes sure that it is there. */
function hasDefault(name: string, { schema: { properties: known } }: ValueCheck): boolean {
  if (!isObject(known) || !Object.hasOwn(known, name)) return false;
  const member = known[name];
  return isObject(member) && member.default !== undefined;
}

function properties(given: unknown, check: ValueCheck, value: Members): Validity {
  if (!isObject(given)) return 'unknown';
  let validity: Validity = 'valid';
  for (const [name, member] of Object.entries(value)) {
    check.steps.spend(1);
    if (!Object.hasOwn(given, name)) continue;
    check.marks?.add(name);
    validity = both(validity, check.inner(name, given[name], member, check.into));
  }
  return validity;
}

function patternProperties(given: unknown, check: ValueCheck, value: Members): Validity {
  if (!isObject(given)) return 'unknown';
  let validity: Validity = 'valid';
  for (const [pattern, schema] of Object.entries(given)) {
    for (const [name, member] of Object.entries(value)) {
      check.steps.spend(1);
      const matches = check.matches(pattern, name);
      if (matches === 'invalid') continue;
      if (matches === 'valid') check.marks?.add(name);
      else check.marks?.addMaybe(name);
      const into = matches === 'valid' ? check.into : undefined;
      const inside = check.inner(name, schema, member, into);
      validity = both(validity, matches === 'valid' || inside === 'valid' ? inside : 'unknown');
    }
  }
  return validity;
}

function additionalProperties(given: unknown, check: ValueCheck, value: Members): Validity {
  if (given === true) {
    check.marks?.addAll();
    return 'valid';
  }
  let validity: Validity = 'valid';
  for (const [name, member] of Object.entries(value)) {
    check.steps.spend(1);
    const known = isNamed(name, check);
    if (known === 'valid') continue;
    // A closed schema beside others that name the member: nothing would do, so hardly any server means it.
    const named = given === false && check.isNamedBeside(name) ? 'unknown' : known;
    if (named === 'invalid') check.marks?.add(name);
    else check.marks?.addMaybe(name);
    validity = both(validity, further('additionalProperties', given, check, name, member, named));
  }
  return validity;
}

/** Validity of the claim that `properties` or `patternProperties` cover a name. */
function isNamed(name: string, check: ValueCheck): Validity {
  const { properties: known, patternProperties: patterns } = check.schema;
  if (isObject(known) && Object.hasOwn(known, name)) return 'valid';
  if (!isObject(patterns)) return 'invalid';
  let validity: Validity = 'invalid';
  for (const pattern of Object.keys(patterns)) {
    check.steps.spend(1);
    const matches = check.matches(pattern, name);
    if (matches === 'valid') return 'valid';
    if (matches === 'unknown') validity = 'unknown';
  }
  return validity;
}

/** A member that others may not have spoken of, against the schema for such members. */
function further(
  keyword: string,
  schema: unknown,
  check: ValueCheck,
  name: string,
  member: unknown,
  spokenOf: Validity,
): Validity {
  if (schema === false) return spokenOf === 'invalid' ? check.refuse(keyword, { name }) : 'unknown';
  const inside = check.inner(name, schema, member, spokenOf === 'invalid' ? check.into : undefined);
  return spokenOf === 'invalid' || inside === 'valid' ? inside : 'unknown';
}

function otherMembers(given: unknown, check: ValueCheck, value: Members): Validity {
  let validity: Validity = 'valid';
  for (const [name, member] of Object.entries(value)) {
    check.steps.spend(1);
    const seen = check.marks?.has(name) ?? 'unknown';
    if (seen !== 'valid') validity = both(validity, further('unevaluatedProperties', given, check, name, member, seen));
  }
  check.marks?.addAll();
  return validity;
}

function propertyNames(given: unknown, check: ValueCheck, value: Members): Validity {
  let validity: Validity = 'valid';
  for (const name of Object.keys(value)) {
    const fits = check.inner(name, given, name, undefined);
    validity = both(validity, fits === 'invalid' ? check.refuse('propertyNames', { name }) : fits);
  }
  return validity;
}

function dependentRequired(given: unknown, check: ValueCheck, value: Members): Validity {
  if (!isObject(given)) return 'unknown';
  let validity: Validity = 'valid';
  for (const [name, others] of Object.entries(given)) {
    check.steps.spend(1);
    if (Object.hasOwn(value, name) && Array.isArray(others))
      validity = both(validity, needAll(others, check, value, name));
  }
  return validity;
}

function dependentSchemas(given: unknown, check: ValueCheck, value: Members): Validity {
  if (!isObject(given)) return 'unknown';
  let validity: Validity = 'valid';
  for (const [name, schema] of Object.entries(given)) {
    check.steps.spend(1);
    if (Object.hasOwn(value, name)) validity = both(validity, check.same(schema, check.into, check.marks));
  }
  return validity;
}

/** The older word for both kinds of dependence. */
function dependencies(given: unknown, check: ValueCheck, value: Members): Validity {
  if (!isObject(given)) return 'unknown';
  let validity: Validity = 'valid';
  for (const [name, needed] of Object.entries(given)) {
    check.steps.spend(1);
    if (!Object.hasOwn(value, name)) continue;
    const outcome = Array.isArray(needed)
      ? needAll(needed, check, value, name)
      : check.same(needed, check.into, check.marks);
    validity = both(validity, outcome);
  }
  return validity;
}

function amount(given: unknown, check: ValueCheck, keyword: string, size: number): Validity {
  if (typeof given !== 'number') return 'valid';
  check.steps.spend(size >> 4);
  const fits = keyword.startsWith('min') ? size >= given : size <= given;
  return fits ? 'valid' : check.refuse(keyword);
}
