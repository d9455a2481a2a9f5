/** `toolcrib refresh`: asks servers for their tools again and counts what changed. */

import type { RefreshOutcome } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import { defineCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { plural } from '../plural.ts';
import { showProgress } from '../progress.ts';
import { table } from '../table.ts';
import { withAdmin } from '../with-admin.ts';

export const refresh = defineCommand({
  name: 'refresh',
  summary: 'Ask one server, or all, for their tools again',
  description:
    'Tries a named server at once, even if it failed and its next try is due later. With --force, tries all servers at once.',
  args: { name: { summary: 'The server; without it, all that are enabled', isOptional: true } },
  flags: { force: { summary: 'Rebuild: reconnect, and index every tool again' } },
  examples: [
    { line: 'refresh', meaning: 'Counts what was added, updated, removed and unchanged, by server.' },
    { line: 'refresh files --force', meaning: 'Rebuilds everything about one server.' },
  ],
  async run({ args, flags, context }) {
    const rows = await withAdmin(context, ({ admin }) =>
      showProgress(context.host.stderr, 'Asking for tools', () =>
        admin.run('servers.refresh', { name: args.name, force: flags.force }),
      ),
    );
    if (rows.length === 0) return { data: rows, text: 'There is no server to refresh.' };
    const failed = rows.filter((row) => row.error !== null);
    return { data: rows, text: render(rows, context), ...(failed.length > 0 ? failure(failed) : {}) };
  },
});

function render(rows: readonly RefreshOutcome[], context: CommandContext): string {
  const { style, width } = context;
  return table(
    rows,
    [
      { title: 'NAME', cell: (row) => row.name, paint: (text) => style.strong(text) },
      { title: 'ADDED', cell: (row) => String(row.added.length), isNumber: true },
      { title: 'UPDATED', cell: (row) => String(row.updated.length), isNumber: true },
      { title: 'REMOVED', cell: (row) => String(row.removed.length), isNumber: true },
      { title: 'UNCHANGED', cell: (row) => String(row.unchanged), isNumber: true },
      { title: 'ERROR', cell: (row) => row.error ?? '', isProse: true, paint: (text) => style.bad(text) },
    ],
    { style, width },
  );
}

function failure(failed: readonly RefreshOutcome[]) {
  const [first] = failed;
  const message =
    failed.length === 1 && first?.error
      ? first.error
      : `${plural(failed.length, 'server')} could not be refreshed: ${failed.map((row) => row.name).join(', ')}.`;
  const trouble = new GatewayError('SERVER_NOT_RUNNING', message, {
    hint: 'Toolcrib keeps the tools it knew before. More: toolcrib doctor',
  });
  return { trouble, exitCode: exitCodes.failed };
}
