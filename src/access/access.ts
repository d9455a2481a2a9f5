/** Who is asking, and what they may do: tokens, principals, and the one rule for tools. */

import type { ServerSpec } from '../config/config.ts';

export { TokenBook } from './token-book.ts';

export type Scope = 'use' | 'admin' | 'metrics';

/** The one on whose behalf a request is made. */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
}

export type Permission = 'allow' | 'ask' | 'deny';

/** What a principal may do with a tool of a server; the rule for every path that finds, shows or calls one. */
export function authorize(principal: Principal, spec: ServerSpec, tool: string): Permission {
  if (!principal.scopes.has('use') && !principal.scopes.has('admin')) return 'deny';
  if (!spec.isEnabled) return 'deny';
  if (spec.tools !== null && !spec.tools.includes(tool)) return 'deny';
  return spec.permissions.get(tool) ?? spec.permissions.get('*') ?? 'allow';
}

/** The principal of a gateway that was told to ask nobody for a token; loopback only. */
export const everybody: Principal = Object.freeze({
  id: 'everybody',
  name: 'everybody',
  scopes: new Set<Scope>(['use', 'admin', 'metrics']),
});
