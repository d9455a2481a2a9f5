/** `toolcrib open`: the dashboard in the browser of this machine, signed in by a link that works once. */

import type { Admin, OutputOf, SignInLink } from '../../../admin/admin.ts';
import { sleep, systemClock } from '../../../base/clock.ts';
import { GatewayError } from '../../../base/errors.ts';
import { type CommandOutcome, defineCommand, olderName } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { openBrowser } from '../open-browser.ts';
import { withAdmin } from '../with-admin.ts';

export const open = defineCommand({
  name: 'open',
  summary: 'Open the dashboard in your browser',
  description:
    'Signs the browser in as you, with a link that works once, for a few minutes. If no browser can be opened, prints the link. Keep the link to yourself.',
  flags: { print: { summary: 'Print the link instead of opening a browser' } },
  examples: [
    { line: 'open', meaning: 'The dashboard in the browser of this machine.' },
    { line: 'open --print', meaning: 'A link to open in another browser that reaches the gateway.' },
  ],
  run: ({ flags, context }) =>
    withAdmin(context, async ({ admin }) => {
      const link = await admin.run('gateway.signInLink', {});
      if (flags.print || context.isJson) return { data: link, text: renderLink(link, context) };
      return openLink(admin, link, context);
    }),
});

export const signIn = olderName('sign-in', open);

async function openLink(admin: Admin, link: SignInLink, context: CommandContext): Promise<CommandOutcome> {
  const { cwd, env, signal } = context.host;
  await using page = await openBrowser(link.url, cwd, env);
  if (page === undefined) return { data: link, text: `No browser can be opened here. ${renderLink(link, context)}` };
  const state = await waitForUse(admin, link, signal);
  if (state === 'used') return { data: link, text: 'The dashboard is open in your browser.' };
  if (state === 'gone') throw new GatewayError('USAGE', 'The link expired before a browser used it.', again);
  return { data: link, text: `The browser has not opened the dashboard yet. ${renderLink(link, context)}` };
}

/** How long a browser that starts may take, and how often to check that it has. */
const openMs = 30_000;
const lookMs = 200;

const again = { hint: 'Make another one: toolcrib open' };

async function waitForUse(admin: Admin, { code }: SignInLink, signal: AbortSignal): Promise<LinkState> {
  if (code === null) return 'used';
  for (const end = systemClock.elapsed() + openMs; systemClock.elapsed() < end; ) {
    const { state } = await admin.run('gateway.signInLinkState', { code });
    if (state !== 'waiting') return state;
    await sleep(systemClock, lookMs, signal);
  }
  return 'waiting';
}

type LinkState = OutputOf<'gateway.signInLinkState'>['state'];

const minuteMs = 60_000;

function renderLink({ url, expiresInMs, remark }: SignInLink, { style }: CommandContext): string {
  const terms =
    expiresInMs === null
      ? 'This gateway needs no token: the page opens without signing in.'
      : `The link works once, for ${expiresInMs / minuteMs} minutes.`;
  const lines = ['Open this in a browser:', '', `  ${style.strong(url)}`, '', terms];
  return [...lines, ...(remark === null ? [] : [remark])].join('\n');
}
