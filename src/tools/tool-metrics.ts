/** Figures on past calls of a tool, as agents and owners see them, and the tools that a name means there. */

import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { Entry, ServerEntry } from '../catalog/catalog.ts';
import type { CallFigures, OutcomeKind, ToolMetrics } from '../metrics/metrics.ts';
import type { Uses } from './layers.ts';
import { didYouMean } from './resolve-tool.ts';
import { canSee, isVisible, visibleTools } from './view.ts';

type LastError = NonNullable<ToolMetrics['lastError']>;

/** An alias counts as the tool that it stands for. */
export function metricsOf({ metrics }: Uses<'metrics'>, tool: Entry): ToolMetrics | undefined {
  return metrics.of(`${tool.server}:${tool.serverName}`);
}

/** For a search answer: nothing before the first call, or where the owner does not want it. */
export function briefMetrics(layers: Uses<'metrics' | 'config'>, tool: Entry): Record<string, unknown> {
  const known = layers.config().calls.includeMetrics ? metricsOf(layers, tool) : undefined;
  if (!known) return {};
  const { successRate, avgLatencyMs, callCount } = known;
  return { metrics: { successRate: rounded(successRate, 2), avgLatencyMs: rounded(avgLatencyMs, 0), callCount } };
}

/** Everything that is measured, in the words of the contract; what a failed call said may be somebody else's, and is for the owner alone. */
export function describeMetrics(known: ToolMetrics, principal: Principal): Record<string, unknown> {
  return {
    toolKey: known.toolKey,
    ...describeFigures(known),
    lastCalledAt: time(known.lastCalledAt),
    lastOkAt: time(known.lastOkAt),
    failuresInARow: known.failuresInARow,
    lastError: known.lastError && describeError(known.lastError, principal),
  };
}

export interface DescribedFigures {
  readonly callCount: number;
  readonly successCount: number;
  readonly failures: Readonly<Record<Exclude<OutcomeKind, 'ok'>, number>>;
  readonly cachedCount: number;
  readonly successRate: number | null;
  readonly latencyMs: Readonly<Record<'avg' | 'p50' | 'p95' | 'p99', number | null>>;
}

/** The figures of any calls. */
export function describeFigures(known: CallFigures): DescribedFigures {
  const { ok, ...failures } = known.outcomes;
  return {
    callCount: known.callCount,
    successCount: ok,
    failures,
    cachedCount: known.cachedCount,
    successRate: rounded(known.successRate, 4),
    latencyMs: {
      avg: rounded(known.avgLatencyMs, 1),
      p50: rounded(known.p50Ms, 1),
      p95: rounded(known.p95Ms, 1),
      p99: rounded(known.p99Ms, 1),
    },
  };
}

function describeError({ at, errorType, message }: LastError, { scopes }: Principal): Record<string, unknown> {
  return { at: time(at), errorType, ...(scopes.has('admin') && { message }) };
}

/** True if a principal may hear of the figures of a tool: those of tools that are gone are for the owner alone. */
export function mayHear({ catalog }: Uses<'catalog'>, principal: Principal, { server, tool }: ToolMetrics): boolean {
  if (principal.scopes.has('admin')) return true;
  const { snapshot } = catalog;
  const entry = snapshot.tools.get(`${server}:${tool}`);
  return entry !== undefined && canSee(snapshot, principal, entry);
}

function rounded(value: number | null, digits: number): number | null {
  return value === null ? null : Number(value.toFixed(digits));
}

function time(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

export interface MetricScope {
  readonly server?: string | undefined;
  /** The server's own name for it, or an alias. */
  readonly tool?: string | undefined;
}

/**
 * The scope in the servers' own names: an alias counts as the tool that it stands for. Throws for a name that neither the
 * catalog nor the metrics know, as far as the principal may hear of them.
 */
export function knownScope(
  layers: Uses<'catalog' | 'metrics'>,
  principal: Principal,
  { server, tool }: MetricScope,
): MetricScope {
  if (server === undefined) return { server, tool };
  const view = knownServer(layers, principal, server);
  if (!view.entry && view.measured.length === 0) {
    const near = nearest(server, namesOfServers(layers, principal));
    throw unknown(principal, 'SERVER_NOT_FOUND', `There is no server "${server}", and no metrics of one.`, near);
  }
  if (tool === undefined) return { server };
  const offered = view.tools.find((item) => item.name === tool);
  if (offered) return { server, tool: offered.serverName };
  if (view.mayHave(tool) || view.measured.includes(tool)) return { server, tool };
  const near = nearest(tool, new Set([...view.tools.map((item) => item.name), ...view.measured]));
  const keys = near.map((name) => `${server}:${name}`);
  const what = `There is no tool "${tool}" on server "${server}", and no metrics of one.`;
  throw unknown(principal, 'TOOL_NOT_FOUND', what, keys);
}

/** The keys under which the tools with this name are measured, on whichever server. */
export function keysNamed({ catalog }: Uses<'catalog'>, principal: Principal, name: string): Set<string> {
  const named = visibleTools(catalog.snapshot, principal).filter((tool) => tool.name === name);
  return new Set(named.map((tool) => `${tool.server}:${tool.serverName}`));
}

/** A server as a principal may know it; an owner knows everything, also of disabled or removed servers. */
interface KnownServer {
  readonly entry: ServerEntry | undefined;
  readonly tools: readonly Entry[];
  /** Names of tools. */
  readonly measured: readonly string[];
  /** True if it may have a tool that is not listed. */
  mayHave(tool: string): boolean;
}

function knownServer(layers: Uses<'catalog' | 'metrics'>, principal: Principal, server: string): KnownServer {
  const { snapshot } = layers.catalog;
  const isOwner = principal.scopes.has('admin');
  const found = snapshot.servers.get(server);
  const entry = found && (isOwner || isVisible(found, principal)) ? found : undefined;
  const measured = layers.metrics.query({ server }).filter((known) => mayHear(layers, principal, known));
  return {
    entry,
    tools: (entry?.tools ?? []).filter((tool) => isOwner || canSee(snapshot, principal, tool)),
    measured: measured.map((known) => known.tool),
    // Of a server that was never listed, nobody knows the tools.
    mayHave: (tool) => entry?.listedAt === null || (isOwner && entry?.hiddenTools.has(tool) === true),
  };
}

function namesOfServers(layers: Uses<'catalog' | 'metrics'>, principal: Principal): Set<string> {
  const isOwner = principal.scopes.has('admin');
  const there = [...layers.catalog.snapshot.servers.values()].filter((item) => isOwner || isVisible(item, principal));
  const measured = layers.metrics.query({}).filter((known) => mayHear(layers, principal, known));
  return new Set([...there.map(({ spec }) => spec.name), ...measured.map((known) => known.server)]);
}

function unknown(
  { scopes }: Principal,
  code: 'SERVER_NOT_FOUND' | 'TOOL_NOT_FOUND',
  message: string,
  near: readonly string[],
): GatewayError {
  const overview = scopes.has('admin') ? '"toolcrib metrics" shows all metrics.' : undefined;
  return new GatewayError(code, message, { hint: didYouMean(near) ?? overview, data: { nearest: near } });
}
