/** One member of `projects`: which servers it has, how tools are found in it, what agents see and what may be done with tools. */

import type { z } from 'zod';
import { deepFreeze } from './freeze.ts';
import { IssueList, type Report } from './issues.ts';
import { type KeyPath, quoteKey, valueSource } from './locate.ts';
import { choiceSchema, listSchema, mapSchema, prose, section, word, zodFaults } from './schema-parts.ts';
import { legalName } from './server-names.ts';
import { type Permission, permissions } from './server-schema.ts';

/** The surfaces: an agent sees every tool itself, or a few that find and call the others; `auto` goes by the number of tools. */
export const surfaceNames = ['auto', 'search', 'direct', 'code', 'full'] as const;
export type SurfaceName = (typeof surfaceNames)[number];

export const projectSearches = ['bm25', 'hybrid', 'cloud'] as const;
export type ProjectSearch = (typeof projectSearches)[number];

/** Stands for no project where one can be named. */
export const noProject = 'UNASSIGNED';
const longestName = 128;

export const projectSchema = section({
  description: prose(4_096).optional().describe('The purpose of the project.'),
  servers: listSchema(word('the name of a server, in which * stands for anything', 128), 'a list of server names')
    .default([])
    .describe('Its servers, besides those whose own "projects" name it; "*" stands for any characters.'),
  search: choiceSchema(projectSearches)
    .nullable()
    .default('hybrid')
    .describe('How its agents find tools, instead of search.mode. null: search is off, and they call tools they know.'),
  surface: choiceSchema(surfaceNames)
    .nullable()
    .default(null)
    .describe('The surface of its agents, unless the URL or token names one. null: as in surfaces.projects.'),
  permissions: mapSchema(choiceSchema(permissions), 'an object from "server:tool" to "allow", "ask" or "deny"')
    .default({})
    .describe(
      'Permissions of tools, as "server:tool" with "*" for any characters. The stricter of these and those of the server counts.',
    ),
});

/** A project as it was written, its shape checked. */
export type ProjectInput = z.output<typeof projectSchema>;

/** A project as the rest of the gateway knows it. */
export interface ProjectSettings {
  readonly description: string | null;
  /** Names with wildcards. */
  readonly servers: readonly string[];
  readonly search: ProjectSearch | null;
  readonly surface: SurfaceName | null;
  /** By patterns of `server:tool`. */
  readonly permissions: ReadonlyMap<string, Permission>;
}

export function finishProject(input: ProjectInput): ProjectSettings {
  return {
    description: input.description?.trim() || null,
    servers: [...new Set(input.servers.map(legalPattern))],
    search: input.search,
    surface: input.surface,
    permissions: new Map(Object.entries(input.permissions).map(([key, value]) => [legalKey(key), value])),
  };
}

/** Reports what is wrong with names, which the shape alone does not show. `path` is that of the project. */
export function checkProject(name: string, input: Pick<ProjectInput, 'permissions'>, path: KeyPath, report: Report) {
  const trouble = projectNameTrouble(name);
  if (trouble !== null) report({ path, at: 'key', message: `${quoteKey(name)} cannot be a project: ${trouble}.` });
  for (const key of Object.keys(input.permissions)) {
    if (isToolPattern(key)) continue;
    const name = key.replaceAll(':', '') || '*';
    const choices = `${quoteKey(`${name}:*`)} for all tools of a server, ${quoteKey(`*:${name}`)} for such a tool of any server`;
    const message = `${quoteKey(key)} names no tool: write "server:tool", in which * stands for any characters: ${choices}.`;
    report({ path: [...path, 'permissions', key], at: 'key', message });
  }
}

/** The fault of a project's name, as the end of a sentence; null: none. */
export function projectNameTrouble(name: string): string | null {
  if (name === noProject) return `"${noProject}" stands for no project`;
  if (name.trim() !== name || name === '') return 'a name has no spaces around it and is not empty';
  if (name.length > longestName) return `a name has at most ${longestName} characters`;
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name) ? 'a name has no characters that cannot be seen' : null;
}

/** Reads a project that does not come from the config file. Throws CONFIG_INVALID that names every mistake. */
export function parseProject(name: string, raw: unknown): ProjectSettings {
  const source = valueSource(raw);
  const issues = new IssueList(source);
  const parsed = projectSchema.safeParse(raw);
  if (parsed.success) checkProject(name, parsed.data, [], issues.add);
  else for (const fault of zodFaults(parsed.error, [], source)) issues.add(fault);
  if (!parsed.success || !issues.isEmpty) throw issues.toError();
  return deepFreeze(finishProject(parsed.data));
}

/** `*` alone is every tool there is. */
function isToolPattern(key: string): boolean {
  const colon = key.indexOf(':');
  return /^\*+$/.test(key) || (colon > 0 && colon < key.length - 1);
}

/** Names of servers mean what they mean as keys of `mcpServers`. */
function legalPattern(name: string): string {
  return name.includes('*') ? name : legalName(name);
}

function legalKey(key: string): string {
  const colon = key.indexOf(':');
  return colon === -1 ? key : `${legalPattern(key.slice(0, colon))}${key.slice(colon)}`;
}
