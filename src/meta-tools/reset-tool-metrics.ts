/** `reset_tool_metrics`: forgets what was measured, of one tool, one server or all; for owners. */

import { GatewayError } from '../base/errors.ts';
import { answer, badArguments, knownScope } from '../tools/tools.ts';
import type { MetaTool } from './meta-tool.ts';

export const resetToolMetrics: MetaTool<'catalog' | 'metrics'> = {
  name: 'reset_tool_metrics',
  kind: 'other',
  act: 'administration',
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
