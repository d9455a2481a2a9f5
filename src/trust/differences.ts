/** Lists the differences between two definitions, place by place, as texts for people. */

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../base/json.ts';
import type { Definition } from './judgement.ts';

export interface Difference {
  /** A path such as `inputSchema.properties.path.description`. */
  readonly where: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** A text as it is, anything else as JSON; null: not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Places below this depth are shown as a whole. */
const deepest = 12;
/** Places that are told of one definition. */
const most = 200;

/** `before`: null where nothing was approved yet, so that everything is new. */
export function differencesBetween(before: Definition | null, after: Definition): Difference[] {
  const found: Difference[] = [];
  compare(before ?? {}, after, '', 0, found);
  if (found.length <= most) return found;
  // Nothing may be left out of what somebody approves by: the last place is then all of it.
  const whole: Difference = { where: '', change: 'changed', before: shown(before ?? undefined), after: shown(after) };
  return [...found.slice(0, most - 1), whole];
}

function compare(before: unknown, after: unknown, where: string, depth: number, found: Difference[]): void {
  if (found.length > most || isDeepStrictEqual(before, after)) return;
  if (depth < deepest && isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const inside = where === '' ? name : `${where}.${name}`;
      const [was, is] = [before, after].map((value) => (Object.hasOwn(value, name) ? value[name] : undefined));
      compare(was, is, inside, depth + 1, found);
    }
    return;
  }
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  found.push({ where, change, before: shown(before), after: shown(after) });
}

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
