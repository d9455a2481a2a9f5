/** A definition, as people type it: a server, or one thing of it. */

import type { InputOf } from '../../admin/admin.ts';
import { readTyped } from '../../base/visible.ts';

type PinKind = NonNullable<InputOf<'changes.list'>['kind']>;

const kinds: readonly PinKind[] = ['tool', 'resource', 'template', 'prompt', 'server'];

export interface DefinitionAddress {
  readonly server: string;
  readonly name?: string | undefined;
  readonly kind?: PinKind | undefined;
}

/** `SERVER` or `SERVER:NAME`; what follows the first colon is the name, whatever it holds, with the escapes that we print. */
export function readDefinitionKey(text: string, kind: string | undefined): DefinitionAddress {
  const key = readTyped(text);
  const colon = key.indexOf(':');
  const known = kinds.find((item) => item === kind);
  return colon < 0
    ? { server: key, kind: known }
    : { server: key.slice(0, colon), name: key.slice(colon + 1), kind: known };
}

export const kindFlag = {
  summary: 'Only things of this kind, where several have the name',
  value: 'KIND',
  choices: kinds,
} as const;
