/** Who is asking, and what they may do: tokens, principals, and the one rule for tools. */

import type { ServerSpec } from '../config/config.ts';

export { TokenBook } from './token-book.ts';

export type Scope = 'use' | 'admin' | 'metrics';

/** The one on whose behalf a request is made. */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Set where it came in through the door of a project: only that project's servers are there for it. */
  readonly project?: string | undefined;
}

export type Permission = 'allow' | 'ask' | 'deny';

/** What a principal may do with a tool of a server; the rule for every path that finds, shows or calls one. */
export function authorize(principal: Principal, spec: ServerSpec, tool: string): Permission {
  return refusalOf(principal, spec, tool) === null ? permissionOf(spec, tool) : 'deny';
}

/** Why a tool is not there for a principal: its token, a server that is off or of another project, or the owner's choice. */
export type Refusal = 'scope' | 'off' | 'project' | 'hidden' | 'denied';

/** null: it is there. Only who may know of the tool in any case may be told the reason. */
export function refusalOf(principal: Principal, spec: ServerSpec, tool: string): Refusal | null {
  if (!principal.scopes.has('use') && !principal.scopes.has('admin')) return 'scope';
  if (!spec.isEnabled) return 'off';
  if (!isInProject(principal, spec)) return 'project';
  if (spec.tools !== null && !spec.tools.includes(tool)) return 'hidden';
  return permissionOf(spec, tool) === 'deny' ? 'denied' : null;
}

/** Whether a server belongs to the project of a principal; without one, every server does. */
export function isInProject({ project }: Pick<Principal, 'project'>, spec: ServerSpec): boolean {
  return project === undefined || spec.projects.includes(project);
}

function permissionOf(spec: ServerSpec, tool: string): Permission {
  return spec.permissions.get(tool) ?? spec.permissions.get('*') ?? 'allow';
}

/** The principal of a gateway that was told to ask nobody for a token; loopback only. */
export const everybody: Principal = Object.freeze({
  id: 'everybody',
  name: 'everybody',
  scopes: new Set<Scope>(['use', 'admin', 'metrics']),
});
