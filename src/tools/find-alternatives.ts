/** Other tools for the purpose of one that failed, for a principal: only what it may see and call right now. */

import { authorize, type Principal } from '../access/access.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { AlternativeTool } from '../caller/caller.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { Uses } from './layers.ts';
import { metricsOf } from './tool-metrics.ts';
import { canSee, countVisible, searchViewOf } from './visible.ts';

interface FailedTool {
  readonly toolKey: string;
  /** Those of the call, to be mapped to what the others take. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly errorType?: ErrorCode | null | undefined;
  /** Set where no other server is to be had. */
  readonly onlyServer?: string | undefined;
}

/** Best first. A tool that the principal may not see has none: they would tell that it is there. */
export function findAlternatives(
  layers: Uses<'catalog' | 'downstream' | 'metrics' | 'search'>,
  principal: Principal,
  { toolKey, args, errorType, onlyServer }: FailedTool,
  limit: number,
): AlternativeTool[] {
  const { snapshot } = layers.catalog;
  const named = snapshot.tools.get(toolKey);
  if (!named || !canSee(snapshot, principal, named)) return [];
  const failed = snapshot.tools.get(ownKeyOf(named)) ?? named;
  const isReachable = reachability(layers);
  const request = {
    failed,
    args,
    errorType,
    limit,
    isCallable: (tool: Entry) => {
      if (onlyServer !== undefined && tool.server !== onlyServer) return false;
      const server = snapshot.servers.get(tool.server);
      // One that needs approval first is no help to an agent that is stuck.
      if (!server || authorize(principal, server.spec, tool.serverName) !== 'allow') return false;
      return isReachable(tool.server) && snapshot.tools.get(tool.key)?.hold === undefined;
    },
    reliabilityOf: (tool: Entry) => metricsOf(layers, tool),
  };
  const found = layers.search.alternatives(
    request,
    countVisible(snapshot, principal),
    searchViewOf(snapshot, principal) ?? undefined,
  );
  return found.map((alternative) => byOwnName(alternative, snapshot.tools.get(alternative.toolKey)));
}

/** A tool may be found by an alias, and is suggested by the name under which its calls are counted. */
function byOwnName(alternative: AlternativeTool, tool: Entry | undefined): AlternativeTool {
  return tool ? { ...alternative, tool: tool.serverName, toolKey: ownKeyOf(tool) } : alternative;
}

function ownKeyOf({ server, serverName }: Entry): string {
  return `${server}:${serverName}`;
}

/** A server that was not needed yet counts as one that can be reached; each is asked once. */
function reachability({ downstream }: Uses<'downstream'>): (server: string) => boolean {
  const known = new Map<string, boolean>();
  return (server) => {
    const before = known.get(server);
    if (before !== undefined) return before;
    const status = downstream.status(server);
    const isReachable = status !== undefined && !unreachable.has(status.state) && status.nextRetryAt === null;
    known.set(server, isReachable);
    return isReachable;
  };
}

const unreachable: ReadonlySet<string> = new Set(['installing', 'failed', 'disabled']);
