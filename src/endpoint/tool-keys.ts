/** Tool keys that end: with `keys.ttlMinutes` set, a key that an agent is given carries the time, and is refused when it is old. */

import { GatewayError } from '../base/errors.ts';
import type { EndpointContext } from './endpoint.ts';

const minuteMs = 60_000;
/** `server:tool~` and the minute of its making in base 36, which has six characters for the next century. */
const stamped = /^(.+)~([0-9a-z]{6})$/s;

export interface Expiration {
  readonly expiresAt: string;
  readonly expiresInSeconds: number;
  readonly ttlMinutes: number;
}

export interface KeyStamps {
  readonly ttlMinutes: number;
  /** Wall clock. */
  readonly now: number;
}

export function stampsOf({ config, clock }: Pick<EndpointContext, 'config' | 'clock'>): KeyStamps {
  return { ttlMinutes: config().keys.ttlMinutes, now: clock.now() };
}

/** The key as an agent is given it. */
export function stampKey(key: string, { ttlMinutes, now }: KeyStamps): string {
  return ttlMinutes === 0
    ? key
    : `${key}~${Math.floor(now / minuteMs)
        .toString(36)
        .padStart(6, '0')}`;
}

/** Until when keys that are given now can be used; undefined: for ever. */
export function expirationOf({ ttlMinutes, now }: KeyStamps): Expiration | undefined {
  if (ttlMinutes === 0) return undefined;
  const until = (Math.floor(now / minuteMs) + ttlMinutes) * minuteMs;
  return {
    expiresAt: new Date(until).toISOString(),
    expiresInSeconds: Math.max(0, Math.round((until - now) / 1_000)),
    ttlMinutes,
  };
}

/** The key without its stamp. Throws TOOLKEY_EXPIRED. `isTool`: a tool may be called like a stamped one, and goes first. */
export function readKey(key: string, { ttlMinutes, now }: KeyStamps, isTool: (key: string) => boolean): string {
  const [, bare, stamp] = stamped.exec(key) ?? [];
  if (bare === undefined || stamp === undefined || isTool(key)) return key;
  const until = (Number.parseInt(stamp, 36) + ttlMinutes) * minuteMs;
  if (ttlMinutes === 0 || now < until) return bare;
  throw new GatewayError(
    'TOOLKEY_EXPIRED',
    `The toolKey "${key}" has expired: keys can be used for ${ttlMinutes} minutes.`,
    {
      hint: `"${bare}" without the stamp is always understood.`,
    },
  );
}
