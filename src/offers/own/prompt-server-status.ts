/** The prompt `server_status`: how servers are, and how calls of the last days went. */

import { GatewayError } from '../../base/errors.ts';
import type { ServerEntry } from '../../catalog/catalog.ts';
import { RpcError, rpcCodes } from '../../protocol/messages.ts';
import { findServer, mayHear, meaningsOf, summariseServer, visibleServers } from '../../tools/tools.ts';
import { dailyUse } from './daily-use.ts';
import { ownUri } from './own-address.ts';
import { type OwnView, toolsOf } from './own-view.ts';
import { userText } from './prompt-message.ts';

const lastDays = 7;
/** Servers that are told at once: those that fail, then those that are used most. */
const mostServers = 50;

const task =
  'Tell the user in a few sentences how these MCP servers are: which work, which fail and since what, and which are slow or often fail. Figures are those of the last days; times are in milliseconds.';

/** Throws the protocol's error for a server that is not there. */
export async function serverStatusMessages(view: OwnView, name: string | undefined): Promise<unknown[]> {
  const { layers } = view.place;
  const servers = name === undefined ? visibleServers(layers.catalog.snapshot, view.principal) : [find(view, name)];
  const told = chosen(view, servers).map(async (server) => ({
    ...(await summariseServer(layers, view.principal, server)),
    calls: await figuresOf(view, server),
  }));
  const left = servers.length - told.length;
  const rows = await Promise.all(told);
  const status = {
    asOf: new Date(layers.clock.now()).toISOString(),
    lastDays,
    servers: rows,
    states: meaningsOf(rows),
    ...(left > 0 && { moreServers: left, allServers: ownUri({ kind: 'servers' }) }),
  };
  return [userText(`${task}\n${JSON.stringify(status)}`)];
}

/** All of them in their order, or of very many those that matter most. */
function chosen(view: OwnView, servers: readonly ServerEntry[]): readonly ServerEntry[] {
  if (servers.length <= mostServers) return servers;
  const { layers } = view.place;
  const { failing } = layers.catalog;
  const uses = new Map(servers.map((server) => [server, dailyUse(layers).ofTools(toolsOf(view, server))]));
  const useOf = (server: ServerEntry) => uses.get(server) ?? 0;
  const isFailing = ({ spec }: ServerEntry) => Number(failing.has(spec.name));
  const ranked = servers.toSorted((a, b) => isFailing(b) - isFailing(a) || useOf(b) - useOf(a));
  return ranked.slice(0, mostServers);
}

function find({ place, principal }: OwnView, name: string): ServerEntry {
  try {
    return findServer(place.layers.catalog.snapshot, principal, name);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const sentences = [error.message, error.hint].filter((text) => text !== undefined);
    throw new RpcError(rpcCodes.invalidParams, sentences.join(' '));
  }
}

/** Only of tools that the principal may hear of: of all at once where those are all there are. */
async function figuresOf({ place, principal }: OwnView, { spec }: ServerEntry): Promise<Record<string, unknown>> {
  const { layers } = place;
  const known = layers.metrics.query({ server: spec.name });
  const heard = known.filter((tool) => mayHear(layers, principal, tool));
  const targets = heard.length === known.length ? [spec.name] : heard.map((tool) => tool.toolKey);
  const { callCount, successRate, p50Ms, p95Ms } = await layers.metrics.recent(targets, lastDays);
  if (callCount === 0) return { count: 0 };
  return { count: callCount, successRate: rounded(successRate, 2), p50Ms: rounded(p50Ms, 0), p95Ms: rounded(p95Ms, 0) };
}

function rounded(value: number | null, digits: number): number | null {
  return value === null ? null : Number(value.toFixed(digits));
}
