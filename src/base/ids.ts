/** Random identifiers. */

import { randomBytes, randomInt } from 'node:crypto';

/** 128 random bits, URL-safe: cannot be guessed and has no shared prefix. */
export function randomId(): string {
  return randomBytes(16).toString('base64url');
}

/** Without characters that are mistaken for one another. */
const typable = 'abcdefghjkmnpqrstuvwxyz23456789';
const typableLength = 6;

/** For people to type: no secret, and unique among those that are there already. */
export function shortId(isTaken: (id: string) => boolean): string {
  for (;;) {
    const id = Array.from({ length: typableLength }, () => typable[randomInt(typable.length)]).join('');
    if (!isTaken(id)) return id;
  }
}
