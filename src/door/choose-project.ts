/** Which project a request is about: that of its path, else of its header, else of its envelope, else of its token. */

import type { AccessBook, Principal } from '../access/access.ts';
import { noProject } from '../config/config.ts';

/** The header by which an agent names its project. */
export const projectHeader = 'x-toolcrib-project';

/** How a request says that it is about no project. */
const unassigned: ReadonlySet<string> = new Set(['', noProject]);

export type ProjectChoice =
  | { readonly principal: Principal }
  /** `other`: it is there, but the token is bound to another one, and who asks may know. */
  | { readonly fault: 'unknown' | 'other' };

/** `principal`: as its token lets it in, which may bind it to a project. */
export function chooseProject(
  access: Pick<AccessBook, 'project'>,
  principal: Principal,
  wished: string | undefined,
): ProjectChoice {
  if (wished === undefined || unassigned.has(wished)) return { principal };
  const bound = principal.project;
  if (bound?.name === wished) return { principal };
  const project = access.project(wished);
  if (bound !== undefined) return { fault: project && principal.scopes.has('admin') ? 'other' : 'unknown' };
  return project ? { principal: { ...principal, project } } : { fault: 'unknown' };
}
