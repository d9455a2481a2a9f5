/** Tokens as people read about them. */

import type { CreatedToken, TokenReport } from '../../admin/admin.ts';
import { printable } from '../../base/text.ts';
import type { CommandOutcome } from './command.ts';
import type { CommandContext } from './context.ts';
import { table } from './table.ts';

export function renderCreated(made: CreatedToken, { style }: CommandContext): CommandOutcome {
  const lines = [
    `Token ${style.strong(made.name)} is created. Copy it now; it is not shown again:`,
    '',
    `  ${style.strong(made.token)}`,
    '',
    `It may: ${rightsOf(made)}.`,
    made.expiresAt === null
      ? `It does not expire. To revoke it: toolcrib token revoke ${made.name}`
      : `It expires at ${made.expiresAt}.`,
  ];
  return { data: made, text: lines.join('\n'), remarks: remarksOn(made) };
}

export function renderTokens(rows: readonly TokenReport[], { style, width }: CommandContext): string {
  return table(
    rows,
    [
      { title: 'NAME', cell: ({ name }) => name, paint: (text) => style.strong(text) },
      { title: 'STATE', cell: ({ state }) => state, paint: (text, row) => paintState(text, row) },
      { title: 'SCOPES', cell: ({ scopes }) => scopes.join(',') },
      { title: 'SERVERS', cell: ({ servers }) => (servers === null ? '' : servers.join(',')) },
      { title: 'PROJECT', cell: ({ project }) => project ?? '' },
      { title: 'SURFACE', cell: ({ surface }) => surface ?? '' },
      { title: 'EXPIRES', cell: ({ expiresAt }) => shortTime(expiresAt) },
      {
        title: 'LAST USED',
        // When those of files were used before the start is not kept.
        cell: ({ lastUsedAt, origin }) => shortTime(lastUsedAt) || (origin === 'file' ? '' : 'never'),
      },
      { title: 'ID', cell: ({ id, origin }) => (origin === 'file' ? '' : id), paint: (text) => style.faint(text) },
    ],
    { style, width },
  );

  function paintState(text: string, { state }: TokenReport): string {
    return state === 'active' ? style.good(text) : style.faint(text);
  }
}

function rightsOf({ scopes, servers, project, surface }: TokenReport): string {
  const where = servers === null ? 'all servers' : `servers ${servers.map(printable).join(', ')}`;
  const parts = [`${scopes.join(', ')} on ${where}`];
  if (project !== null) parts.push(`in project ${printable(project)}`);
  if (surface !== null) parts.push(`shown as ${surface}`);
  return parts.join(', ');
}

/** Warnings about rights that were probably not meant. */
function remarksOn({ scopes, servers, project, unmatched }: CreatedToken): string | undefined {
  const remarks = unmatched.map((pattern) => `note: no server is called "${printable(pattern)}" now.`);
  if (scopes.includes('admin') && (servers !== null || project !== null))
    remarks.push(
      'note: these limits hold for what it uses and for tokens that it makes. With the scope "admin" it can still change servers and projects.',
    );
  return remarks.length === 0 ? undefined : remarks.join('\n');
}

/** To the minute, in UTC. */
export function shortTime(time: string | null): string {
  return time === null ? '' : `${time.slice(0, 10)} ${time.slice(11, 16)}`;
}
