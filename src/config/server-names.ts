/** Legal server names, made from whatever key a config file uses. */

import { createHash } from 'node:crypto';
import { isCallId } from '../base/ids.ts';
import { printable } from '../base/text.ts';

const longestName = 63;
const hashLength = 8;
const longestTitle = 128;
const legal = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Ids of calls are not: `approve` and `review accept` never mean the same thing. */
export function isLegalName(name: string): boolean {
  return legal.test(name) && !isCallId(name);
}

/**
 * The server name that a key stands for: the key itself where it is legal, else a legal name made from it.
 * It depends on the key alone. Case and spaces are folded (`My Server` is `my-server`); a key that loses
 * more than that carries a short hash of itself, so that `a/b` and `a.b` stay two servers.
 */
export function legalName(key: string): string {
  if (isLegalName(key)) return key;
  const folded = key.toLowerCase().split(' ').filter(Boolean).join('-');
  if (isLegalName(folded)) return folded;
  const hash = createHash('sha256').update(key).digest('hex').slice(0, hashLength);
  const stem = trimSigns(trimSigns(folded.replace(/[^a-z0-9_-]+/g, '-')).slice(0, longestName - hashLength - 1));
  return `${stem || 'server'}-${hash}`;
}

/** The title that a key gives its server: none where the key already is the name. */
export function titleOfKey(key: string): string | null {
  if (isLegalName(key)) return null;
  const text = printable(key).trim();
  // Cut between code points, so that no half of a surrogate pair is left.
  return Array.from(text).slice(0, longestTitle).join('') || null;
}

function trimSigns(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSign(text[start])) start += 1;
  while (end > start && isSign(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isSign(character: string | undefined): boolean {
  return character === '-' || character === '_';
}
