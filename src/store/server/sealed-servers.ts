/** Specs of stored servers at rest: they hold keys and tokens, so that they are sealed whole. */

import type { Schema } from '../schema.ts';

/** What of a vault is needed. What was sealed for one purpose cannot be unsealed for another. */
export interface Sealer {
  seal(text: string, purpose: string): Promise<string>;
  unseal(sealed: string, purpose: string): Promise<string>;
}

export function sealSpec(sealer: Sealer | undefined, server: string, spec: string): Promise<string> {
  return sealer === undefined ? Promise.resolve(spec) : sealer.seal(spec, purposeOf(server));
}

/** The row with its spec as JSON. */
export async function unsealRow(sealer: Sealer | undefined, row: Schema['server']): Promise<Schema['server']> {
  if (sealer === undefined || isPlain(row.spec)) return row;
  return { ...row, spec: await sealer.unseal(row.spec, purposeOf(row.name)) };
}

/** Earlier versions stored specs as they are: JSON objects. */
export function isPlain(spec: string): boolean {
  return spec.startsWith('{');
}

function purposeOf(server: string): string {
  return `server:${server}`;
}
