/** The fingerprint of a definition: SHA-256 over its canonical JSON (RFC 8785), so that order and spacing do not count. */

import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

export function fingerprint(definition: unknown): string {
  return createHash('sha256')
    .update(canonicalize(wellFormed(definition)) ?? '')
    .digest('hex');
}

/**
 * RFC 8785 knows no lone surrogates, but JSON carries them (half an emoji, where a text was cut): each counts as the
 * six characters of its escape.
 */
function wellFormed(definition: unknown): unknown {
  const text = JSON.stringify(definition);
  if (text === undefined || !/\\ud[89a-f]/.test(text)) return definition;
  return JSON.parse(text.replaceAll(/\\(\\|ud[89a-f])/g, (found, rest) => (rest === '\\' ? found : `\\${found}`)));
}
