/** Which project a request is about: that of its path, else of its header, else of its envelope, else of its token. */

import type { IncomingMessage } from 'node:http';
import { type AccessControl, type Principal, type Project, whyClosed } from '../access/access.ts';
import { noProject } from '../config/config.ts';
import { HttpError } from './read-request.ts';
import type { Route } from './routes.ts';

/** The header by which an agent names its project. */
const projectHeader = 'x-toolcrib-project';

/** How a request says that it is about no project. */
const unassigned: ReadonlySet<string> = new Set(['', noProject]);

export type ProjectChoice =
  | { readonly principal: Principal }
  /** `other`: the project exists, but the token is bound to another one, and its owner may know. */
  | { readonly fault: 'unknown' | 'other' }
  /** It holds nothing, and the answer says why. */
  | { readonly fault: 'closed'; readonly project: Project };

export type ProjectFault = Exclude<ProjectChoice, { readonly principal: Principal }>;

/** `principal`: as its token lets it in, which may bind it to a project. */
export function chooseProject(
  access: Pick<AccessControl, 'project'>,
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

/** The project of the whole request: the path goes before the header. */
export function projectOfRequest(route: Route, request: IncomingMessage): string | undefined {
  if (route.kind === 'project') return route.name;
  const header = request.headers[projectHeader];
  return typeof header === 'string' ? header.trim() : undefined;
}

export function projectRefusal(name: string, choice: ProjectFault): HttpError {
  if (choice.fault === 'closed') return new HttpError(403, whyClosed(choice.project));
  return choice.fault === 'other' ? new HttpError(403, otherProject(name)) : new HttpError(404, noSuchProject(name));
}

export function otherProject(name: string): string {
  return `This token belongs to another project than "${name}".`;
}

export function noSuchProject(name: string): string {
  return `There is no project "${name}".`;
}
