/** Masks secrets: those that are known, those in fields that are named so, and those that look like one. */

import { knownSecrets, leastSecretChars } from './known-secrets.ts';
import { mask, secretShapes } from './secret-shapes.ts';

const secretKey =
  /(authorization|cookie|password|passwd|passphrase|secret|token|api[-_]?key|apikey|access[-_]?key|private[-_]?key|signing[-_]?key|credential|session[-_]?id|webhook[-_]?url|connection[-_]?string|[a-z0-9][-_](?:pass|pwd|pin|pat|dsn)$)/i;

/** Longer texts are cut before anything is looked for in them, whoever wrote them. As long as the last words of a server. */
export const mostMaskedChars = 65_536;
/** What is looked at beyond a limit, so that a secret is recognised that the limit would cut in two. */
const overhang = 1_024;
/** Half a secret of a shape that has a length is shorter; what is left of any other shape is still one. */
const longestStump = 64;
/** Of one text in a value, and of all texts in it together. */
const mostFieldChars = 8_192;
const mostValueChars = 65_536;

export function isSecretKey(key: string): boolean {
  return secretKey.test(key);
}

/**
 * Masks every secret that can be recognised in a text: what is known to be one, here (`known`, such as a server's
 * environment) or in this process, and what looks like one. Of a text that is longer than any should be, the beginning.
 */
export function redactText(text: string, known: readonly string[] = []): string {
  return redactedBeginning(text, mostMaskedChars, known);
}

/** The same for the first `most` characters, which end in an ellipsis if anything follows: the cut is made before the search. */
export function redactedBeginning(text: string, most: number, known: readonly string[] = []): string {
  const longest = longestOf(known);
  const looked = most + overhang + longest;
  const isCut = text.length > looked;
  let out = knownSecrets.mask(isCut ? text.slice(0, looked) : text, mask);
  for (const value of known) if (value.length >= leastSecretChars) out = out.replaceAll(value, mask);
  // What was looked at may end in half a secret, which cannot be recognised.
  if (isCut) out = out.slice(0, out.length - longest);
  const isLonger = isCut || out.length > most + overhang;
  out = maskShapes(out.slice(0, most + overhang));
  if (isLonger) out = out.slice(0, -longestStump);
  if (!isLonger && out.length <= most) return out;
  return `${out.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Only what looks like a secret: for names, which nobody who makes up secrets may hide. */
export function maskShapes(text: string): string {
  let out = text.slice(0, mostMaskedChars + overhang);
  for (const { pattern, by } of secretShapes) out = out.replace(pattern, by);
  return out;
}

/** As much of a text as `redactedBeginning` looks at, for whoever has to change it before. */
export function beginningToMask(text: string, most: number): string {
  return text.slice(0, most + overhang + longestOf([]) + 1);
}

/** No secret that is looked for is taken to be longer than any text is. */
function longestOf(known: readonly string[]): number {
  const longest = known.reduce((most, { length }) => Math.max(most, length), knownSecrets.longest);
  return Math.min(mostMaskedChars, longest);
}

/** A copy of a value in which secrets are masked, for logs. Depth, width and texts are bounded. */
export function redact(value: unknown, maskText: (text: string) => string = redactField): unknown {
  return redactedCopy(value, { maskText, charsLeft: mostValueChars }, 0);
}

interface Redaction {
  readonly maskText: (text: string) => string;
  charsLeft: number;
}

function redactField(text: string): string {
  return redactedBeginning(text, mostFieldChars);
}

function redactedCopy(value: unknown, state: Redaction, depth: number): unknown {
  if (typeof value === 'string') return redactedPart(value, state);
  if (value === null || typeof value !== 'object') return value;
  if (depth >= 6) return '…';
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => redactedCopy(item, state, depth + 1));
  if (value instanceof Error) return { name: value.name, message: redactedPart(value.message, state) };
  const out: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value).slice(0, 50)) {
    const isHidden = isSecretKey(key) && item !== null && item !== undefined;
    out[redactedPart(key, state)] = isHidden ? mask : redactedCopy(item, state, depth + 1);
  }
  return out;
}

function redactedPart(text: string, state: Redaction): string {
  if (state.charsLeft <= 0) return '…';
  state.charsLeft -= Math.min(text.length, mostFieldChars);
  return state.maskText(text);
}
