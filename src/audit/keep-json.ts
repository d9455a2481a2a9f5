/** A value as it is kept: bounded in every direction, secrets masked, always one JSON object. */

import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { isSecretKey, redact, redactedBeginning } from '../base/redact.ts';

/** Characters read beyond the limit, so that a secret is recognised that the limit would cut in two. */
const overhang = 1_024;
const mostMembers = 100;
const mostLevels = 12;

/**
 * The value with secrets masked; one that is no object stands in the member `value`. What is longer than `most` characters
 * is kept as the beginning of its text, in the member `cut`. `masked` makes a copy without secrets.
 */
export function keepJson(value: unknown, most: number, masked: (copy: unknown) => unknown = redact): JsonObject {
  if (isPlain(value)) return value;
  const budget = { characters: most + overhang };
  const copy = masked(boundedCopy(value, budget, 0)) as Json;
  const kept = isObject(copy) ? (copy as JsonObject) : { value: copy };
  const text = JSON.stringify(kept);
  return text.length <= most ? kept : { cut: text.slice(0, most) };
}

const fewMembers = 4;
const plainWord = /^[A-Za-z]{1,15}$/;

/** A few words and numbers, as calls have them: no secret is so short, and looking for one would cost more than the rest. */
function isPlain(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  const members = Object.entries(value);
  return members.length <= fewMembers && members.every(([key, item]) => plainWord.test(key) && isPlainItem(key, item));
}

function isPlainItem(key: string, item: unknown): boolean {
  if (typeof item === 'boolean') return true;
  if (typeof item === 'number') return Number.isFinite(item);
  return typeof item === 'string' && plainWord.test(item) && !isSecretKey(key);
}

interface Budget {
  characters: number;
}

/** Only so much of a value as fits into the budget: masking goes over every character. */
function boundedCopy(value: unknown, budget: Budget, level: number): unknown {
  if (budget.characters <= 0 || level > mostLevels) return '…';
  if (typeof value === 'string') return shortened(value, budget);
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return typeof value;
  if (value === null || typeof value !== 'object') {
    budget.characters -= 5;
    return value;
  }
  if (Array.isArray(value)) return value.slice(0, mostMembers).map((item) => boundedCopy(item, budget, level + 1));
  // Without a prototype: a member may be named `__proto__`.
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value).slice(0, mostMembers)) {
    if (budget.characters <= 0) break;
    copy[shortened(key, budget)] = boundedCopy(item, budget, level + 1);
  }
  return copy;
}

function shortened(text: string, budget: Budget): string {
  // A secret may be cut in two here, and half of one would not be recognised later.
  const part = text.length <= budget.characters ? text : redactedBeginning(text, budget.characters);
  budget.characters -= part.length;
  return part;
}
