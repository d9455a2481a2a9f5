/** The commands that let somebody in: tokens, and a link that signs a browser in. */

import { GatewayError } from '../../../base/errors.ts';
import { defineCommand } from '../command.ts';
import { confirm, yesFlag } from '../confirm.ts';
import { readNames } from '../read-names.ts';
import { renderCreated, renderTokens } from '../render-token.ts';
import { withAdmin } from '../with-admin.ts';

const scopes = ['use', 'admin', 'metrics', 'optimize'] as const;
const surfaces = ['auto', 'search', 'direct', 'code', 'full'] as const;

export const tokenCreate = defineCommand({
  name: 'token create',
  summary: 'Create a token for an agent, a person or a program',
  description:
    'The token is shown once; Toolcrib stores only its hash. Send it as "Authorization: Bearer TOKEN", or set TOOLCRIB_TOKEN for "toolcrib stdio" and these commands.',
  args: { name: { summary: 'A name for the token: letters, digits and . _ @ -' } },
  flags: {
    scope: {
      value: 'A,B',
      summary:
        'Its rights: use (find and call tools), admin (everything), metrics (read /metrics), optimize (improve descriptions)',
      default: 'use',
    },
    servers: { value: 'A,B*', summary: 'The only servers it can use; * stands for any characters' },
    project: { value: 'NAME', summary: 'The project that it is bound to' },
    surface: { value: 'NAME', choices: surfaces, summary: 'The surface of its agents, unless their URL names one' },
    expires: { value: 'TIME', summary: 'How long it is valid, such as 12h or 30d', default: 'until it is revoked' },
  },
  examples: [
    { line: 'token create ann', meaning: 'A token that finds and calls every tool.' },
    {
      line: `token create ci --servers 'github,files*' --expires 30d`,
      meaning: 'A token for some servers, for thirty days.',
    },
    { line: 'token create robot --project shop --surface direct', meaning: 'A token for one project only.' },
  ],
  async run({ args, flags, context }) {
    const input = {
      name: args.name,
      scopes: readScopes(flags.scope),
      servers: readNames('servers', flags.servers),
      project: flags.project,
      surface: surfaces.find((name) => name === flags.surface),
      expiresInMs: readDuration('expires', flags.expires),
    };
    const made = await withAdmin(context, ({ admin }) => admin.run('tokens.create', input));
    return renderCreated(made, context);
  },
});

function readScopes(text: string | undefined): (typeof scopes)[number][] | undefined {
  return readNames('scope', text)?.map((name) => {
    const found = scopes.find((scope) => scope === name);
    if (found) return found;
    throw new GatewayError('USAGE', `There is no scope "${name}".`, { hint: `There are ${scopes.join(', ')}.` });
  });
}

export const tokenList = defineCommand({
  name: 'token list',
  summary: 'List tokens with their rights and last use',
  description: 'The tokens themselves are not shown: Toolcrib stores only their hashes.',
  flags: { all: { summary: 'Also show revoked and expired tokens' } },
  examples: [
    { line: 'token list', meaning: 'Every valid token.' },
    { line: 'token list --all --json', meaning: 'Also revoked and expired ones, for programs.' },
  ],
  async run({ flags, context }) {
    const rows = await withAdmin(context, ({ admin }) => admin.run('tokens.list', { ended: flags.all }));
    return { data: rows, text: renderTokens(rows, context) };
  },
});

export const tokenRevoke = defineCommand({
  name: 'token revoke',
  isOrder: true,
  summary: 'Revoke a token at once',
  description: 'Also ends everything that is open with it: sessions, streams and running calls.',
  args: { name: { summary: 'The name of the token, or its id' } },
  flags: { yes: yesFlag },
  examples: [{ line: 'token revoke ci', meaning: 'The token stops working; its name is free again.' }],
  async run({ args, flags, context }) {
    await confirm(context, `Revoke token "${args.name}" and end its sessions and calls?`, flags.yes);
    const data = await withAdmin(context, ({ admin }) => admin.run('tokens.revoke', { name: args.name }));
    const remarks = data.made.length === 0 ? undefined : remarkOn(data.made);
    return { data, text: `Token ${context.style.strong(data.name)} is revoked.`, remarks };
  },
});

/** They are not revoked with it: somebody else may depend on them by now. */
function remarkOn(made: readonly string[]): string {
  const lines = made.map((name) => `  toolcrib token revoke ${name}`);
  return ['note: tokens made with it still work. To revoke them, too:', ...lines].join('\n');
}

const minuteMs = 60_000;
const units: Readonly<Record<string, number>> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: 24 * 60 * minuteMs,
  w: 7 * 24 * 60 * minuteMs,
  y: 365 * 24 * 60 * minuteMs,
};
const mostYears = 10;

/** In milliseconds. Throws USAGE for what is no length of time, or too long a one. */
export function readDuration(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count = '', unit = ''] = /^(\d{1,6})([mhdwy])$/.exec(text.trim()) ?? [];
  const ms = Number(count) * (units[unit] ?? 0);
  if (count !== '' && ms > 0 && ms <= mostYears * (units.y ?? 0)) return ms;
  throw new GatewayError('USAGE', `--${flag} must be a length of time such as 30d, not "${text}".`, {
    hint: `A number and one of m, h, d, w, y (minutes, hours, days, weeks, years), at most ${mostYears} years.`,
  });
}
