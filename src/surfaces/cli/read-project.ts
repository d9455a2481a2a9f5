/** The settings of a project, as they are given on the command line. */

import { GatewayError } from '../../base/errors.ts';
import type { FlagDeclarations } from './command.ts';

const searches = ['bm25', 'hybrid', 'cloud', 'off'] as const;
const surfaces = ['auto', 'search', 'direct', 'code', 'full', 'default'] as const;

const pattern = 'as SERVER:TOOL, in which * stands for any characters';

export const projectFlags = {
  servers: { value: 'A,B*', summary: 'Its servers, separated by commas; * stands for any characters' },
  search: {
    value: 'HOW',
    choices: searches,
    summary: 'How its agents find tools; "off": search is off, and they call tools they know',
    default: 'hybrid',
  },
  surface: {
    value: 'NAME',
    choices: surfaces,
    summary: 'The surface of its agents; "default": as the config says',
    default: 'default',
  },
  allow: { value: 'TOOL', isRepeatable: true, summary: `Tools that may be called, ${pattern}` },
  ask: { value: 'TOOL', isRepeatable: true, summary: `Tools that need approval first, ${pattern}` },
  deny: { value: 'TOOL', isRepeatable: true, summary: `Tools that are hidden and not callable, ${pattern}` },
  description: { value: 'TEXT', summary: 'The purpose of the project' },
} as const satisfies FlagDeclarations;

type Permission = 'allow' | 'ask' | 'deny';

interface ProjectFlagValues {
  readonly servers: string | undefined;
  readonly search: string | undefined;
  readonly surface: string | undefined;
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  readonly description: string | undefined;
}

/** Only what was given. Throws USAGE where one tool is given two permissions. */
export function readProject(flags: ProjectFlagValues) {
  const { servers, description } = flags;
  const surface = surfaces.find((item) => item === flags.surface);
  const search = searches.find((item) => item === flags.search);
  return {
    ...(description !== undefined && { description }),
    ...(servers !== undefined && { servers: namesIn(servers) }),
    ...(search !== undefined && { search: search === 'off' ? null : search }),
    ...(surface !== undefined && { surface: surface === 'default' ? null : surface }),
    permissions: permissionsIn(flags),
  };
}

function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function permissionsIn({ allow, ask, deny }: ProjectFlagValues): Record<string, Permission> {
  const given = [
    ...allow.map((tool) => [tool, 'allow'] as const),
    ...ask.map((tool) => [tool, 'ask'] as const),
    ...deny.map((tool) => [tool, 'deny'] as const),
  ];
  const permissions = new Map<string, Permission>();
  for (const [tool, permission] of given) {
    const before = permissions.get(tool);
    if (before !== undefined && before !== permission)
      throw new GatewayError('USAGE', `"${tool}" is given both --${before} and --${permission}.`);
    permissions.set(tool, permission);
  }
  return Object.fromEntries(permissions);
}
