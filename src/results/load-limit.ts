/** What a program may be given of a kept result at once, and what it is told where that is too little. */

import { GatewayError } from '../base/errors.ts';
import type { OpenResult } from './open-result.ts';
import { type PartFacts, sizeText, uriOf } from './part-facts.ts';

export interface LoadOptions {
  /** Of the value's JSON text. */
  readonly maxBytes: number;
  /** The tool whose texts stay texts: those of others that are JSON are given as what they say. */
  readonly verbatimOf: string;
}

/** TOO_LARGE with the way to a smaller piece. */
export function tooLarge(
  result: OpenResult,
  what: string,
  maxBytes: number,
  facts: PartFacts | undefined,
  hint = smallerPiece(result, facts),
): GatewayError {
  const uri = uriOf(result.manifest.id);
  return new GatewayError('TOO_LARGE', `${what}, and a program is given at most ${sizeText(maxBytes)} at once.`, {
    hint,
    data: { uri },
  });
}

function smallerPiece({ manifest }: OpenResult, facts: PartFacts | undefined): string {
  const uri = uriOf(manifest.id);
  return facts?.json
    ? `Load less at a time, e.g. load("${uri}?path=${rowsPath(facts)}").`
    : `Read it in pieces, e.g. load("${uri}?page=1"), ?lines=1-100 or ?find=TEXT.`;
}

function rowsPath({ json }: PartFacts): string {
  const keys = json?.rows.keys ?? [];
  const isPlain = keys.every((key) => /^[A-Za-z_]\w*$/.test(key));
  return isPlain ? `$${keys.map((key) => `.${key}`).join('')}[0:100]` : '$.name[0:100]';
}
