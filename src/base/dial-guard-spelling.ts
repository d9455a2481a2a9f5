/** Finds addresses that a URL spells in a way that people do not read as what is dialled. */

import { isIP } from 'node:net';
import { plainHost } from './dial-guard-hosts.ts';

/** The authority of a URL as it was written: user information, then the host. */
const written = /^[a-z][a-z0-9+.-]*:[\\/]*(?:[^\\/?#]*@)?(\[[^\]]*\]|[^\\/?#:]*)/i;

/**
 * The plain spelling of an address that a URL writes in another way: as one number, in hexadecimal or octal, with parts
 * missing, or as IPv4 inside IPv6. People who read such a URL see something else than what is dialled.
 */
export function plainSpelling(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  const host = plainHost(url);
  const family = isIP(host);
  if (family === 0) return undefined;
  const carried = family === 6 ? carriedAddress(host) : undefined;
  if (carried !== undefined) return carried;
  const spelled = (written.exec(text)?.[1] ?? '').toLowerCase();
  return family === 6 || spelled === host ? undefined : host;
}

const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** The IPv4 address in one of the form `::ffff:7f00:1`, which is how URLs are normalised. */
function carriedAddress(host: string): string | undefined {
  const [, high, low] = mapped.exec(host) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const words = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return words.map((word) => `${word >> 8}.${word & 255}`).join('.');
}
