/** Renders the output of `start`: where agents connect, with which token, what they will find, and the next step. */

import { join } from 'node:path';
import { withOwnCommand } from '../../base/own-program.ts';
import { plural } from '../../base/plural.ts';
import type { Gateway } from '../../gateway.ts';
import type { CommandContext } from './context.ts';
import { toPrintableJson } from './print.ts';
import { tokenFiles } from './read-token.ts';
import { remarkOn, type ServerRow } from './render-server.ts';
import type { Style } from './style.ts';

interface Started {
  readonly version: string;
  readonly pid: number;
  readonly url: string;
  readonly agentUrl: string;
  /** null: no token is asked for, or none of ours. */
  readonly agentToken: string | null;
  /** The issuer of agents' tokens, if that is not the gateway itself. */
  readonly issuer: string | null;
  readonly agentTokenFile: string;
  readonly dataDir: string;
  readonly configFile: string | null;
  readonly servers: number;
  readonly tools: number;
  /** Servers whose tools are not known yet. */
  readonly unknownServers: number;
  /** Definitions that wait for the owner. */
  readonly waitingDefinitions: number;
}

export async function renderStarted(gateway: Gateway, context: CommandContext, isDemo: boolean): Promise<string> {
  const servers = await gateway.admin.run('servers.list', {});
  const started = describe(gateway, context.dataDir, servers);
  if (context.isJson) return toPrintableJson(started, 0);
  const { style } = context;
  const review = remarkOn(servers);
  const parts = [
    style.strong(`Toolcrib ${started.version} is running.`),
    renderFacts(started, await dashboardOf(gateway, context), style),
    renderConnect(started),
    ...(review.length > 0 ? [withOwnCommand(review.join('\n'), context.command)] : []),
    started.servers === 0 ? renderWaysOn(context) : renderNext(context, isDemo),
  ];
  return parts.join('\n\n');
}

function describe(gateway: Gateway, dataDir: string, servers: readonly ServerRow[]): Started {
  const { version, pid, configFile, isAuthOff } = gateway.facts;
  const issuer = isAuthOff ? null : gateway.facts.issuer;
  const url = gateway.url ?? '';
  return {
    version,
    pid,
    url,
    agentUrl: `${url}/mcp`,
    agentToken: isAuthOff || issuer !== null ? null : gateway.tokens.agent,
    issuer,
    agentTokenFile: join(dataDir, tokenFiles.agent),
    dataDir,
    configFile,
    servers: servers.length,
    tools: servers.reduce((sum, server) => sum + server.toolCount, 0),
    unknownServers: servers.filter(({ listedAt, state }) => listedAt === null && state !== 'disabled').length,
    waitingDefinitions: servers.reduce((sum, { heldCount, changedCount }) => sum + heldCount + changedCount, 0),
  };
}

/** The link lets in whoever has it: it is for the eyes of a person, and not for a file. */
async function dashboardOf({ admin }: Gateway, { width, command }: CommandContext): Promise<string> {
  return width !== undefined ? (await admin.run('gateway.signInLink', {})).url : `${command} open`;
}

function renderFacts(started: Started, dashboard: string, style: Style): string {
  const rows: [string, string][] = [
    ['agents', started.agentUrl],
    ['token', renderToken(started)],
    ['dashboard', dashboard],
    ['servers', renderCounts(started)],
    ['data', started.dataDir],
    ['config', started.configFile ?? 'none'],
  ];
  return rows.map(([name, value]) => `  ${style.faint(name.padEnd(11))}${value}`).join('\n');
}

function renderToken({ agentToken, agentTokenFile, issuer }: Started): string {
  if (issuer !== null) return `agents sign in at ${issuer}`;
  return agentToken === null ? 'none needed' : `kept in ${agentTokenFile}`;
}

/** Servers that were never asked for their tools are being asked while this is printed. */
function renderCounts({ servers, tools, unknownServers }: Started): string {
  if (servers === 0) return 'none';
  if (unknownServers === servers) return `${servers}; their tools are being listed`;
  const rest = unknownServers === 0 ? '' : `; those of ${plural(unknownServers, 'server')} are being listed`;
  return `${servers}, with ${plural(tools, 'tool')}${rest}`;
}

function renderConnect({ agentUrl, agentToken }: Started): string {
  const header = agentToken === null ? '' : ` --header "Authorization: Bearer ${agentToken}"`;
  return `Connect an agent, such as Claude Code:\n  claude mcp add --transport http toolcrib ${agentUrl}${header}`;
}

function renderWaysOn({ dataDir, command }: CommandContext): string {
  const ways: [string, string][] = [
    [`${command} add NAME -- COMMAND ARGS…`, 'adds a server while this runs, from another terminal'],
    [join(dataDir, 'toolcrib.json'), 'takes the "mcpServers" block of another agent as it is'],
    [`${command} start --demo`, 'tries things out with a few small offline servers'],
  ];
  const width = Math.max(...ways.map(([way]) => way.length));
  const lines = ways.map(([way, meaning]) => `  ${way.padEnd(width)}  ${meaning}`);
  return ['No server is configured yet. Three ways on:', ...lines].join('\n');
}

function renderNext({ command }: CommandContext, isDemo: boolean): string {
  const words = isDemo ? 'convert miles to kilometers' : 'WORDS…';
  return `Next, in another terminal: ${command} list, ${command} search ${words}. Ctrl-C stops.`;
}
