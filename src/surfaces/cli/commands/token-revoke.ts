/** `toolcrib token revoke`: ends a token. */

import { defineCommand } from '../command.ts';
import { confirm, yesFlag } from '../confirm.ts';
import { withAdmin } from '../with-admin.ts';

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
