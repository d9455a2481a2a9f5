/** Which project a request is about: that of its path, else of its header, else of its envelope, else of its token. */

import type { AccessBook, Principal, Project } from '../access/access.ts';
import { noProject } from '../config/config.ts';

/** The header by which an agent names its project. */
export const projectHeader = 'x-toolcrib-project';

/** How a request says that it is about no project. */
const unassigned: ReadonlySet<string> = new Set(['', noProject]);

export type ProjectChoice =
  | { readonly principal: Principal }
  /** `other`: it is there, but the token is bound to another one, and who asks may know. */
  | { readonly fault: 'unknown' | 'other' }
  /** Nothing is in it, and who comes is told why. */
  | { readonly fault: 'closed'; readonly project: Project };

export type ProjectFault = Exclude<ProjectChoice, { readonly principal: Principal }>;

/** `principal`: as its token lets it in, which may bind it to a project. */
export function chooseProject(
  access: Pick<AccessBook, 'project'>,
  principal: Principal,
  wished: string | undefined,
): ProjectChoice {
  const bound = principal.project;
  if (wished === undefined || unassigned.has(wished) || bound?.name === wished) return whereOpen(principal);
  const project = access.project(wished);
  if (bound !== undefined) return { fault: project && principal.scopes.has('admin') ? 'other' : 'unknown' };
  return project ? whereOpen({ ...principal, project }) : { fault: 'unknown' };
}

function whereOpen(principal: Principal): ProjectChoice {
  const { project } = principal;
  return project?.isClosed ? { fault: 'closed', project } : { principal };
}
