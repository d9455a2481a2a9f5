/** From what an agent wrote to the tool it meant: a toolKey, a public name, or server and tool apart. */

import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { Entry, Snapshot } from '../catalog/catalog.ts';
import { didYouMean, findServer } from './find-server.ts';
import { canSee, visibleTools } from './visible.ts';

export interface ToolAddress {
  readonly toolKey?: unknown;
  readonly server?: unknown;
  readonly tool?: unknown;
}

/** The tool, or trouble with the nearest names. What the principal may not see reads exactly like what is not there. */
export function resolveTool(snapshot: Snapshot, principal: Principal, address: ToolAddress): Entry {
  const { server, tool } = parseAddress(address);
  const found = server === undefined ? findBare(snapshot, principal, tool) : snapshot.tools.get(`${server}:${tool}`);
  if (found && canSee(snapshot, principal, found)) return found;
  if (server !== undefined) findServer(snapshot, principal, server);
  throw noTool(snapshot, principal, server, tool);
}

function parseAddress(address: ToolAddress): { server: string | undefined; tool: string } {
  if (typeof address.server === 'string' && typeof address.tool === 'string')
    return { server: address.server, tool: address.tool };
  const key = address.toolKey;
  if (typeof key !== 'string' || key.trim() === '') {
    throw new GatewayError('TOOLKEY_INVALID', 'A toolKey is needed: the text "server:tool".');
  }
  const colon = key.indexOf(':');
  return colon === -1 ? { server: undefined, tool: key } : { server: key.slice(0, colon), tool: key.slice(colon + 1) };
}

/** Agents also write `server.tool` or the tool's name alone; both are fine while only one tool can be meant. */
function findBare(snapshot: Snapshot, principal: Principal, name: string): Entry | undefined {
  const tools = visibleTools(snapshot, principal);
  const exact = tools.filter(
    (tool) => `${tool.server}.${tool.name}` === name || `${tool.server}__${tool.name}` === name,
  );
  if (exact.length === 1) return exact[0];
  const bare = tools.filter((tool) => tool.name === name);
  if (bare.length > 1) {
    const keys = bare.map((tool) => tool.key);
    throw new GatewayError('TOOLKEY_INVALID', `${bare.length} servers have a tool "${name}".`, {
      hint: `Say which: ${keys.slice(0, 5).join(', ')}`,
      data: { nearest: keys.slice(0, 5) },
    });
  }
  return bare[0];
}

function noTool(snapshot: Snapshot, principal: Principal, server: string | undefined, tool: string): GatewayError {
  const candidates = visibleTools(snapshot, principal).filter((item) => server === undefined || item.server === server);
  const names = nearest(tool, new Set(candidates.map((item) => item.name)));
  const near = candidates
    .filter((item) => names.includes(item.name))
    .map((item) => item.key)
    .slice(0, 3);
  const where = server === undefined ? '' : ` on server "${server}"`;
  return new GatewayError('TOOL_NOT_FOUND', `There is no tool "${tool}"${where}.`, {
    hint: didYouMean(near),
    data: { nearest: near },
  });
}
