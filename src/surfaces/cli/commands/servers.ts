/** The commands about servers that exist: list, show, set, remove, enable, disable and refresh them. */

import type { RefreshOutcome } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import { noServersHint } from '../../../base/own-program.ts';
import { plural } from '../../../base/plural.ts';
import { checkCategory } from '../check-category.ts';
import { defineCommand } from '../command.ts';
import { confirm, yesFlag } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { noteNoGateway } from '../note-no-gateway.ts';
import { showProgress } from '../progress.ts';
import { readSettings, settingFlags } from '../read-settings.ts';
import { renderDetails } from '../render-details.ts';
import { remarkOn, renderAdded, renderServers, withDoctor } from '../render-server.ts';
import { table } from '../table.ts';
import { withAdmin } from '../with-admin.ts';

export const list = defineCommand({
  name: 'list',
  summary: 'List the servers with their state, tools and last error',
  description:
    'Toolcrib connects to a server when it is first needed. "configured" means that nothing is wrong and the server was not needed yet, "installing" that a package runner such as npx is downloading it, "listing" that its tools are not known yet.',
  examples: [
    { line: 'list', meaning: 'All servers in a table.' },
    { line: 'list --json', meaning: 'The same with every detail, for programs.' },
  ],
  async run({ context }) {
    const { rows, isRunning } = await withAdmin(context, async ({ admin, holder }) => ({
      rows: await admin.run('servers.list', {}),
      isRunning: holder !== null,
    }));
    const alone = isRunning ? [] : [noteNoGateway(context, 'no server is connected now')];
    if (rows.length === 0) {
      const text = `No server is configured. ${noServersHint}`;
      return { data: rows, text, remarks: alone.join('\n') };
    }
    const remarks = [...remarkOn(rows), ...alone].join('\n');
    return { data: rows, text: renderServers(rows, context, Date.now()), remarks };
  },
});

export const showServer = defineCommand({
  name: 'show',
  summary: 'Show one server: its state, settings and tools',
  description: 'Settings that are not shown have their default. Secrets are never shown.',
  args: { name: { summary: 'The server', names: 'servers' } },
  examples: [
    { line: 'show files', meaning: 'Its state, connection, settings and tools.' },
    { line: 'show files --json', meaning: 'The same with every detail, for programs.' },
  ],
  async run({ args, context }) {
    const data = await withAdmin(context, ({ admin }) => admin.run('servers.show', { name: args.name }));
    return renderDetails(data, context, `Server ${context.style.strong(data.name)} is ${data.state}.`);
  },
});

export const set = defineCommand({
  name: 'set',
  isOrder: true,
  summary: 'Change a server: its tools, permissions, aliases, category, limits or title',
  description:
    'Changes apply at once: the server keeps running, running calls finish, and connected agents are notified when their list changes. --permission and --alias add to the current values; other options replace them. For a server of the config file, edit that file.',
  args: { name: { summary: 'The server', names: 'servers' } },
  flags: settingFlags,
  examples: [
    { line: 'set files --tools read_file,list_directory', meaning: 'Agents see these two tools.' },
    {
      line: `set files --permission 'write_*=ask' --timeout-ms 5000`,
      meaning: 'Ask before writing; end calls after five seconds.',
    },
    { line: `set files --unset 'permissions.write_*' --tools all`, meaning: 'All tools again, without asking.' },
  ],
  async run({ args, flags, context }) {
    await checkCategory(flags.category);
    const changes = readSettings(flags);
    const data = await withAdmin(context, ({ admin }) => admin.run('servers.set', { name: args.name, ...changes }));
    const head = `Server ${context.style.strong(data.name)} ${data.isChanged ? 'is changed.' : 'already has these settings.'}`;
    return renderDetails(data, context, head);
  },
});

export const remove = defineCommand({
  name: 'remove',
  isOrder: true,
  summary: 'Remove a server that was added',
  description: 'To remove a server of the config file, edit that file, or disable the server: toolcrib disable NAME.',
  args: { name: { summary: 'The server', names: 'servers' } },
  flags: { yes: yesFlag },
  examples: [{ line: 'remove files', meaning: 'Ends the server and forgets its tools.' }],
  async run({ args, flags, context }) {
    await confirm(context, `Remove server "${args.name}" with its settings, sign-in and approvals?`, flags.yes);
    const data = await withAdmin(context, ({ admin }) => admin.run('servers.remove', { name: args.name }));
    return { data, text: `Server ${context.style.strong(data.name)} is removed.` };
  },
});

export const enable = defineCommand({
  name: 'enable',
  isOrder: true,
  summary: 'Switch a server on',
  args: { name: { summary: 'The server', names: 'servers' } },
  examples: [{ line: 'enable files', meaning: 'Agents can find and call its tools again.' }],
  async run({ args, context }) {
    const server = await withAdmin(context, ({ admin }) =>
      showProgress(context.notes, `Connecting to ${args.name}`, () => admin.run('servers.enable', { name: args.name })),
    );
    return renderAdded(server, context, 'switched on');
  },
});

export const disable = defineCommand({
  name: 'disable',
  isOrder: true,
  summary: 'Switch a server off without forgetting it',
  args: { name: { summary: 'The server', names: 'servers' } },
  examples: [{ line: 'disable files', meaning: 'Agents no longer see its tools; "toolcrib enable files" undoes it.' }],
  async run({ args, context }) {
    const data = await withAdmin(context, ({ admin }) => admin.run('servers.disable', { name: args.name }));
    return { data, text: `Server ${context.style.strong(data.name)} is switched off.` };
  },
});

export const refresh = defineCommand({
  name: 'refresh',
  summary: 'Ask one server, or all, for their tools again',
  description:
    'Tries a named server at once, even if it failed and its next try is due later. With --force, tries all servers at once.',
  args: { name: { summary: 'The server; without it, all that are enabled', names: 'servers', isOptional: true } },
  flags: { force: { summary: 'Rebuild: reconnect, and index every tool again' } },
  examples: [
    { line: 'refresh', meaning: 'Counts what was added, updated, removed and unchanged, by server.' },
    { line: 'refresh files --force', meaning: 'Rebuilds everything about one server.' },
  ],
  async run({ args, flags, context }) {
    const rows = await withAdmin(context, ({ admin }) =>
      showProgress(context.notes, 'Asking for tools', () =>
        admin.run('servers.refresh', { name: args.name, force: flags.force }),
      ),
    );
    if (rows.length === 0) return { data: rows, text: 'There is no server to refresh.' };
    const failed = rows.filter((row) => row.error !== null);
    return { data: rows, text: renderRefresh(rows, context), ...(failed.length > 0 ? refreshTrouble(failed) : {}) };
  },
});

function renderRefresh(rows: readonly RefreshOutcome[], context: CommandContext): string {
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

function refreshTrouble(failed: readonly RefreshOutcome[]) {
  const [first] = failed;
  const message =
    failed.length === 1 && first?.error
      ? first.error
      : `${plural(failed.length, 'server')} could not be refreshed: ${failed.map((row) => row.name).join(', ')}.`;
  const advice = failed.length === 1 && first?.hint ? first.hint : 'Toolcrib keeps the tools it knew before.';
  const trouble = new GatewayError('SERVER_NOT_RUNNING', message, { hint: withDoctor(advice) });
  return { trouble, exitCode: exitCodes.failed };
}
