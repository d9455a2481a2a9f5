/** `toolcrib secret list`: the names of the secrets, and where they are used. */

import { defineCommand } from '../command.ts';
import { table } from '../table.ts';
import { withAdmin } from '../with-admin.ts';

export const secretList = defineCommand({
  name: 'secret list',
  summary: 'List the secrets by name, with when they were set and which servers use them',
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
