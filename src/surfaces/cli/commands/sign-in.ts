/** `toolcrib sign-in`: prints a link with which a browser signs in. */

import { defineCommand } from '../command.ts';
import { withAdmin } from '../with-admin.ts';

const minuteMs = 60_000;

export const signIn = defineCommand({
  name: 'sign-in',
  summary: 'Print a link with which a browser signs in to the gateway',
  description:
    'The link is good once and for a few minutes. Whoever opens it is shown the pages of the gateway as you: give it to nobody. Orders are given with a token, at the command line or over the API, and never by a browser alone.',
  examples: [{ line: 'sign-in', meaning: 'A link to open in a browser on this machine.' }],
  async run({ context }) {
    const data = await withAdmin(context, ({ admin }) => admin.run('gateway.signInLink', {}));
    const terms =
      data.expiresInMs === null
        ? 'This gateway asks nobody for a token: the page is open as it is.'
        : `It is good once, and for ${data.expiresInMs / minuteMs} minutes.`;
    return { data, text: `Open this in a browser:\n\n  ${context.style.strong(data.url)}\n\n${terms}` };
  },
});
