/** `toolcrib token create`: makes a token for somebody, with the rights that it is to have. */

import { GatewayError } from '../../../base/errors.ts';
import { defineCommand } from '../command.ts';
import { readDuration } from '../read-duration.ts';
import { readNames } from '../read-names.ts';
import { renderCreated } from '../render-token.ts';
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
