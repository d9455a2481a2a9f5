/** Reads a list of names with commas between them from a flag. */

import { GatewayError } from '../../base/errors.ts';

/** Undefined where the flag is left out. Throws USAGE for a list without names: nothing at all is easily mistaken for all. */
export function readNames(flag: string, text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw new GatewayError('USAGE', `--${flag} must be names with commas between them, not "${text}".`);
}
