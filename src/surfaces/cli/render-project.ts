/** Projects as people read about them. */

import type { ProjectReport } from '../../admin/admin.ts';
import { printable } from '../../base/text.ts';
import type { CommandOutcome } from './command.ts';
import type { CommandContext } from './context.ts';
import { table } from './table.ts';

export function renderProjects(rows: readonly ProjectReport[], { style, width }: CommandContext): string {
  return table(
    rows,
    [
      { title: 'NAME', cell: (row) => row.name, paint: (text) => style.strong(text) },
      { title: 'FROM', cell: (row) => origins[row.origin] },
      { title: 'SEARCH', cell: searchOf },
      { title: 'SURFACE', cell: (row) => row.surface ?? '' },
      { title: 'TOKENS', cell: (row) => row.tokens.join(', ') },
      { title: 'PERMISSIONS', cell: (row) => permissionsOf(row).join(', ') },
      { title: 'SERVERS', cell: serversOf },
    ],
    { style, width },
  );
}

const origins: Readonly<Record<ProjectReport['origin'], string>> = {
  file: 'config file',
  store: 'project create',
  servers: 'servers that name it',
  gone: 'gone from the config file: closed',
};

/** One that was made or changed: what is in it, what may be done, and where its agents come in. */
export function renderProject(project: ProjectReport, { style }: CommandContext, verb: string): CommandOutcome {
  const { name, surface, path, unmatched, search } = project;
  const servers = serversOf(project) || 'none yet (name it with --servers, or in "projects" of a server)';
  const rules = permissionsOf(project);
  const lines = [
    `${style.tick}Project ${style.strong(printable(name))} is ${verb}.`,
    `  servers      ${printable(servers)}`,
    `  search       ${search === null ? 'off: agents call the tools that they know' : search}`,
    ...(surface === null ? [] : [`  surface      ${surface}`]),
    ...(rules.length === 0 ? [] : [`  permissions  ${printable(rules.join(', '))}`]),
    `  door         ${path}`,
  ];
  const missing = unmatched.map((text) => `"${text}"`).join(', ');
  const remarks = missing === '' ? undefined : `note: no server is there now for ${printable(missing)}.`;
  return { data: project, text: lines.join('\n'), remarks };
}

/** As they were given, with what that is now where it does not say so itself. */
function serversOf({ servers, members, unmatched }: ProjectReport): string {
  const given = servers.map((pattern) => (unmatched.includes(pattern) ? `${pattern} (none now)` : pattern));
  const others = members.filter((member) => !servers.includes(member));
  if (given.length === 0) return others.join(', ');
  return others.length === 0 ? given.join(', ') : `${given.join(', ')} (now ${members.join(', ')})`;
}

/** Projects that only servers name search like everybody. */
function searchOf({ search, origin }: ProjectReport): string {
  if (origin === 'servers') return '';
  return search ?? 'off';
}

function permissionsOf({ permissions }: ProjectReport): string[] {
  return Object.entries(permissions).map(([tool, permission]) => `${permission} ${tool}`);
}
