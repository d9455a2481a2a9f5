/** The commands about browsers that are signed in. */

import { defineCommand } from '../command.ts';
import { shortTime } from '../render-token.ts';
import { table } from '../table.ts';
import { withAdmin } from '../with-admin.ts';

export const browserList = defineCommand({
  name: 'browser list',
  summary: 'List browsers that are signed in to the dashboard',
  description: 'Times are in UTC. A browser that is not used is signed out at the time under EXPIRES.',
  examples: [{ line: 'browser list', meaning: 'Every browser that is signed in, the latest first.' }],
  async run({ context }) {
    const data = await withAdmin(context, ({ admin }) => admin.run('browsers.list', {}));
    const { style, width } = context;
    const text = table(
      data,
      [
        { title: 'ID', cell: ({ id }) => id, paint: (id) => style.strong(id) },
        { title: 'TOKEN', cell: ({ name }) => name },
        { title: 'SIGNED IN', cell: ({ signedInAt }) => shortTime(signedInAt) },
        { title: 'LAST USED', cell: ({ lastUsedAt }) => shortTime(lastUsedAt) },
        { title: 'EXPIRES', cell: ({ expiresAt }) => shortTime(expiresAt) },
      ],
      { style, width },
    );
    return { data, text: data.length === 0 ? 'No browser is signed in.' : text };
  },
});

export const browserEnd = defineCommand({
  name: 'browser end',
  isOrder: true,
  summary: 'Sign a browser out at once',
  description: 'To sign in again, it needs a new link from "toolcrib open".',
  args: { id: { summary: 'The id of the browser, from "toolcrib browser list"' } },
  examples: [{ line: 'browser end 3f9c02ab', meaning: 'The browser is signed out.' }],
  async run({ args, context }) {
    const data = await withAdmin(context, ({ admin }) => admin.run('browsers.end', { id: args.id }));
    return { data, text: `Browser ${context.style.strong(data.id)} is signed out.` };
  },
});
