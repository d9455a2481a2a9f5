/** The commands about secrets that servers refer to: set, list and remove them. */

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { GatewayError } from '../../../base/errors.ts';
import { defineCommand } from '../command.ts';
import { confirm, yesFlag } from '../confirm.ts';
import type { CliHost } from '../context.ts';
import { table } from '../table.ts';
import { withAdmin } from '../with-admin.ts';

const byStdin = 'The value is read from a prompt or from stdin: other programs can see what is on the command line.';

export const secretSet = defineCommand({
  name: 'secret set',
  isOrder: true,
  summary: 'Set a secret that servers or telemetry headers refer to',
  description: `Refer to it as \${secret:NAME} in a server or in "telemetry.headers". Type the value at a hidden prompt, or pass it on stdin (toolcrib secret set NAME < FILE); Toolcrib stores it encrypted. Servers that use it connect with the new value at their next use; running calls finish.`,
  args: { name: { summary: 'The name of the secret: letters, digits, "_", "-" and "."' } },
  tooManyHint: byStdin,
  examples: [{ line: 'secret set LINEAR_KEY', meaning: 'Asks for the value, and does not show it.' }],
  async run({ args, context }) {
    await refuseWrongName(args.name);
    const value = await readSecret(args.name, context.host);
    const data = await withAdmin(context, ({ admin }) => admin.run('secrets.set', { name: args.name, value }));
    const use =
      data.usedBy.length === 0
        ? `Nothing refers to it yet: write \${secret:${data.name}} where it is needed.`
        : `It is used by ${data.usedBy.join(', ')}.`;
    const remarks = data.isMasked ? undefined : 'note: a value this short cannot be masked in logs and errors.';
    return {
      data,
      text: `${context.style.tick}Secret ${context.style.strong(data.name)} is set. ${use}`,
      remarks,
    };
  },
});

/** Checked before anything is asked, stored or logged: a wrong name may be the value itself. */
async function refuseWrongName(name: string): Promise<void> {
  const { refuseSecretName } = await import('../../../access/access.ts');
  refuseSecretName(name);
}

export const secretList = defineCommand({
  name: 'secret list',
  summary: 'List secrets, when they were set and what uses them',
  description: 'Values are never shown.',
  examples: [
    { line: 'secret list', meaning: 'All secrets in a table, missing ones too.' },
    { line: 'secret list --json', meaning: 'The same for programs.' },
  ],
  async run({ context }) {
    const rows = await withAdmin(context, ({ admin }) => admin.run('secrets.list', {}));
    if (rows.length === 0) return { data: rows, text: 'There are no secrets. Set one: toolcrib secret set NAME' };
    const { style, width } = context;
    const text = table(
      rows,
      [
        { title: 'NAME', cell: (row) => row.name, paint: (name) => style.strong(name) },
        {
          title: 'STATE',
          cell: (row) => row.state,
          paint: (cell, { state }) => (state === 'set' ? cell : style.bad(cell)),
        },
        { title: 'SET', cell: ({ setAt }) => (setAt === null ? '' : `${setAt.slice(0, 10)} ${setAt.slice(11, 16)}`) },
        { title: 'USED BY', cell: (row) => row.usedBy.join(', ') },
      ],
      { style, width },
    );
    return { data: rows, text };
  },
});

export const secretRemove = defineCommand({
  name: 'secret remove',
  isOrder: true,
  summary: 'Remove a secret',
  description:
    'A secret in use is kept unless you add --force. Servers that need it then cannot connect, and headers in "telemetry.headers" that need it are not sent.',
  args: { name: { summary: 'The secret' } },
  flags: { force: { summary: 'Remove it even if it is in use' }, yes: yesFlag },
  examples: [{ line: 'secret remove LINEAR_KEY', meaning: 'The value is deleted.' }],
  async run({ args, flags, context }) {
    await confirm(context, `Remove secret "${args.name}"?`, flags.yes);
    const data = await withAdmin(context, ({ admin }) =>
      admin.run('secrets.remove', { name: args.name, force: flags.force }),
    );
    const left =
      data.usedBy.length === 0
        ? ''
        : ` These still refer to it and fail without it: ${data.usedBy.join(', ')}. Set it again, or remove the reference.`;
    return { data, text: `Secret ${context.style.strong(data.name)} is removed.${left}` };
  },
});

type SecretHost = Pick<CliHost, 'stdin' | 'stderr' | 'signal'>;

/** Without the line break at its end. Throws USAGE where nothing comes. */
export async function readSecret(name: string, host: SecretHost): Promise<string> {
  const value = host.stdin.isTTY ? await readUnseen(`Value of ${name}: `, host) : await text(host.stdin);
  const secret = value.replace(/\r?\n$/, '');
  if (secret !== '') return secret;
  throw new GatewayError('USAGE', 'No value was given.', {
    hint: `Type it at the prompt, or pipe it: printf %s "$VALUE" | toolcrib secret set ${name}`,
  });
}

async function readUnseen(prompt: string, { stdin: input, stderr, signal }: SecretHost) {
  stderr.write(prompt);
  // The line editor echoes what is typed to its output: to nowhere.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output, terminal: true, historySize: 0 });
  const stopped = new AbortController();
  lines.once('SIGINT', () => stopped.abort(new GatewayError('CANCELLED', 'Nothing was set.')));
  try {
    return await lines.question('', { signal: AbortSignal.any([signal, stopped.signal]) });
  } catch (error) {
    throw stopped.signal.aborted ? stopped.signal.reason : error;
  } finally {
    lines.close();
    stderr.write('\n');
  }
}
