/** Keywords for arrays: how many items there are, and what they hold. */

import { both, type Keyword, type Place, type Verdict } from './validate-arguments-place.ts';
import { canonical } from './validate-arguments-values.ts';

type ForList = (given: unknown, place: Place, items: readonly unknown[]) => Verdict;

export const listKeywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['prefixItems', forLists(newer(prefixItems))],
  ['items', forLists(items)],
  ['additionalItems', forLists(additionalItems)],
  ['contains', forLists(contains)],
  ['uniqueItems', forLists(uniqueItems)],
  ['minItems', forLists((given, place, list) => amount(given, place, 'minItems', list.length))],
  ['maxItems', forLists((given, place, list) => amount(given, place, 'maxItems', list.length))],
]);

/** Runs after everything else, because it asks what the others have looked at. */
export const unevaluatedItems: Keyword = forLists(newer(unevaluated));

function forLists(keyword: ForList): Keyword {
  return (given, place) => (Array.isArray(place.value) ? keyword(given, place, place.value) : 'valid');
}

function newer(keyword: ForList): ForList {
  return (given, place, list) => (place.isOldDraft ? 'valid' : keyword(given, place, list));
}

function prefixItems(given: unknown, place: Place, list: readonly unknown[]): Verdict {
  return Array.isArray(given) ? each(given, place, list) : 'unknown';
}

/** Items one by one against schemas one by one. */
function each(schemas: readonly unknown[], place: Place, list: readonly unknown[]): Verdict {
  let verdict: Verdict = 'valid';
  for (const [at, item] of list.slice(0, schemas.length).entries()) {
    place.marks?.add(at);
    verdict = both(verdict, place.inner(at, schemas[at], item, place.into));
  }
  return verdict;
}

function items(given: unknown, place: Place, list: readonly unknown[]): Verdict {
  // A list of schemas is the older way to write `prefixItems`.
  if (Array.isArray(given)) return each(given, place, list);
  const { prefixItems: prefix } = place.schema;
  return rest('items', given, place, list, !place.isOldDraft && Array.isArray(prefix) ? prefix.length : 0);
}

function additionalItems(given: unknown, place: Place, list: readonly unknown[]): Verdict {
  const { items: first } = place.schema;
  return Array.isArray(first) ? rest('additionalItems', given, place, list, first.length) : 'valid';
}

function rest(keyword: string, schema: unknown, place: Place, list: readonly unknown[], from: number): Verdict {
  place.marks?.addAll();
  if (schema === false) return list.length > from ? place.refuse(keyword, { name: String(from) }) : 'valid';
  let verdict: Verdict = 'valid';
  for (let at = from; at < list.length; at += 1) verdict = both(verdict, place.inner(at, schema, list[at], place.into));
  return verdict;
}

function contains(given: unknown, place: Place, list: readonly unknown[]): Verdict {
  let sure = 0;
  let maybe = 0;
  for (const [at, item] of list.entries()) {
    const verdict = place.inner(at, given, item, undefined);
    if (verdict === 'valid') {
      sure += 1;
      place.marks?.add(at);
    } else if (verdict === 'unknown') {
      maybe += 1;
      place.marks?.addMaybe(at);
    }
  }
  const { minContains, maxContains } = place.schema;
  const least = !place.isOldDraft && typeof minContains === 'number' ? minContains : 1;
  const most = !place.isOldDraft && typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY;
  if (sure + maybe < least) return place.refuse('contains');
  if (sure > most) return place.refuse('maxContains');
  return sure >= least && sure + maybe <= most ? 'valid' : 'unknown';
}

/** Items are compared by their canonical text, so the work grows with their number and not with its square. */
function uniqueItems(given: unknown, place: Place, list: readonly unknown[]): Verdict {
  if (given !== true) return 'valid';
  const seen = new Map<string, number>();
  for (const [at, item] of list.entries()) {
    const text = canonical(item, place.steps);
    const before = seen.get(text);
    if (before !== undefined) return place.refuse('uniqueItems', { name: `${before} and ${at}` });
    seen.set(text, at);
  }
  return 'valid';
}

function amount(given: unknown, place: Place, keyword: string, length: number): Verdict {
  if (typeof given !== 'number') return 'valid';
  const fits = keyword === 'minItems' ? length >= given : length <= given;
  return fits ? 'valid' : place.refuse(keyword);
}

function unevaluated(given: unknown, place: Place, list: readonly unknown[]): Verdict {
  let verdict: Verdict = 'valid';
  for (const [at, item] of list.entries()) {
    const seen = place.marks?.has(at) ?? 'unknown';
    if (seen === 'valid') continue;
    const inside = place.inner(at, given, item, seen === 'invalid' ? place.into : undefined);
    verdict = both(verdict, seen === 'invalid' || inside === 'valid' ? inside : 'unknown');
  }
  place.marks?.addAll();
  return verdict;
}
