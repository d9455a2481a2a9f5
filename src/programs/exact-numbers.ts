/** Numbers that JavaScript would round or lose: a program gets them as texts with all their digits, and its agent is told where. */

import { holdsInexactNumber, isObject, parseFaithfulJson } from '../base/json.ts';

/** Places that are told. */
const placesTold = 5;

export interface ExactJson {
  readonly json: string;
  /** Where texts stand for numbers, such as `rows[].id`; of many, the first few. */
  readonly places: readonly string[];
}

/** The JSON as it is, where every number survives. */
export function exactJson(json: string): ExactJson {
  if (!holdsInexactNumber(json)) return { json, places: [] };
  const places = new Set<string>();
  const value = withTexts(parseFaithfulJson(json, undefined), '', places);
  return { json: JSON.stringify(value), places: [...places] };
}

function withTexts(value: unknown, place: string, places: Set<string>): unknown {
  if (JSON.isRawJSON(value)) {
    if (places.size < placesTold) places.add(place || 'the value');
    return (value as { readonly rawJSON: string }).rawJSON;
  }
  if (Array.isArray(value)) return value.map((item) => withTexts(item, `${place}[]`, places));
  if (!isObject(value)) return value;
  const inside = (name: string) => (place === '' ? name : `${place}.${name}`);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withTexts(member, inside(name.slice(0, 40)), places)]),
  );
}
