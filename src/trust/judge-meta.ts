/** Judges a change of `_meta`: what programs act on, what reads like words, and what is neither. */

import { isObject } from '../base/json.ts';
import { wordsOf } from './added-text.ts';
import { judgeWording, type WordingChange } from './judge-wording.ts';
import type { Notice } from './judgement.ts';

/** Names of members that agents are known to act on: what is shown, run, allowed or told to a model. */
const acting =
  /(?:^|[^a-z])(?:ui|uri|url|template|widget|resource|instructions?|prompts?|system|csp|domains?|permissions?|scopes?|auth|security|visibility|invok\w*|commands?|scripts?|approval|confirm\w*|model|hint\w*)(?:$|[^a-z])/;
const address = /^[a-z][a-z0-9+.-]*:\S/i;
/** A text of so many words says something. */
const fewestWords = 3;

type Context = Omit<WordingChange, 'where' | 'before' | 'after'>;

export function judgeMeta(before: unknown, after: unknown, context: Context): Notice[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  const added = [...now].flatMap(([path, value]) => judgeLeaf(path, old.get(path), value, context));
  const gone = [...old.keys()].filter((path) => !now.has(path));
  return [
    ...added,
    ...gone.map((path): Notice => ({ ...detailAt(path), grade: isActing(path) ? 'notable' : 'harmless' })),
  ];
}

function judgeLeaf(path: string, before: unknown, after: unknown, context: Context): Notice[] {
  if (before === after) return [];
  const where = placeOf(path);
  const isAddress = typeof after === 'string' && address.test(after.trim());
  if (isActing(path) || isAddress)
    return [{ grade: 'risky', code: 'meta', where, sentence: 'Agents may act on what it says now.' }];
  if (typeof after !== 'string' || wordsOf(after).length < fewestWords)
    return [{ ...detailAt(path), grade: 'harmless' }];
  return judgeWording({ ...context, where, before: typeof before === 'string' ? before : '', after });
}

function isActing(path: string): boolean {
  return acting.test(path.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase());
}

function detailAt(path: string) {
  return { code: 'detail', where: placeOf(path), sentence: 'It says something else to programs.' } as const;
}

function placeOf(path: string): string {
  return path === '' ? '_meta' : `_meta.${path}`;
}

/** Every value that holds no other, by its path. */
function leavesOf(value: unknown, path = '', found = new Map<string, unknown>()): Map<string, unknown> {
  const members = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : undefined;
  if (members === undefined) {
    if (value !== undefined) found.set(path, value);
    return found;
  }
  for (const [name, member] of members) leavesOf(member, path === '' ? String(name) : `${path}.${name}`, found);
  return found;
}
