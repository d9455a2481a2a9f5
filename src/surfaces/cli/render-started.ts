/** Renders the output of `start`: where agents connect, with which token, what they will find, and the next step. */

import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { localUrlOf, outsideUrlOf } from '../../base/local-url.ts';
import { withOwnCommand } from '../../base/own-program.ts';
import { plural } from '../../base/plural.ts';
import { tokenFiles } from '../../base/token-files.ts';
import type { Gateway } from '../../gateway.ts';
import { claudeParts, tokenInWords, waysOn } from '../wording/wording.ts';
import type { CommandContext } from './context.ts';
import { toPrintableJson } from './print.ts';
import { remarkOn, type ServerRow } from './render-server.ts';
import type { Style } from './style.ts';

interface Started {
  readonly version: string;
  readonly pid: number;
  readonly url: string;
  /** For agents on this machine. */
  readonly agentUrl: string;
  /** For agents on others; null where the gateway listens for this machine alone, or no network is there. */
  readonly outsideAgentUrl: string | null;
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
    ...(gateway.isShared && started.agentToken !== null ? [renderTokenForAll(context)] : []),
    ...(review.length > 0 ? [withOwnCommand(review.join('\n'), context.command)] : []),
    started.servers === 0 ? await renderWaysOn(context) : renderNext(context, isDemo),
  ];
  return parts.join('\n\n');
}

function describe(gateway: Gateway, dataDir: string, servers: readonly ServerRow[]): Started {
  const { version, pid, configFile, isAuthOff } = gateway.facts;
  const issuer = isAuthOff ? null : gateway.facts.issuer;
  const url = gateway.url ?? '';
  const outside = outsideUrlOf(url, networkInterfaces());
  return {
    version,
    pid,
    url,
    agentUrl: `${localUrlOf(url)}/mcp`,
    outsideAgentUrl: outside === null ? null : `${outside}/mcp`,
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
    ...(started.outsideAgentUrl === null
      ? []
      : [['', `${started.outsideAgentUrl} from other machines`] as [string, string]]),
    ['token', tokenInWords(started.agentToken && started.agentTokenFile, started.issuer)],
    ['dashboard', dashboard],
    ['servers', renderCounts(started)],
    ['data', started.dataDir],
    ['config', started.configFile ?? 'none'],
  ];
  return rows.map(([name, value]) => `  ${style.faint(name.padEnd(11))}${value}`).join('\n');
}

/** Servers that were never asked for their tools are being asked while this is printed. */
function renderCounts({ servers, tools, unknownServers }: Started): string {
  if (servers === 0) return 'none';
  if (unknownServers === servers) return `${servers}; their tools are being listed`;
  const rest = unknownServers === 0 ? '' : `; those of ${plural(unknownServers, 'server')} are being listed`;
  return `${servers}, with ${plural(tools, 'tool')}${rest}`;
}

function renderConnect({ agentUrl, agentToken }: Started): string {
  return `Connect an agent, such as Claude Code:\n  ${claudeParts(agentUrl, agentToken).join(' ')}`;
}

/** The files of other data folders have other tokens. */
function renderTokenForAll({ command }: CommandContext): string {
  return `This token is in this data folder: other gateways refuse it unless you copy the file. For one that works at every gateway on the database: ${command} token create NAME`;
}

async function renderWaysOn(context: CommandContext): Promise<string> {
  const { command } = context;
  // Files of other agents are read only where there is no server.
  const { foundElsewhere } = await import('./setup/found-elsewhere.ts');
  const ways = waysOn({
    found: await foundElsewhere(context),
    add: [`${command} add NAME -- COMMAND ARGS…`, 'adds a server while this runs, from another terminal'],
    command,
  });
  const width = Math.max(...ways.map(([way]) => way.length));
  const lines = ways.map(([way, meaning]) => `  ${way.padEnd(width)}  ${meaning}`);
  return ['No server is configured yet. Three ways on:', ...lines].join('\n');
}

function renderNext({ command }: CommandContext, isDemo: boolean): string {
  const words = isDemo ? 'convert miles to kilometers' : 'WORDS…';
  return `Next, in another terminal: ${command} list, ${command} search ${words}. Ctrl-C stops.`;
}
