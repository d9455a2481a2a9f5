/** What is known of past calls of a tool, as agents and owners are told it. */

import type { Principal } from '../access/access.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { ToolMetrics } from '../metrics/metrics.ts';
import type { Uses } from './layers.ts';
import { canSee } from './visible.ts';

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
  const { toolKey, callCount, outcomes, cachedCount } = known;
  const { ok, ...failures } = outcomes;
  return {
    toolKey,
    callCount,
    successCount: ok,
    failures,
    cachedCount,
    successRate: rounded(known.successRate, 4),
    latencyMs: {
      avg: rounded(known.avgLatencyMs, 1),
      p50: rounded(known.p50Ms, 1),
      p95: rounded(known.p95Ms, 1),
      p99: rounded(known.p99Ms, 1),
    },
    lastCalledAt: time(known.lastCalledAt),
    lastOkAt: time(known.lastOkAt),
    failuresInARow: known.failuresInARow,
    lastError: known.lastError && describeError(known.lastError, principal),
  };
}

function describeError({ at, errorType, message }: LastError, { scopes }: Principal): Record<string, unknown> {
  return { at: time(at), errorType, ...(scopes.has('admin') && { message }) };
}

/** Whether a principal may hear of the figures of a tool: those of tools that are gone are for the owner alone. */
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
