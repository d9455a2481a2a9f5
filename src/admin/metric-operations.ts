/** Operations on what was measured: figures of tools, their trend, and what was called after what. They are about the whole machine, not one project. */

import { z } from 'zod';
import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { listMetrics, metricsQuery } from '../meta-tools/meta-tools.ts';
import {
  type DayMetrics,
  type OutcomeKind,
  type QueryMetrics,
  type SequenceMetrics,
  type SuggestionMetrics,
  seriesSpans,
  type ToolMetrics,
} from '../metrics/metrics.ts';
import { type DescribedFigures, describeFigures, knownScope, type MetricScope } from '../tools/tools.ts';
import { type AdminContext, operation } from './operation.ts';

export type FailureKind = Exclude<OutcomeKind, 'ok'>;

/** Everything that is measured of one tool. */
export interface ToolFigures extends DescribedFigures {
  readonly toolKey: string;
  readonly lastCalledAt: string | null;
  readonly lastOkAt: string | null;
  readonly failuresInARow: number;
  readonly lastError: { readonly at: string; readonly errorType: string | null; readonly message: string } | null;
}

export interface MetricsList {
  readonly tools: readonly ToolFigures[];
  /** There may be more than are listed. */
  readonly toolCount: number;
  readonly store: { readonly waitingRows: number; readonly lostRows: number };
}

/** Calls of all tools of one server. */
export interface ServerCalls {
  readonly server: string;
  readonly callCount: number;
  /** Calls that the tool or its server is to blame for. */
  readonly failureCount: number;
}

/** Everything that is measured of one step of time. */
export interface StepFigures extends DescribedFigures {
  /** ISO 8601, in UTC. */
  readonly start: string;
}

export interface MetricSeries {
  /** The oldest first, also those without calls; the last one is still going on. */
  readonly steps: readonly StepFigures[];
  /** False: there were more calls than are looked at, and the first steps lack some. */
  readonly isComplete: boolean;
}

export interface UsedTool {
  readonly toolKey: string;
  readonly callCount: number;
  readonly successRate: number | null;
  readonly lastError: string | null;
}

export interface UsageOverview {
  /** The most used first. */
  readonly topTools: readonly UsedTool[];
  /** The worst first. */
  readonly failingTools: readonly UsedTool[];
  readonly sequences: readonly SequenceMetrics[];
  readonly queries: readonly QueryMetrics[];
  readonly suggestions: readonly SuggestionMetrics[];
}

/** A tool fails when fewer calls than this succeed, judged by no fewer calls than that. */
const failing = { failingBelow: 0.5, minCalls: 5 };

const days = z.number().int().min(1).max(365).default(7);
const limit = z.number().int().min(1).max(100).default(10);
const scope = { server: z.string().min(1).optional(), tool: z.string().min(1).optional() };

export const metricOperations = {
  'metrics.tools': operation({
    summary: 'How often tools were called, how it went and how long it took',
    audit: 'none',
    input: metricsQuery,
    async run({ context, input, principal }): Promise<MetricsList> {
      await context.metrics.refresh();
      const found: unknown = listMetrics(context, principal, input);
      // Member by member what the endpoint writes for each tool.
      return found as MetricsList;
    },
  }),
  'metrics.servers': operation({
    summary: 'How often the tools of each server were called, and how often that failed',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context: { metrics } }): Promise<ServerCalls[]> {
      await metrics.refresh();
      const byServer = Map.groupBy(metrics.query({}), ({ server }) => server);
      return [...byServer].map(([server, tools]) => ({
        server,
        callCount: tools.reduce((sum, tool) => sum + tool.callCount, 0),
        failureCount: tools.reduce((sum, { outcomes: { tool, server, timeout } }) => sum + tool + server + timeout, 0),
      }));
    },
  }),
  'metrics.days': operation({
    summary: 'The same by day: of one tool, of one server or of all',
    audit: 'none',
    input: z.strictObject({ ...scope, days }),
    async run({ context, input, principal }): Promise<readonly DayMetrics[]> {
      const { server, tool } = wholeScope(context, principal, input);
      return context.metrics.days(tool === undefined ? server : `${server}:${tool}`, input.days);
    },
  }),
  'metrics.series': operation({
    summary: 'Calls, failures and latency over time: the last hour by minute, day by hour or month by day',
    audit: 'none',
    input: z.strictObject({ span: z.enum(seriesSpans), ...scope }),
    async run({ context, input: { span, ...names }, principal }): Promise<MetricSeries> {
      const { steps, isComplete } = await context.metrics.series(wholeScope(context, principal, names), span);
      return { steps: steps.map((step) => ({ start: step.start, ...describeFigures(step) })), isComplete };
    },
  }),
  'metrics.reset': operation({
    summary: 'Delete the metrics of a tool, of a server or of everything',
    input: z.strictObject(scope),
    async run({ context, input, principal }): Promise<{ readonly removed: number }> {
      return { removed: await context.metrics.reset(wholeScope(context, principal, input)) };
    },
  }),
  'usage.overview': operation({
    summary: 'Which tools follow which, after which query, and instead of which; the most used and the failing tools',
    audit: 'none',
    input: z.strictObject({ limit }),
    async run({ context: { metrics }, input }): Promise<UsageOverview> {
      const [sequences, queries, suggestions] = await Promise.all([
        metrics.sequences({ limit: input.limit }),
        metrics.queries({ limit: input.limit }),
        metrics.suggestions({ limit: input.limit }),
        metrics.refresh(),
      ]);
      return {
        topTools: metrics.query({ top: input.limit }).map(briefOf),
        failingTools: metrics.query({ ...failing, top: input.limit }).map(briefOf),
        sequences,
        queries,
        suggestions,
      };
    },
  }),
};

function briefOf({ toolKey, callCount, successRate, lastError }: ToolMetrics): UsedTool {
  return { toolKey, callCount, successRate, lastError: lastError?.message ?? null };
}

function wholeScope(context: AdminContext, principal: Principal, input: MetricScope): MetricScope {
  if (input.tool !== undefined && input.server === undefined)
    throw new GatewayError('USAGE', 'A tool is named without its server.', { hint: 'Name both.' });
  return knownScope(context, principal, input);
}
