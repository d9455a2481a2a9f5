/** Random identifiers. */

import { randomBytes, randomInt } from 'node:crypto';

/** 128 random bits, URL-safe: cannot be guessed and has no shared prefix. */
export function randomId(): string {
  return randomBytes(16).toString('base64url');
}

/** Without characters that are mistaken for one another. */
const typable = 'abcdefghjkmnpqrstuvwxyz23456789';
const typableLength = 6;
/** With a digit, so that words such as `call_center` stay free for servers. */
const callIdForm = /^call_(?=.*[2-9])[a-hjkmnp-z2-9]{6}$/;

/** A call that waits, for people to type: no secret, and unique among those that are there already. */
export function callId(isTaken: (id: string) => boolean): string {
  for (;;) {
    const id = `call_${Array.from({ length: typableLength }, () => typable[randomInt(typable.length)]).join('')}`;
    if (isCallId(id) && !isTaken(id)) return id;
  }
}

/** No server has such a name. */
export function isCallId(text: string): boolean {
  return callIdForm.test(text);
}
