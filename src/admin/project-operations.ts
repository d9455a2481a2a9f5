/** Operations on projects: which there are, what is in them, and what may be done there. */

import { z } from 'zod';
import { isInProject, type Project } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { isAmong } from '../base/pattern.ts';
import { refuseOutdated } from '../base/refuse-outdated.ts';
import {
  type Permission,
  type ProjectSearch,
  projectSearches,
  type SurfaceName,
  surfaceNames,
} from '../config/config.ts';
import { type AdminContext, operation } from './operation.ts';

const permission = z.enum(['allow', 'ask', 'deny']);

/** Members left out stay as they are, or get the default in a new project. */
const settings = {
  description: z.string().optional(),
  servers: z.array(z.string()).optional(),
  search: z.enum(projectSearches).nullable().optional(),
  surface: z.enum(surfaceNames).nullable().optional(),
};

const name = z.string().min(1);
const permissions = z.record(z.string(), permission);

/** The settings as the sender saw them; where they are others now, nothing is changed. */
const seen = z
  .strictObject({ ...settings, description: z.string().nullable(), permissions })
  .required()
  .optional();

export interface ProjectReport {
  readonly name: string;
  /** `servers`: it is there because servers name it. `gone`: the config file had it; it is closed until it is configured again. */
  readonly origin: Project['origin'];
  /** Where it stands in the config file, as `file:line:column`; null where it does not. */
  readonly place: string | null;
  readonly description: string | null;
  /** Names with wildcards. */
  readonly servers: readonly string[];
  /** null: nothing can be searched for. */
  readonly search: ProjectSearch | null;
  readonly surface: SurfaceName | null;
  readonly permissions: Readonly<Record<string, Permission>>;
  /** Its servers as they are now, by "servers" or because they name it. */
  readonly members: readonly string[];
  /** Names of tokens that are bound to it. */
  readonly tokens: readonly string[];
  /** The path of its door. */
  readonly path: string;
  /** Names and patterns that match no server. */
  readonly unmatched: readonly string[];
}

export const projectOperations = {
  'projects.list': operation({
    summary: 'All projects with their servers, settings and tokens',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context }): Promise<ProjectReport[]> {
      return context.projects.list().map((project) => describeProject(context, project));
    },
  }),
  'projects.create': operation({
    summary: 'Make a project',
    input: z.strictObject({ name, ...settings, permissions: permissions.optional() }),
    async run({ context, input: { name: wanted, ...given } }): Promise<ProjectReport> {
      return describeProject(context, await context.projects.create(wanted, given as JsonObject));
    },
  }),
  'projects.set': operation({
    summary: 'Change settings of a project; a permission that is null is forgotten',
    input: z.strictObject({
      name,
      ...settings,
      permissions: z.record(z.string(), permission.nullable()).optional(),
      seen,
    }),
    async run({ context, input: { name: wanted, permissions: changed = {}, seen, ...given } }): Promise<ProjectReport> {
      const project = await context.projects.set(wanted, ({ description, permissions, ...before }) => {
        const kept = { servers: [...before.servers], search: before.search, surface: before.surface };
        const now = { ...kept, description, permissions: Object.fromEntries(permissions) };
        refuseOutdated(`Project "${wanted}"`, seen, now);
        const merged = new Map<string, Permission>(permissions);
        for (const [pattern, value] of Object.entries(changed))
          if (value === null) merged.delete(pattern);
          else merged.set(pattern, value);
        return {
          ...(description !== null && { description }),
          ...kept,
          ...(given as JsonObject),
          permissions: Object.fromEntries(merged),
        };
      });
      return describeProject(context, project);
    },
  }),
  'projects.remove': operation({
    summary: 'Remove a project that was made at run time',
    input: z.strictObject({ name, force: z.boolean().default(false) }),
    async run({ context, input }): Promise<{ readonly name: string; readonly tokens: readonly string[] }> {
      const tokens = tokensOf(context, context.projects.get(input.name).name);
      if (tokens.length > 0 && !input.force) {
        const what = tokens.length === 1 ? 'a token is' : `${tokens.length} tokens are`;
        throw new GatewayError('USAGE', `Project "${input.name}" stays: ${what} bound to it (${tokens.join(', ')}).`, {
          hint: 'Revoke them first (toolcrib token revoke NAME), or remove it with --force: they then find nothing.',
        });
      }
      await context.projects.remove(input.name);
      return { name: input.name, tokens };
    },
  }),
};

function describeProject(context: AdminContext, project: Project): ProjectReport {
  const { specs } = context.registry;
  const { name: own, origin, description = null, servers, search, surface, permissions } = project;
  const names = specs.map((spec) => spec.name);
  return {
    name: own,
    origin,
    place: context.projects.positionInFile(own),
    description,
    servers,
    search,
    surface,
    permissions: Object.fromEntries(permissions),
    members: specs
      .filter((spec) => isInProject({ project }, spec))
      .map((spec) => spec.name)
      .sort(),
    tokens: tokensOf(context, own),
    path: `/projects/${encodeURIComponent(own)}/mcp`,
    unmatched: [...servers, ...permissions.keys()].filter((text) => {
      const [pattern = ''] = text.split(':', 1);
      return !names.some((server) => isAmong([pattern], server));
    }),
  };
}

/** Those that can still be used. */
function tokensOf({ access, clock }: AdminContext, project: string): string[] {
  const now = clock.now();
  return access
    .tokens()
    .filter((token) => token.project === project && token.revokedAt === null && (token.expiresAt ?? now + 1) > now)
    .map((token) => token.name);
}
