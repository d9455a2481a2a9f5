/** `toolcrib secret set`: keeps a value that settings of servers refer to by name. */

import { defineCommand } from '../command.ts';
import { readSecret } from '../read-secret.ts';
import { withAdmin } from '../with-admin.ts';

const byStdin = 'The value is read from a prompt or from stdin: other programs can see what is on the command line.';

export const secretSet = defineCommand({
  name: 'secret set',
  summary: 'Set a secret that servers refer to',
  description: `Servers refer to it as \${secret:NAME}, in the config file and in "toolcrib add". The value is typed at a prompt that does not show it, or read from stdin (toolcrib secret set NAME < FILE), and kept sealed. Servers that use it connect with the new value at their next use; running calls finish.`,
  args: { name: { summary: 'The name of the secret: letters, digits, "_", "-" and "."' } },
  tooManyHint: byStdin,
  examples: [{ line: 'secret set LINEAR_KEY', meaning: 'Asks for the value, and does not show it.' }],
  async run({ args, context }) {
    await refuseWrongName(args.name);
    const value = await readSecret(args.name, context.host);
    const data = await withAdmin(context, ({ admin }) => admin.run('secrets.set', { name: args.name, value }));
    const use =
      data.usedBy.length === 0
        ? `No server refers to it yet: write \${secret:${data.name}} where it is needed.`
        : `It is used by ${data.usedBy.join(', ')}.`;
    const remarks = data.isMasked ? undefined : 'note: a value this short cannot be masked in logs and errors.';
    return {
      data,
      text: `${context.style.good('✓')} Secret ${context.style.strong(data.name)} is set. ${use}`,
      remarks,
    };
  },
});

/** Checked before anything is asked, stored or logged: a wrong name may be the value itself. */
async function refuseWrongName(name: string): Promise<void> {
  const { refuseSecretName } = await import('../../../access/access.ts');
  refuseSecretName(name);
}
