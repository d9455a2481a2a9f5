/**
 * The parts that the config schema is made of. Each part's zod error message is not a sentence but the phrase that
 * says what is allowed ("a whole number from 1 to 10"); `zodFaults` makes the sentence, which also names what was found.
 */

import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { isPrivateHostEntry, plainSpelling } from '../base/dial-guard.ts';
import { type Fault, mismatch, unknownKey } from './issues.ts';
import { limits } from './limits.ts';
import type { KeyPath, Source } from './locate.ts';

export function wholeNumber(least: number, most: number) {
  const error = `a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

/** Milliseconds that a timer can wait. */
export function milliseconds(least: number) {
  return wholeNumber(least, limits.maxTimerMs);
}

export function share() {
  const error = 'a number from 0 to 1';
  return z.number({ error }).min(0, { error }).max(1, { error });
}

export function flag() {
  return z.boolean({ error: 'true or false' });
}

/** Any string on one line that is not empty: a name, a path, a host. */
export function word(allowed: string, longest = 4_096) {
  return z
    .string({ error: allowed })
    .min(1, { error: allowed })
    .max(longest, { error: allowed })
    .regex(/^[^\u0000-\u001f\u007f]*$/, { error: allowed });
}

/** Text that people read; it may have lines. */
export function prose(longest: number) {
  const error = `a text of at most ${longest} characters`;
  return z.string({ error }).max(longest, { error });
}

/** One of a few words. `shown` are the words that messages name, if not all of them. */
export function choiceSchema<const T extends readonly [string, ...string[]]>(
  values: T,
  shown: readonly string[] = values,
) {
  const quoted = shown.map((value) => JSON.stringify(value));
  return z.enum(values, { error: `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}` });
}

export function listSchema<T extends z.ZodType>(item: T, allowed: string) {
  return z.array(item, { error: allowed });
}

/** An object whose keys are the user's own. */
export function mapSchema<T extends z.ZodType>(value: T, allowed: string) {
  return z.record(z.string(), value, { error: allowed });
}

/** An object with known keys only. `shown` are the keys that messages name, if not all of them. */
export function section<T extends z.ZodRawShape>(shape: T, shown: readonly string[] = Object.keys(shape)) {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? shown.join(keySeparator) : 'an object'),
  });
}

const keySeparator = ', ';

/** The name of an environment variable, in settings that name one so that the file need not hold a secret. */
export function envName() {
  const error = 'the name of an environment variable (letters, digits and _), not a value';
  return z.string({ error }).regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/, { error });
}

export function webUrl() {
  const error = (issue: { input?: unknown }) => {
    const plain = typeof issue.input === 'string' ? plainSpelling(issue.input) : undefined;
    const usual = 'an http:// or https:// URL without spaces, user name or password';
    return plain === undefined ? usual : `${usual} whose address is written plainly, as ${plain}`;
  };
  return z.string({ error }).refine((text) => urlTrouble(text) === null, { error });
}

/** For addresses that others get, and must be able to trust. */
export function secureUrl() {
  return webUrl().refine((text) => /^https:/i.test(text), { error: 'an https:// URL' });
}

/** A host name or an address of this machine. */
export function hostName() {
  const error = 'a host name or an address, without a port';
  // A refinement, unlike a pattern, stays out of the JSON Schema, where it would refuse references to variables.
  return word(error, 260).refine((text) => isIP(text.replace(/^\[(.*)\]$/, '$1')) !== 0 || /^[\w.-]+$/.test(text), {
    error,
  });
}

/** An entry of a list of hosts that may be private. */
export function privateHost() {
  const error = 'a host, a host:port, *.domain, an address or a range of addresses such as 10.0.0.0/8';
  return word(error, 300).refine(isPrivateHostEntry, { error });
}

const sqliteUrl = /^sqlite:(?!(\/\/)?(:memory:)?$)[^\u0000-\u001f\u007f]+$/;

const postgresUrl = /^postgres(?:ql)?:\/\/[^\u0000-\u0020\u007f]+$/;

/** `sqlite:PATH`, or a PostgreSQL database. */
export function storeUrl() {
  const error = '"sqlite:" and the path of a file, or "postgres://" and a database';
  // A refinement, unlike a pattern, stays out of the JSON Schema, where it would refuse references to variables.
  return z.string({ error }).refine((text) => sqliteUrl.test(text) || postgresUrl.test(text), { error });
}

/** A folder of this machine, as a path or a file:// URI. */
export function folder() {
  const error = 'a folder, as a path or a file:// URI';
  return word(error).refine((text) => !hasScheme(text) || isFileUri(text), { error });
}

/** True for a URI rather than a path; a drive letter is not a scheme. */
export function hasScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]+:/i.test(text);
}

function isFileUri(text: string): boolean {
  try {
    return fileURLToPath(text) !== '';
  } catch {
    // Another scheme, or a file URI that has no path on this machine.
    return false;
  }
}

/** The fault of a URL that the gateway is to call, as the end of a sentence; null: none. */
export function urlTrouble(text: string): string | null {
  if (/[\s\u0000-\u001f\u007f-\u009f]/.test(text)) return 'must not contain spaces or control characters';
  const url = URL.parse(text);
  if (url === null) return 'must be a complete URL such as "https://example.com/mcp"';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password (a header can)';
  const plain = plainSpelling(text);
  if (plain !== undefined) return `must write the address of its host plainly, as ${plain}`;
  return null;
}

/** The faults that zod found; `base` is the path of the checked value. */
export function zodFaults(error: z.ZodError, base: KeyPath, source: Source): Fault[] {
  return error.issues.flatMap((issue) => {
    // Symbols cannot come from a file.
    const path = [...base, ...issue.path.filter((step) => typeof step !== 'symbol')];
    if (issue.code === 'invalid_value') return mismatch(source, path, issue.message, issue.values.map(String));
    if (issue.code !== 'unrecognized_keys') return mismatch(source, path, issue.message);
    return issue.keys.map((key) => unknownKey(path, key, issue.message.split(keySeparator)));
  });
}
