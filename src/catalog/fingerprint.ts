/** The fingerprint of a definition: SHA-256 over its canonical JSON (RFC 8785), so that order and spacing do not count. */

import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

export function fingerprint(definition: unknown): string {
  return createHash('sha256')
    .update(canonicalize(definition) ?? '')
    .digest('hex');
}
