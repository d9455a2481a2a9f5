/** Reads a share between 0 and 1 from a flag. */

import { GatewayError } from '../../base/errors.ts';

/** Throws USAGE for what is no such number. */
export function readShare(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const share = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (share >= 0 && share <= 1) return share;
  throw new GatewayError('USAGE', `--${flag} must be a number from 0 to 1, such as 0.5, not "${value}".`);
}
