/** The commands about tokens: make, list and revoke them. */

import { GatewayError } from '../../../base/errors.ts';
import { defineCommand } from '../command.ts';
import { confirm, yesFlag } from '../confirm.ts';
import { readNames } from '../read-names.ts';
import { renderCreated, renderTokens } from '../render-token.ts';
import { withAdmin } from '../with-admin.ts';

const scopes = ['use', 'admin', 'metrics'] as const;
const surfaces = ['auto', 'search', 'direct', 'code', 'full'] as const;

export const tokenCreate = defineCommand({
  name: 'token create',
  summary: 'Make a token for an agent, a person or a program',
  description:
    'The token is shown once: only a hash of it is kept. It is sent as "Authorization: Bearer TOKEN", or given to "toolcrib stdio" and to these commands in TOOLCRIB_TOKEN.',
  args: { name: { summary: 'Whose token it is: letters, digits and . _ @ -' } },
  flags: {
    scope: {
      value: 'A,B',
      summary: 'What it may do: use (find and call tools), admin (everything), metrics (read /metrics)',
      default: 'use',
    },
    servers: { value: 'A,B*', summary: 'Only these servers are there for it; * stands for any characters' },
    project: { value: 'NAME', summary: 'The project that it is bound to' },
    surface: { value: 'NAME', choices: surfaces, summary: 'What its agents see unless their URL says' },
    expires: { value: 'TIME', summary: 'How long it is good, such as 12h or 30d', default: 'until it is revoked' },
  },
  examples: [
    { line: 'token create ann', meaning: 'A token that finds and calls every tool.' },
    {
      line: `token create ci --servers 'github,files*' --expires 30d`,
      meaning: 'A token for some servers, for thirty days.',
    },
    { line: 'token create robot --project shop --surface direct', meaning: 'A token that sees one project alone.' },
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
  summary: 'List the tokens with what they may do and when they were last used',
  description: 'The tokens themselves are not shown: they are not known any more.',
  flags: { all: { summary: 'Also those that were revoked or have expired' } },
  examples: [
    { line: 'token list', meaning: 'Everybody who can come in.' },
    { line: 'token list --all --json', meaning: 'Also who could before, for programs.' },
  ],
  async run({ flags, context }) {
    const rows = await withAdmin(context, ({ admin }) => admin.run('tokens.list', { ended: flags.all }));
    return { data: rows, text: renderTokens(rows, context) };
  },
});

export const tokenRevoke = defineCommand({
  name: 'token revoke',
  summary: 'Revoke a token: at once nobody comes in with it',
  description: 'What is open with it, such as sessions, streams and running calls, is ended.',
  args: { name: { summary: 'The name of the token, or its id' } },
  flags: { yes: yesFlag },
  examples: [{ line: 'token revoke ci', meaning: 'The token is not good any more; the name can be used again.' }],
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
  return ['note: what was made with it is still good. To revoke that as well:', ...lines].join('\n');
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
