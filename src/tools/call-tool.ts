/** Makes calls of tools: the one place that builds a `Call`, and the advisor that knows other tools when one has failed. */

import { authorize, type Principal } from '../access/access.ts';
import { type ErrorCode, GatewayError } from '../base/errors.ts';
import { fingerprintOf } from '../base/ids.ts';
import { isObject } from '../base/json.ts';
import {
  type Advisor,
  type AlternativeTool,
  type Call,
  type CallWay,
  type Reader,
  type RequestSender,
  type Standing,
  timeoutFor,
} from '../caller/caller.ts';
import type { Entry } from '../catalog/catalog.ts';
import { type Config, limits } from '../config/config.ts';
import { sourceOf } from '../downstream/downstream.ts';
import type { Params, Result } from '../protocol/messages.ts';
import { effectOf, onlyReads } from '../search/search.ts';
import type { AdviceLayer, Uses } from './layers.ts';
import { metricsOf } from './tool-metrics.ts';
import { canSee, countVisible, searchViewOf } from './view.ts';

/** How calls come in at one door, and how that door speaks of other tools. */
export interface CallOptions {
  readonly way: CallWay;
  readonly reader: Reader;
  readonly advisor: Advisor | null;
  /** Set where whoever asks may approve calls, and approves this one. */
  readonly isApproved?: boolean | undefined;
  /** True to store a large result and answer with its beginning, where the way of the call does not say so anyway. */
  readonly isShaped?: boolean | undefined;
}

/** A request of an agent, whatever carried it here. */
export interface EndpointRequest extends RequestSender {
  readonly method: string;
  readonly params: Params;
}

export function executeCall(
  layers: Uses<'catalog' | 'caller' | 'access' | 'search' | 'config'>,
  entry: Entry,
  params: Params,
  sender: RequestSender,
  options: CallOptions,
): Promise<Result> {
  return layers.caller.execute(makeCall(layers, entry, params, sender, options));
}

/** Ways whose agents read a result into their own context; the others want all of it. */
const shapedWays: ReadonlySet<CallWay> = new Set<CallWay>(['execute', 'direct', 'server']);

/** Programs read results into a memory of their own, which must have room for several. */
const programShare = 1 / 8;

function mostBytes(way: CallWay, { calls, chains }: Config): number | null {
  if (way === 'chain') return Math.min(limits.chainValueBytes, Math.floor(chains.memoryMb * 2 ** 20 * programShare));
  return shapedWays.has(way) ? calls.maxResultBytes : null;
}

/** Ways by which a tool is called under the name that it is listed with, and the readers to whom tools are listed. */
const listingWays: ReadonlySet<CallWay> = new Set<CallWay>(['direct', 'server']);
const listingReaders: ReadonlySet<Reader> = new Set<Reader>(['direct', 'server']);

/** `params` are those of `tools/call`; the name in them is replaced by the server's own. */
export function makeCall(
  layers: Uses<'catalog' | 'access' | 'search' | 'config'>,
  entry: Entry,
  params: Params,
  { principal, agent }: RequestSender,
  { way, reader, advisor, isApproved, isShaped }: CallOptions,
): Call {
  const server = layers.catalog.snapshot.servers.get(entry.server);
  if (!server) throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${entry.server}".`);
  const { spec } = server;
  const config = layers.config();
  return {
    principal,
    server: entry.server,
    tool: entry.serverName,
    key: entry.key,
    definition: entry.definition,
    fingerprint: entry.fingerprint,
    isRenewed: layers.catalog.pins.isRenewed(entry.server, entry.serverName),
    permission: authorize(principal, spec, entry.serverName),
    // As it is now: an entry may have been found a while ago.
    hold: (layers.catalog.snapshot.tools.get(entry.key) ?? entry).hold,
    standing: () => standingOf(layers, principal, entry),
    isApproved,
    params: { ...params, name: entry.serverName },
    timeoutMs: timeoutFor(config, spec),
    agent,
    way,
    reader,
    cacheTtlMs: way === 'plain' ? 0 : spec.cacheTtlMs,
    serverIdentity: spec.cacheTtlMs === 0 ? '' : JSON.stringify(spec.transport),
    isPerSession: spec.perSession,
    maxResultBytes: isShaped ? config.calls.maxResultBytes : mostBytes(way, config),
    // Where the tool is listed with its output schema, agents check the answer against it.
    keepsStructured: listingReaders.has(reader) && listingWays.has(way) && isObject(entry.definition.outputSchema),
    query: layers.search.queryBehind(agent.session, entry.key),
    advisor,
  };
}

const gone: Standing = { permission: 'deny', hold: undefined, definition: {}, fingerprint: '', identity: '' };

function standingOf(
  { access, catalog }: Uses<'access' | 'catalog'>,
  principal: Principal,
  { key, server: name }: Pick<Entry, 'key' | 'server'>,
): Standing {
  const current = access.renew(principal);
  const tool = catalog.snapshot.tools.get(key);
  const spec = catalog.snapshot.servers.get(name)?.spec;
  if (!current || !tool || !spec) return gone;
  return {
    permission: authorize(current, spec, tool.serverName),
    hold: tool.hold,
    definition: tool.definition,
    fingerprint: tool.fingerprint,
    // Another server under the same name is not what was looked at, even if it says the same of itself.
    identity: fingerprintOf([sourceOf(spec), tool.fingerprint]),
  };
}

interface AdvisorOptions extends Omit<CallOptions, 'advisor'> {
  /** How agents at this door call a tool; by its key, if left out. */
  readonly nameOf?: ((toolKey: string) => string) | undefined;
  /** Set where no other server is to be had. */
  readonly onlyServer?: string | undefined;
}

export function makeAdvisor(layers: Uses<AdviceLayer>, options: AdvisorOptions): Advisor {
  const { way, reader, nameOf = (key) => key, onlyServer } = options;
  return {
    nameOf,
    alternatives: async (call, errorType) => {
      const args = isObject(call.params.arguments) ? call.params.arguments : {};
      const failed = { toolKey: call.key, args, errorType, onlyServer };
      return findAlternatives(layers, call.principal, failed, layers.config().calls.maxFallbacks);
    },
    retry: (call, alternative) => {
      const entry = layers.catalog.snapshot.tools.get(alternative.toolKey);
      const isSafe = onlyReads(effectOf(call.definition)) && entry && onlyReads(effectOf(entry.definition));
      // Another account answers a different question.
      if (!isSafe || alternative.otherAccount || !takesAll(alternative, call.params.arguments)) return undefined;
      const params = { arguments: alternative.arguments };
      const { principal, agent } = call;
      const next = makeCall(layers, entry, params, { principal, agent }, { way, reader, advisor: null });
      // Never retry with a tool that needs approval, even if an earlier call was approved.
      return next.permission === 'allow' ? next : undefined;
    },
  };
}

/** True if it needs nothing more than the failed call had, and leaves out nothing of that, such as a filter. */
function takesAll({ arguments: mapped, missing = [] }: AlternativeTool, given: unknown): boolean {
  if (mapped === undefined || missing.length > 0) return false;
  return Object.keys(mapped).length === Object.keys(isObject(given) ? given : {}).length;
}

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
