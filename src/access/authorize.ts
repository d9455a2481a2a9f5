/** The one rule for tools: what a principal may do with each, and why it may not. */

import type { Permission, ServerSpec } from '../config/config.ts';
import { isAmong } from './pattern.ts';
import { hasDenials, permissionOfProject, permissionOfServer, stricter } from './permission.ts';
import type { Principal } from './principal.ts';

/** The rights of a principal to a tool of a server: the one rule for every path that finds, shows or calls one. */
export function authorize(principal: Principal, spec: ServerSpec, tool: string): Permission {
  if (serverRefusalOf(principal, spec) !== null || !isExposed(spec, tool)) return 'deny';
  return permissionOf(principal, spec, tool);
}

/** Why a server is not there for a principal: its token's scopes, a server that is off, or one that neither token nor project has. */
type ServerRefusal = 'scope' | 'off' | 'server' | 'project';

/** Why a tool is not there for a principal: its server, or the owner's choice. */
export type AccessRefusal = ServerRefusal | 'hidden' | 'denied';

/** null: it is there. Only who may know of the tool in any case may be told the reason. */
export function refusalOf(principal: Principal, spec: ServerSpec, tool: string): AccessRefusal | null {
  const refusal = serverRefusalOf(principal, spec);
  if (refusal !== null) return refusal;
  if (!isExposed(spec, tool)) return 'hidden';
  return permissionOf(principal, spec, tool) === 'deny' ? 'denied' : null;
}

/** The part of the rule that is about a whole server, with all it offers. */
export function serverRefusalOf(principal: Principal, spec: ServerSpec): ServerRefusal | null {
  if (!principal.scopes.has('use') && !principal.scopes.has('admin')) return 'scope';
  if (!spec.isEnabled) return 'off';
  if (principal.servers !== undefined && !isAmong(principal.servers, spec.name)) return 'server';
  return isInProject(principal, spec) ? null : 'project';
}

/** True if a server belongs to the project of a principal; without a project, every server does. */
export function isInProject({ project }: Pick<Principal, 'project'>, spec: ServerSpec): boolean {
  if (project === undefined) return true;
  if (project.isClosed) return false;
  return spec.projects.includes(project.name) || isAmong(project.servers, spec.name);
}

/** The owner's choice of tools for a server: what is not exposed does not exist for anybody. */
export function isExposed({ tools }: ServerSpec, tool: string): boolean {
  return tools === null || isAmong(tools, tool);
}

function permissionOf({ project }: Principal, spec: ServerSpec, tool: string): Permission {
  const ofServer = permissionOfServer(spec, tool);
  return project === undefined ? ofServer : stricter(ofServer, permissionOfProject(project, spec.name, tool));
}

/** True if a principal that has the server may lack some of its tools: then a name that is not listed proves nothing. */
export function mayHideTools({ project }: Principal, spec: ServerSpec): boolean {
  if (spec.tools !== null || hasDenials(spec.permissions)) return true;
  return project !== undefined && hasDenials(project.permissions);
}
