/** The commands about past calls: `metrics` of tools, and `usage`, which tools follow which. */

import type { Admin, MetricsList, OutputOf } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import { plural } from '../../../base/plural.ts';
import { type CommandOutcome, defineCommand } from '../command.ts';
import { confirm, yesFlag } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { renderDays, renderFigures, renderMetrics } from '../render-metrics.ts';
import { renderUsage } from '../render-usage.ts';
import { serverOf } from '../tool-key.ts';
import { withAdmin } from '../with-admin.ts';

const usualDays = 7;

export const metrics = defineCommand({
  name: 'metrics',
  summary: 'Show success, failures and latency of tools',
  description:
    'Covers all agents and projects of this gateway, and calls by hand. Name one tool to see all its figures. How to read them: docs/guides/metrics.md.',
  usage: '[SERVER[:TOOL]]',
  args: {
    name: { summary: 'A server, or one tool as SERVER:TOOL; without it all tools', names: 'targets', isOptional: true },
  },
  flags: {
    reset: { summary: 'Delete the metrics of the tool, of the server or, without a name, of everything' },
    yes: yesFlag,
    top: { value: 'N', number: { least: 1, most: 100 }, summary: 'Only N tools, the most reliable first' },
    'failing-below': { value: 'RATE', summary: 'Only tools whose success rate is below this, such as 0.5' },
    days: {
      value: 'N',
      number: { least: 1, most: 365 },
      summary: 'The trend of N days, today included',
      default: `${usualDays} for one tool, else none`,
    },
  },
  examples: [
    { line: 'metrics', meaning: 'Every tool that was called, in a table.' },
    {
      line: 'metrics files:read_file',
      meaning: 'One tool: failures by kind, latency, last error, the last seven days.',
    },
    { line: 'metrics --failing-below 0.5', meaning: 'Tools that fail more often than not, of those with five calls.' },
    { line: 'metrics files --days 30', meaning: 'The tools of one server, and how it went day by day.' },
    { line: 'metrics files --reset', meaning: 'Deletes the metrics of one server.' },
  ],
  async run({ args, flags, context }) {
    const scope = readScope(args.name);
    const failingBelow = readShare('failing-below', flags['failing-below']);
    const isNarrowed = flags.top !== undefined || failingBelow !== undefined;
    if (flags.reset && (isNarrowed || flags.days !== undefined))
      throw new GatewayError(
        'USAGE',
        '--reset deletes the metrics of whole tools: give it a name or nothing, and no other option.',
      );
    if (scope.tool !== undefined && isNarrowed)
      throw new GatewayError('USAGE', '--top and --failing-below choose among tools, and one tool is named already.');
    if (flags.reset) await confirm(context, `Delete the metrics of ${nameOf(scope)}?`, flags.yes);
    const days = flags.days ?? (scope.tool === undefined ? undefined : usualDays);
    return withAdmin(context, ({ admin }) =>
      flags.reset ? reset(admin, scope, context) : show(admin, scope, { top: flags.top, failingBelow }, days, context),
    );
  },
});

interface Scope {
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
}

function readScope(name: string | undefined): Scope {
  if (name === undefined) return {};
  const server = serverOf(name);
  return server === undefined ? { server: name } : { server, tool: name.slice(server.length + 1) || undefined };
}

async function reset(admin: Admin, scope: Scope, { style }: CommandContext): Promise<CommandOutcome> {
  const { removed } = await admin.run('metrics.reset', scope);
  const text =
    removed === 0
      ? `There are no metrics of ${nameOf(scope)} to delete.`
      : `${style.tick}Forgotten: ${plural(removed, 'call')} of ${nameOf(scope)}.`;
  return { data: { ...scope, removed }, text };
}

async function show(
  admin: Admin,
  scope: Scope,
  choice: { readonly top: number | undefined; readonly failingBelow: number | undefined },
  days: number | undefined,
  context: CommandContext,
): Promise<CommandOutcome> {
  const found = await admin.run('metrics.tools', { ...scope, ...choice });
  const trend = days === undefined ? undefined : await admin.run('metrics.days', { ...scope, days });
  const data = trend === undefined ? found : { ...found, days: trend };
  if (found.tools.length === 0) return { data, text: emptyText(scope, choice.failingBelow !== undefined) };
  return { data, text: render(found, scope, trend, context) };
}

function render(
  found: MetricsList,
  scope: Scope,
  trend: OutputOf<'metrics.days'> | undefined,
  context: CommandContext,
): string {
  const [first] = found.tools;
  const figures =
    scope.tool !== undefined && first
      ? renderFigures(first, found.store, context.style)
      : renderMetrics(found, context);
  return trend === undefined ? figures : `${figures}\n\n${renderDays(trend, context.style)}`;
}

function emptyText(scope: Scope, isFailing: boolean): string {
  if (isFailing) return 'No tool fails that often. Tools with fewer than five calls are left out.';
  const what =
    scope.server === undefined ? 'There are no metrics yet.' : `There are no metrics of ${nameOf(scope)} yet.`;
  return `${what} Toolcrib measures every call of an agent, and calls by hand: toolcrib call SERVER:TOOL`;
}

function nameOf({ server, tool }: Scope): string {
  if (server === undefined) return 'all tools';
  return tool === undefined ? `server ${server}` : `${server}:${tool}`;
}

/** Throws USAGE for what is no such number. */
export function readShare(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const share = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (share >= 0 && share <= 1) return share;
  throw new GatewayError('USAGE', `--${flag} must be a number from 0 to 1, such as 0.5, not "${value}".`);
}

export const usage = defineCommand({
  name: 'usage',
  summary: 'Show which tools are used, which fail, and which follow which',
  description:
    'Covers all agents and projects: the most used tools, those that fail, habits ("after this, usually that"), the tools called after each search, and how suggested alternatives did.',
  flags: {
    limit: {
      value: 'N',
      number: { least: 1, most: 100 },
      summary: 'The most lines of each kind',
      default: '10',
    },
  },
  examples: [
    { line: 'usage', meaning: 'An overview.' },
    { line: 'usage --limit 3 --json', meaning: 'The first three of each kind, for programs.' },
  ],
  async run({ flags, context }) {
    const data = await withAdmin(context, ({ admin }) => admin.run('usage.overview', { limit: flags.limit }));
    return { data, text: renderUsage(data, context) };
  },
});
