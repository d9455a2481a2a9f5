/** Runs `toolcrib init`: imports servers, connects agents, and shows with a search that it works. */

import type { Admin } from '../../../admin/admin.ts';
import { type AgentId, agentIds, agents, findServers } from '../../../agent-files/agent-files.ts';
import { GatewayError } from '../../../base/errors.ts';
import { sayTokens } from '../../../base/estimate-tokens.ts';
import { isObject } from '../../../base/json.ts';
import { withOwnCommand } from '../../../base/own-program.ts';
import { plural } from '../../../base/plural.ts';
import type { CommandOutcome } from '../command.ts';
import { canAsk } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { writeText } from '../print.ts';
import { withAdmin } from '../with-admin.ts';
import { writeFirstConfig } from './first-config.ts';
import { renderPlan } from './render-import.ts';
import type { InstallRow } from './render-install.ts';
import { askNumbers, type Consent, importFound, machineHere, summaryOf, troubleOf } from './run-import.ts';
import { runInstall } from './run-install.ts';

export async function runInit(consent: Consent, context: CommandContext): Promise<CommandOutcome> {
  const isYes = consent.yes;
  if (!isYes && !canAsk(context))
    throw new GatewayError('USAGE', 'This command asks questions, and nobody is here to answer.', {
      hint: 'Answer all of them with --yes.',
    });
  const configFile = await writeFirstConfig(context);
  const { plan, imported } = await withAdmin(context, ({ admin }) => importFound(admin, agentIds, consent, context));
  const chosen = await chooseAgents(isYes, context);
  const flags = {
    scope: undefined,
    transport: undefined,
    firstTransport: 'stdio',
    move: true,
    'dry-run': false,
    yes: isYes,
  } as const;
  const installed = chosen.length === 0 ? undefined : await runInstall(chosen, flags, context);
  const connected = installed?.data ?? [];
  const facts = await withAdmin(context, ({ admin }) => factsOf(admin));
  const parts = [
    ...(configFile === null ? [] : [`Settings: ${configFile}`]),
    // A person who was asked has seen it.
    ...(isYes && plan.rows.length + plan.troubles.length > 0 ? [renderPlan(plan, context)] : []),
    summaryOf(plan, imported, context),
    installed?.text ?? 'No agent was connected. Connect one: toolcrib install AGENT',
    ...(facts.search === null ? [] : [`Tried: toolcrib search ${facts.search.query}\n  found ${facts.search.found}`]),
    context.style.strong(inOneLine(facts, connected)),
    ...(connected.length === 0 ? [] : [nextSteps(connected)]),
  ];
  return {
    data: { configFile, imported, skippedFiles: plan.troubles, agents: connected, ...facts },
    text: parts.join('\n\n'),
    trouble: troubleOf(imported) ?? installed?.trouble,
  };
}

/** Agents whose own file is there. */
async function chooseAgents(isYes: boolean, context: CommandContext): Promise<readonly AgentId[]> {
  const { files } = await findServers(agentIds, machineHere(context));
  const found = files.filter(({ scope }) => scope === 'user');
  const ids = [...new Set(found.map(({ agent }) => agent))];
  if (isYes || ids.length === 0) return ids;
  const lines = ids.map((id, at) => `${at + 1}  ${agents[id].title}  ${found.find(({ agent }) => agent === id)?.file}`);
  const remark =
    'Connecting takes the servers that Toolcrib has out of these files; "toolcrib uninstall AGENT" puts them back.';
  writeText(context.host.stdout, ['', ...lines, '', withOwnCommand(remark, context.command), ''].join('\n'));
  const chosen = await askNumbers(`Connect ${plural(ids.length, 'agent')}?`, ids.length, context);
  return ids.filter((_id, at) => chosen.has(at + 1));
}

interface InitFacts {
  readonly servers: number;
  readonly tools: number;
  /** About what an agent reads at its start: all tools, or the surface "search". */
  readonly startTokens: { readonly direct: number; readonly search: number };
  /** A search by the words of a tool's name; null: there is no tool. */
  readonly search: { readonly query: string; readonly found: string } | null;
}

async function factsOf(admin: Admin): Promise<InitFacts> {
  const servers = await admin.run('servers.list', {});
  const { doors } = await admin.run('gateway.surfaces', {});
  const { direct = 0, search = 0 } = doors[0]?.startTokens ?? {};
  return {
    servers: servers.length,
    tools: servers.reduce((sum, { toolCount }) => sum + toolCount, 0),
    startTokens: { direct, search },
    search: await trySearch(admin, servers.find(({ toolCount }) => toolCount > 0)?.name),
  };
}

async function trySearch(admin: Admin, server: string | undefined): Promise<InitFacts['search']> {
  if (server === undefined) return null;
  const [name = ''] = (await admin.run('servers.show', { name: server })).tools;
  const query = name.replaceAll(/[^a-z0-9]+/gi, ' ').trim();
  const { tools } = await admin.run('tools.search', { query: [query], limit: 1 });
  const [hit] = Array.isArray(tools) ? tools.filter(isObject) : [];
  return hit === undefined ? null : { query, found: String(hit.toolKey) };
}

/** The saving only where there is one: an agent with the surface "direct" has all tools as before. */
function inOneLine({ servers, tools, startTokens: { direct, search } }: InitFacts, connected: readonly InstallRow[]) {
  const counts = `${plural(servers, 'server')}, ${plural(tools, 'tool')}`;
  const searching = connected.filter(({ surface }) => surface === 'search');
  if (search >= direct || searching.length === 0) return `${counts}.`;
  return `${counts}: an agent with all of them reads ${sayTokens(direct)} tokens at each start, now ${sayTokens(search)} (${titlesOf(searching)}).`;
}

function nextSteps(connected: readonly InstallRow[]): string {
  return [
    'Next:',
    `  Restart ${titlesOf(connected)}: an agent reads its config when it starts.`,
    '  See it all in a browser, once an agent has started the gateway: toolcrib open',
    '  Undo: toolcrib uninstall AGENT (or --all)',
  ].join('\n');
}

function titlesOf(rows: readonly InstallRow[]): string {
  return rows.map(({ agent }) => agents[agent].title).join(', ');
}
