/** The one rule for tools: what a principal may do with each by the owner's permissions (`allow`, `ask` or `deny`), and why it may not. */

import { isAmong, isPattern, Pattern } from '../base/pattern.ts';
import { foldName } from '../base/text.ts';
import type { Permission, ServerSpec } from '../config/config.ts';
import type { Principal } from './principal.ts';
import type { Project } from './project.ts';

/** The rights of a principal to a tool of a server: the one rule for every path that finds, shows or calls one. */
export function authorize(principal: Principal, spec: ServerSpec, tool: string): Permission {
  if (serverRefusalOf(principal, spec) !== null || !isExposed(spec, tool)) return 'deny';
  return permissionOf(principal, spec, tool);
}

/** Why a server is not there for a principal: its token's scopes, a server that is off, or one that neither token nor project has. */
type ServerRefusal = 'scope' | 'off' | 'server' | 'project';

/** Why a tool is not there for a principal: its server, or the owner's choice. */
export type AccessRefusal = ServerRefusal | 'hidden' | 'denied';

/** null: it is there. Only callers that may know of the tool in any case get the reason. */
export function refusalOf(principal: Principal, spec: ServerSpec, tool: string): AccessRefusal | null {
  const refusal = serverRefusalOf(principal, spec);
  if (refusal !== null) return refusal;
  if (!isExposed(spec, tool)) return 'hidden';
  return permissionOf(principal, spec, tool) === 'deny' ? 'denied' : null;
}

/** The members of a server's spec that decide for whom it is there. */
type ServerAudience = Pick<ServerSpec, 'name' | 'isEnabled' | 'projects'>;

/** The part of the rule that is about a whole server, with all it offers. */
export function serverRefusalOf(principal: Principal, spec: ServerAudience): ServerRefusal | null {
  if (!principal.scopes.has('use') && !principal.scopes.has('admin')) return 'scope';
  if (!spec.isEnabled) return 'off';
  if (principal.servers !== undefined && !isAmong(principal.servers, spec.name)) return 'server';
  return isInProject(principal, spec) ? null : 'project';
}

/** True if a server belongs to the project of a principal; without a project, every server does. */
export function isInProject({ project }: Pick<Principal, 'project'>, spec: Omit<ServerAudience, 'isEnabled'>): boolean {
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

const strictness: Readonly<Record<Permission, number>> = { allow: 0, ask: 1, deny: 2 };

/** The stricter of two answers: what one place forbids, another cannot allow. */
function stricter(a: Permission, b: Permission): Permission {
  return strictness[a] >= strictness[b] ? a : b;
}

/** The permission of a tool in the settings of its server, whoever asks. */
export function permissionOfServer({ permissions }: ServerSpec, tool: string): Permission {
  return permissionIn(
    tablesOf(permissions, (text) => ['', text]),
    tool,
  );
}

/** The permission of a tool in a project. */
function permissionOfProject({ permissions }: Project, server: string, tool: string): Permission {
  return permissionIn(tablesOf(permissions, sidesOf), `${server}:${tool}`);
}

/** True if these settings can refuse anything. */
function hasDenials(permissions: ReadonlyMap<string, Permission>): boolean {
  return [...permissions.values()].includes('deny');
}

/** A pattern as what it says of the server and what it says of the tool. */
type Sides = readonly [server: string, tool: string];

/** `*` alone is every tool of every server. */
function sidesOf(text: string): Sides {
  const colon = text.indexOf(':');
  return colon === -1 ? [text, text] : [text.slice(0, colon), text.slice(colon + 1)];
}

interface Rule {
  readonly pattern: Pattern;
  /** How much each side says outright. */
  readonly server: number;
  readonly tool: number;
  readonly permission: Permission;
}

/** Settings made ready to be asked for every tool of a catalog. */
class PermissionTable {
  readonly #exact: ReadonlyMap<string, Permission>;
  /** Those that are narrower in the server first, and of equal ones those that are narrower in the tool. */
  readonly #rules: readonly Rule[];

  constructor(permissions: ReadonlyMap<string, Permission>, split: (text: string) => Sides) {
    this.#exact = new Map([...permissions].filter(([text]) => !isPattern(text)));
    const rules = [...permissions]
      .filter(([text]) => isPattern(text))
      .map(([text, permission]) => {
        const [server, tool] = split(text).map(narrowness);
        return { pattern: new Pattern(text), server: server ?? 0, tool: tool ?? 0, permission };
      });
    this.#rules = rules.sort((a, b) => b.server - a.server || b.tool - a.tool);
  }

  /**
   * Allows whatever no rule is about. A matching rule overrules another only if it is at least as narrow on both sides
   * and narrower on one. Of the rest the strictest counts, so that a long server name weakens no denial of tools.
   */
  of(name: string): Permission {
    const exact = this.#exact.get(name);
    if (exact !== undefined) return exact;
    let answer: Permission = 'allow';
    /** The first of those that are narrowest in the tool, among all that are as narrow in the server as the one at hand. */
    let leader: Rule | undefined;
    for (const rule of this.#rules) {
      if (leader && overrules(leader, rule)) continue;
      if (!rule.pattern.matches(name)) continue;
      if (!leader || rule.tool > leader.tool) leader = rule;
      answer = stricter(answer, rule.permission);
    }
    return answer;
  }
}

function overrules(earlier: Rule, later: Rule): boolean {
  return earlier.tool > later.tool || (earlier.tool === later.tool && earlier.server > later.server);
}

/** A name without wildcards is narrower than every pattern. */
function narrowness(text: string): number {
  return isPattern(text) ? text.replaceAll('*', '').length : Number.MAX_SAFE_INTEGER;
}

/** The settings as they are written, and with every name folded. */
interface Tables {
  readonly exact: PermissionTable;
  readonly folded: PermissionTable;
}

/**
 * A name that differs only in case, Unicode form or spaces is as forbidden as the one that was written, and no more allowed:
 * where two names fold to one, the stricter answer counts for both.
 */
function permissionIn({ exact, folded }: Tables, name: string): Permission {
  return stricter(exact.of(name), folded.of(foldKey(name)));
}

function foldKey(key: string): string {
  return key.split(':').map(foldName).join(':');
}

function foldedOf(permissions: ReadonlyMap<string, Permission>): ReadonlyMap<string, Permission> {
  const folded = new Map<string, Permission>();
  for (const [text, permission] of permissions) {
    const key = foldKey(text);
    folded.set(key, stricter(permission, folded.get(key) ?? 'allow'));
  }
  return folded;
}

function tablesOf(permissions: ReadonlyMap<string, Permission>, split: (text: string) => Sides): Tables {
  const known = tables.get(permissions);
  if (known) return known;
  const made = {
    exact: new PermissionTable(permissions, split),
    folded: new PermissionTable(foldedOf(permissions), split),
  };
  tables.set(permissions, made);
  return made;
}

/** Settings never change: other ones come in another map. */
const tables = new WeakMap<ReadonlyMap<string, Permission>, Tables>();
