/** `get_tool_metrics` and, for owners, `reset_tool_metrics`: how often tools were called, how it went and how long it took. */

import { z } from 'zod';
import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { ToolMetrics } from '../metrics/metrics.ts';
import {
  answer,
  badArguments,
  clamped,
  describeMetrics,
  fitRows,
  keysNamed,
  knownScope,
  mayHear,
  readToolArguments,
  roomBeside,
  type Uses,
} from '../tools/tools.ts';
import { type MetaTool, readOnly } from './meta-tool.ts';

/** A rate of few calls says little. */
const usualMinCalls = 5;
const mostTools = 100;

export const metricsQuery = z.strictObject({
  server: z.string().min(1).optional(),
  tool: z.string().min(1).optional(),
  top: z.number().int().min(1).max(mostTools).optional(),
  minCalls: z.number().int().min(0).optional(),
  failingBelow: z.number().min(0).max(1).optional(),
});

const agentQuery = metricsQuery.extend({ top: clamped(1, mostTools).optional() });

type MetricsQuery = z.infer<typeof metricsQuery>;

export const getToolMetrics: MetaTool<'catalog' | 'metrics' | 'config'> = {
  name: 'get_tool_metrics',
  kind: 'other',
  auditedAs: 'discovery',
  define: () => ({
    name: 'get_tool_metrics',
    description:
      'Calls, success rate, failures by kind and latency of tools. "top": the most reliable; "failingBelow": those below a success rate.',
    inputSchema: {
      type: 'object',
      properties: {
        server: { type: 'string' },
        tool: { type: 'string' },
        top: { type: 'integer', minimum: 1, maximum: mostTools },
        minCalls: { type: 'integer', minimum: 0, default: usualMinCalls },
        failingBelow: { type: 'number', minimum: 0, maximum: 1 },
      },
    },
    annotations: readOnly,
  }),
  async run({ layers, principal, args }) {
    const { tools, ...others } = listMetrics(
      layers,
      principal,
      readToolArguments('get_tool_metrics', agentQuery, args),
    );
    const brief = tools.map(({ toolKey, callCount, successRate }) => ({ toolKey, callCount, successRate }));
    const { rows, wholeCount } = fitRows([tools, brief], roomBeside(layers, others));
    const notice = `Only ${wholeCount} of ${tools.length} tools are shown with all figures; ask for one "server" or "tool".`;
    return answer({ tools: rows, ...others, ...(wholeCount < tools.length && { notice }) });
  },
};

/** Figures of the tools that a principal may see. A rate decides only from `minCalls` calls on. */
export function listMetrics(
  layers: Uses<'catalog' | 'metrics'>,
  principal: Principal,
  { top, minCalls = usualMinCalls, failingBelow, ...scope }: MetricsQuery,
): { readonly tools: Record<string, unknown>[]; readonly toolCount: number; readonly store: Record<string, unknown> } {
  const { server, tool } = knownScope(layers, principal, scope);
  // Without its server, a name may be an alias here and a tool's own there.
  const keys = server === undefined && tool !== undefined ? keysNamed(layers, principal, tool) : undefined;
  const isMeant = (known: ToolMetrics) => keys === undefined || known.tool === tool || keys.has(known.toolKey);
  const isRanked = top !== undefined || failingBelow !== undefined;
  const all = layers.metrics
    .query({
      server,
      tool: keys === undefined ? tool : undefined,
      minCalls: isRanked ? minCalls : undefined,
      failingBelow,
      by: top === undefined ? undefined : 'reliability',
    })
    .filter((known) => isMeant(known) && mayHear(layers, principal, known));
  const { queued, dropped } = layers.metrics.status;
  return {
    tools: all.slice(0, top ?? mostTools).map((known) => describeMetrics(known, principal)),
    toolCount: all.length,
    store: { waitingRows: queued, lostRows: dropped },
  };
}

export const resetToolMetrics: MetaTool<'catalog' | 'metrics'> = {
  name: 'reset_tool_metrics',
  kind: 'other',
  auditedAs: 'administration',
  isListed: (_context, { scopes }) => scopes.has('admin'),
  define: () => ({
    name: 'reset_tool_metrics',
    description: 'Delete the metrics of a tool, of a server, or of everything.',
    inputSchema: { type: 'object', properties: { server: { type: 'string' }, tool: { type: 'string' } } },
    annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
  }),
  async run({ layers, principal, args: { server, tool } }) {
    if (!principal.scopes.has('admin'))
      throw new GatewayError('ACCESS_DENIED', 'Only an owner can reset metrics: use a token with the scope "admin".');
    if ((server !== undefined && typeof server !== 'string') || (tool !== undefined && typeof tool !== 'string'))
      throw badArguments('reset_tool_metrics', '"server" and "tool" must be texts');
    if (tool !== undefined && server === undefined)
      throw badArguments('reset_tool_metrics', '"tool" needs "server" beside it');
    return answer({ removed: await layers.metrics.reset(knownScope(layers, principal, { server, tool })) });
  },
};
