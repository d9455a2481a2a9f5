/** Makes a call of an entry and executes it: the one place where endpoints build a `Call`. */

import { authorize, type Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { type AgentSide, type Call, timeoutFor } from '../caller/caller.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { Params, Result } from '../protocol/messages.ts';
import type { EndpointContext } from './endpoint.ts';

/** Executes a call of an entry; how it ended is credited to the searches that led to it. */
export async function executeCall(
  context: EndpointContext,
  entry: Entry,
  params: Params,
  principal: Principal,
  agent: AgentSide,
): Promise<Result> {
  try {
    const result = await context.caller.execute(makeCall(context, entry, params, principal, agent));
    context.search.succeeded(agent.session, entry.key, result);
    return result;
  } catch (error) {
    context.search.failed(agent.session, entry.key, error);
    throw error;
  }
}

/** `params` are those of `tools/call`; the name in them is replaced by the server's own. */
export function makeCall(
  context: EndpointContext,
  entry: Entry,
  params: Params,
  principal: Principal,
  agent: AgentSide,
): Call {
  const server = context.catalog.snapshot.servers.get(entry.server);
  if (!server) throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${entry.server}".`);
  return {
    principal,
    server: entry.server,
    tool: entry.serverName,
    key: entry.key,
    definition: entry.definition,
    permission: authorize(principal, server.spec, entry.serverName),
    params: { ...params, name: entry.serverName },
    timeoutMs: timeoutFor(context.config(), server.spec),
    agent,
  };
}
