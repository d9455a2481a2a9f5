/** `toolcrib auth`: signs in to a remote server, or out of it. */

import { createInterface } from 'node:readline';
import type { Admin, SignInReport, SignInRow, StartedSignIn } from '../../../admin/admin.ts';
import { abortable } from '../../../base/clock.ts';
import { GatewayError } from '../../../base/errors.ts';
import { plural } from '../../../base/plural.ts';
import { printable } from '../../../base/text.ts';
import { warnOfDetour } from '../../wording/wording.ts';
import { type CommandOutcome, defineCommand } from '../command.ts';
import type { CliHost, CommandContext } from '../context.ts';
import { ensureGateway } from '../ensure-gateway.ts';
import { openBrowser } from '../open-browser.ts';
import { writeText } from '../print.ts';
import { showProgress } from '../progress.ts';
import { table } from '../table.ts';
import { withAdmin } from '../with-admin.ts';

export const auth = defineCommand({
  name: 'auth',
  summary: 'Sign in to a remote server',
  description:
    'Opens the sign-in page of the server in your browser and waits until you have signed in. If the browser is on another machine, paste the address it ends at, or use --device if the server supports that. Starts a gateway in the background if none is running. Without a server, lists the servers and their sign-ins.',
  args: {
    server: {
      summary: 'The server; without it, lists all servers that take a sign-in',
      names: 'servers',
      isOptional: true,
    },
  },
  flags: {
    'no-browser': { summary: 'Only print the address; paste the one the browser ends at' },
    device: { summary: 'Get a code to enter on another device' },
    'sign-out': { summary: 'Forget the sign-in, and revoke it if the server supports that' },
  },
  examples: [
    { line: 'auth linear', meaning: 'Sign in with the browser of this machine.' },
    {
      line: 'auth linear --no-browser',
      meaning: 'On a machine without one: open the address anywhere, paste where it ends.',
    },
    { line: 'auth linear --sign-out', meaning: 'The gateway forgets the sign-in.' },
  ],
  async run({ args, flags, context }) {
    const { server } = args;
    if (server === undefined) return listSignIns(context);
    if (flags['sign-out']) return signOut(context, server);
    // A sign-in comes back to a gateway that listens.
    const { dataDir, configPath, host } = context;
    await showProgress(context.notes, 'Waiting for the gateway', () =>
      ensureGateway({ dataDir, env: host.env, configPath, signal: host.signal }),
    );
    return withAdmin(context, async ({ admin }) => {
      const started = await showProgress(context.notes, `Asking ${server} how to sign in`, () =>
        admin.run('servers.signIn', { name: server, device: flags.device }),
      );
      const opens = !flags['no-browser'] && !flags.device;
      // Deleted at the end, whatever comes of the sign-in.
      await using page = opens ? await openBrowser(started.address, host.cwd, host.env) : undefined;
      tell(started, context, page !== undefined);
      const report = await waitFor(admin, started, context);
      if (report.state === 'failed') {
        throw new GatewayError('SERVER_NOT_RUNNING', report.error ?? 'The sign-in failed.', {
          hint: report.hint ?? undefined,
        });
      }
      return signedIn(admin, started.name, context);
    });
  },
});

async function listSignIns(context: CommandContext): Promise<CommandOutcome> {
  const rows = await withAdmin(context, ({ admin }) => admin.run('servers.signIns', {}));
  if (rows.length === 0) return { data: rows, text: 'No server takes a sign-in.' };
  const { style, width } = context;
  const text = table(
    rows,
    [
      { title: 'NAME', cell: (row) => row.name, paint: (name) => style.strong(name) },
      { title: 'SIGN-IN', cell: (row) => meanings[row.state] },
    ],
    { style, width },
  );
  return { data: rows, text };
}

const meanings: Readonly<Record<SignInRow['state'], string>> = {
  none: 'not signed in; no sign-in was needed since the start',
  'signed-in': 'signed in',
  needed: 'needed',
  'more-rights': 'signed in, but the server wants more rights',
};

async function signOut(context: CommandContext, name: string): Promise<CommandOutcome> {
  const outcome = await withAdmin(context, ({ admin }) => admin.run('servers.signOut', { name }));
  const shown = context.style.strong(outcome.name);
  if (!outcome.wasSignedIn) return { data: outcome, text: `There was no sign-in to ${shown}.` };
  const how = outcome.isRevoked ? 'and revoked' : 'here; its authorization server could not be reached';
  return { data: outcome, text: `The sign-in to ${shown} is forgotten ${how}.` };
}

/** On stderr, because what the command finds is printed at its end. */
function tell(started: StartedSignIn, context: CommandContext, isOpened: boolean): void {
  const { stderr } = context.host;
  const address = printable(started.address);
  const warning = warnOfDetour(started);
  if (warning !== undefined) writeText(stderr, warning);
  const lead = isOpened ? 'Your browser shows the sign-in page. If it does not:' : 'Open this address to sign in:';
  writeText(stderr, `${lead}\n  ${address}`);
  if (started.userCode !== null) writeText(stderr, `and enter the code ${printable(started.userCode)} there.`);
  else if (!isOpened) {
    writeText(stderr, 'If the browser is on another machine, it will end at an address that does not work there:');
    writeText(stderr, 'paste that address here and press Enter.');
  }
}

/** One question waits so long at most, so that a gateway that ends is noticed. */
const waitMs = 20_000;

async function waitFor(admin: Admin, started: StartedSignIn, context: CommandContext): Promise<SignInReport> {
  const { name, flow } = started;
  const ended = new AbortController();
  const asking = (async () => {
    for (;;) {
      const report = await admin.run('servers.signInEnd', { name, flow, waitMs });
      if (report.state !== 'waiting') return report;
    }
  })();
  try {
    const ways = started.userCode === null ? [asking, finishByHand(admin, started, context, ended.signal)] : [asking];
    return await abortable(Promise.race(ways), context.host.signal);
  } finally {
    ended.abort();
  }
}

/** Resolves once something was pasted that ends the sign-in; never, where nothing is. */
async function finishByHand(
  admin: Admin,
  { name }: StartedSignIn,
  context: CommandContext,
  signal: AbortSignal,
): Promise<SignInReport> {
  for await (const line of readPastedLines(context.host.stdin, signal)) {
    try {
      return await admin.run('servers.finishSignIn', { name, address: line });
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'USAGE') throw error;
      writeText(context.host.stderr, 'This is not the address the browser ended at. Paste the whole address.');
    }
  }
  return new Promise(() => {});
}

async function signedIn(admin: Admin, name: string, context: CommandContext): Promise<CommandOutcome> {
  const { style, notes } = context;
  const [listing] = await showProgress(notes, `Connecting to ${name}`, () => admin.run('servers.refresh', { name }));
  const servers = await admin.run('servers.list', {});
  const server = servers.find((row) => row.name === name);
  const head = `${style.tick}Signed in to ${style.strong(name)}`;
  const text = listing?.error ? `${head}.` : `${head}, with ${plural(server?.toolCount ?? 0, 'tool')}.`;
  const trouble = listing?.error ? new GatewayError('SERVER_NOT_RUNNING', listing.error) : undefined;
  return { data: server, text, trouble };
}

/** Ends with the input, or when nobody waits for it any more. */
async function* readPastedLines(input: CliHost['stdin'], signal: AbortSignal): AsyncGenerator<string> {
  const lines = createInterface({ input, terminal: false, signal });
  try {
    for await (const line of lines) if (line.trim() !== '') yield line.trim();
  } finally {
    lines.close();
    // A terminal that is still being read would keep the process from ending.
    input.pause();
  }
}
