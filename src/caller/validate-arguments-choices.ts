/** Keywords that combine schemas: all, any, one or none of them, and conditions. */

import {
  both,
  type Form,
  type Keyword,
  Marks,
  type Mistake,
  type Place,
  type Verdict,
} from './validate-arguments-place.ts';

export const choiceKeywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['allOf', allOf],
  ['anyOf', anyOf],
  ['oneOf', oneOf],
  ['not', not],
  ['if', condition],
]);

function allOf(given: unknown, place: Place): Verdict {
  if (!Array.isArray(given)) return 'unknown';
  let verdict: Verdict = 'valid';
  for (const schema of given) verdict = both(verdict, place.same(schema, place.into, place.marks));
  return verdict;
}

function anyOf(given: unknown, place: Place): Verdict {
  if (!Array.isArray(given)) return 'unknown';
  const forms: Form[] = [];
  let hasValid = false;
  let hasUnknown = false;
  for (const schema of given) {
    const verdict = tryForm(schema, place, forms);
    hasValid ||= verdict === 'valid';
    hasUnknown ||= verdict === 'unknown';
    if (hasValid && !place.marks) return 'valid';
  }
  if (hasValid) return 'valid';
  return hasUnknown || given.length === 0 ? 'unknown' : place.refuse('anyOf', { forms });
}

/** More than one form that fits stays open: few servers count, and no value would do where forms overlap. */
function oneOf(given: unknown, place: Place): Verdict {
  if (!Array.isArray(given)) return 'unknown';
  const forms: Form[] = [];
  let valid = 0;
  let unknown = 0;
  for (const schema of given) {
    const verdict = tryForm(schema, place, forms);
    if (verdict === 'valid') valid += 1;
    else if (verdict === 'unknown') unknown += 1;
    if (valid > 1 && !place.marks) return 'unknown';
  }
  if (valid > 1 || unknown > 0 || given.length === 0) return 'unknown';
  return valid === 1 ? 'valid' : place.refuse('oneOf', { forms });
}

function tryForm(schema: unknown, place: Place, forms: Form[]): Verdict {
  const mistakes: Mistake[] | undefined = place.into && [];
  const marks = place.marks && new Marks();
  const verdict = place.same(schema, mistakes, marks);
  if (marks) place.marks?.merge(marks, verdict);
  if (mistakes) forms.push({ schema, mistakes });
  return verdict;
}

function not(given: unknown, place: Place): Verdict {
  const verdict = place.same(given, undefined);
  if (verdict === 'unknown') return 'unknown';
  return verdict === 'valid' ? place.refuse('not') : 'valid';
}

/** Where the condition cannot be decided, both ways are: what they agree on holds. */
function condition(given: unknown, place: Place): Verdict {
  const { then: yes, else: no } = place.schema;
  const marks = place.marks && new Marks();
  const verdict = place.same(given, undefined, marks);
  if (marks) place.marks?.merge(marks, verdict);
  if (verdict !== 'unknown') {
    const chosen = verdict === 'valid' ? yes : no;
    return chosen === undefined ? 'valid' : place.same(chosen, place.into, place.marks);
  }
  const ways = [yes, no].map((schema) => {
    const seen = new Marks();
    const outcome = schema === undefined ? 'valid' : place.same(schema, undefined, seen);
    place.marks?.merge(seen, outcome === 'invalid' ? 'invalid' : 'unknown');
    return outcome;
  });
  if (ways.every((way) => way === 'invalid')) return place.refuse('if');
  return ways.every((way) => way === 'valid') ? 'valid' : 'unknown';
}
