/** Tool keys that end: with `keys.ttlMinutes` set, a key that an agent is given carries the time, and is refused when it is old. */

import { GatewayError } from '../base/errors.ts';
import type { Uses } from './layers.ts';

const secondMs = 1_000;
/** `server:tool~` and the second of its making in base 36, which fits into seven characters for two thousand years. */
const stamped = /^(.+)~([0-9a-z]{7})$/s;
const stampLength = 7;

interface Expiration {
  readonly expiresAt: string;
  readonly expiresInSeconds: number;
  readonly ttlMinutes: number;
}

export interface KeyStamps {
  readonly ttlMinutes: number;
  /** Wall clock. */
  readonly now: number;
}

export function stampsOf({ config, clock }: Uses<'config' | 'clock'>): KeyStamps {
  return { ttlMinutes: config().keys.ttlMinutes, now: clock.now() };
}

/** The key as an agent is given it. */
export function stampKey(key: string, { ttlMinutes, now }: KeyStamps): string {
  if (ttlMinutes === 0) return key;
  return `${key}~${secondOf(now).toString(36).padStart(stampLength, '0')}`;
}

function secondOf(ms: number): number {
  return Math.floor(ms / secondMs);
}

/** In milliseconds, for a key that was made at a second. */
function untilOf(second: number, ttlMinutes: number): number {
  return (second + ttlMinutes * 60) * secondMs;
}

/** Until when keys that are given now can be used; undefined: for ever. */
export function expirationOf({ ttlMinutes, now }: KeyStamps): Expiration | undefined {
  if (ttlMinutes === 0) return undefined;
  const until = untilOf(secondOf(now), ttlMinutes);
  return {
    expiresAt: new Date(until).toISOString(),
    expiresInSeconds: Math.max(0, Math.round((until - now) / secondMs)),
    ttlMinutes,
  };
}

/** The key without its stamp. Throws TOOLKEY_EXPIRED. `isTool`: a tool may be called like a stamped one, and goes first. */
export function readKey(key: string, { ttlMinutes, now }: KeyStamps, isTool: (key: string) => boolean): string {
  const [, bare, stamp] = stamped.exec(key) ?? [];
  if (bare === undefined || stamp === undefined || isTool(key)) return key;
  const until = untilOf(Number.parseInt(stamp, 36), ttlMinutes);
  if (ttlMinutes === 0 || now < until) return bare;
  throw new GatewayError('TOOLKEY_EXPIRED', `The toolKey "${key}" has expired: keys are valid for ${ttlMinutes} min.`, {
    hint: `"${bare}" without the stamp is always valid.`,
  });
}
