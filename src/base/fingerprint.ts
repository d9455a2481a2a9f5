/** The fingerprint of a definition: SHA-256 over its canonical JSON (RFC 8785), so that order and spacing do not count. */

import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

export function fingerprintOf(definition: unknown): string {
  const { value, mark } = wellFormed(definition);
  return createHash('sha256')
    .update(mark)
    .update(canonicalize(value) ?? '')
    .digest('hex');
}

/** No JSON starts like this, so a rewritten text never reads like one that was not. */
const rewritten = 'lone surrogates ';

/**
 * RFC 8785 knows no lone surrogates, but JSON carries them (half an emoji, where a text was cut): each counts as the
 * six characters of its escape, and a backslash beside them as two, so that no two definitions read the same.
 */
function wellFormed(definition: unknown): { readonly value: unknown; readonly mark: string } {
  const text = JSON.stringify(definition);
  if (text === undefined || !loneSurrogate.test(text)) return { value: definition, mark: '' };
  const escaped = text.replaceAll(/\\(\\|ud[89a-f])/g, (found, rest) => (rest === '\\' ? found + found : `\\${found}`));
  return { value: JSON.parse(escaped), mark: rewritten };
}

/** An escape of JSON, which a backslash before it would make a text. */
const loneSurrogate = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;
