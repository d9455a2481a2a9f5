/** Tokens: how one is made, and how one is known again without being kept. */

import { hash, randomBytes } from 'node:crypto';

/** 256 random bits with a mark in front, by which people and scanners know what it is. */
export function makeToken(): string {
  return `tc_${randomBytes(32).toString('base64url')}`;
}

/** The stored hash of a token. It needs no salt and no slow hash: nobody guesses 256 random bits. */
export function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
