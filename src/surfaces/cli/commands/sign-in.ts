/** `toolcrib sign-in`: prints a link with which a browser signs in. */

import { defineCommand } from '../command.ts';
import { withAdmin } from '../with-admin.ts';

const minuteMs = 60_000;

export const signIn = defineCommand({
  name: 'sign-in',
  summary: 'Print a link that signs a browser in to the gateway',
  description:
    'The link works once, for a few minutes. It opens the pages of the gateway as you, so give it to nobody. A browser can only look: changes need a token, at the command line or over the API.',
  examples: [{ line: 'sign-in', meaning: 'A link to open in a browser on this machine.' }],
  async run({ context }) {
    const data = await withAdmin(context, ({ admin }) => admin.run('gateway.signInLink', {}));
    const terms =
      data.expiresInMs === null
        ? 'This gateway needs no token: the page opens without signing in.'
        : `The link works once, for ${data.expiresInMs / minuteMs} minutes.`;
    return { data, text: `Open this in a browser:\n\n  ${context.style.strong(data.url)}\n\n${terms}` };
  },
});
