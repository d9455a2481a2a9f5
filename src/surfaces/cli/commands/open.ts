/** `toolcrib open`: the dashboard in the browser of this machine, signed in by a link that works once. */

import type { Admin, SignInLink } from '../../../admin/admin.ts';
import { sleep, systemClock } from '../../../base/clock.ts';
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
  if (await isOpened(admin, link, signal)) return { data: link, text: 'The dashboard is open in your browser.' };
  return { data: link, text: `The browser has not opened the dashboard yet. ${renderLink(link, context)}` };
}

/** How long a browser that starts may take, and how often to check that it has. */
const openMs = 30_000;
const lookMs = 200;

async function isOpened(admin: Admin, { code }: SignInLink, signal: AbortSignal): Promise<boolean> {
  if (code === null) return true;
  for (const end = systemClock.elapsed() + openMs; systemClock.elapsed() < end; ) {
    if (!(await admin.run('gateway.signInLinkState', { code })).isWaiting) return true;
    await sleep(systemClock, lookMs, signal);
  }
  return false;
}

const minuteMs = 60_000;

function renderLink({ url, expiresInMs, remark }: SignInLink, { style }: CommandContext): string {
  const terms =
    expiresInMs === null
      ? 'This gateway needs no token: the page opens without signing in.'
      : `The link works once, for ${expiresInMs / minuteMs} minutes.`;
  const lines = ['Open this in a browser:', '', `  ${style.strong(url)}`, '', terms];
  return [...lines, ...(remark === null ? [] : [remark])].join('\n');
}
