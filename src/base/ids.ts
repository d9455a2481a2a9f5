/** Random identifiers. */

import { randomBytes } from 'node:crypto';

/** 128 random bits, URL-safe: cannot be guessed and has no shared prefix. */
export function randomId(): string {
  return randomBytes(16).toString('base64url');
}
