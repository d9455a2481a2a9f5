/** `tool_info`: what one tool is and takes, briefly or in full. */

import type { Principal } from '../../access/access.ts';
import { firstSentence } from '../../base/text.ts';
import { signatureOf } from '../../caller/caller.ts';
import type { EndpointContext } from '../endpoint.ts';
import { findAlternatives } from '../find-alternatives.ts';
import { resolveTool, type ToolAddress } from '../resolve-tool.ts';
import { describeMetrics, metricsOf } from '../tool-metrics.ts';
import { answer, type MetaTool, readOnly } from './meta-tool.ts';

/** Others for the same purpose that a full description names. */
const alternativesNamed = 3;

export const toolInfoTool: MetaTool = {
  name: 'tool_info',
  define: () => ({
    name: 'tool_info',
    title: 'Describe a tool',
    description:
      'What a tool does and which parameters it takes. "full" gives its whole definition with the schemas, what was measured and alternatives.',
    inputSchema: {
      type: 'object',
      properties: {
        toolKey: { type: 'string', description: '"server:tool"' },
        detail: { type: 'string', enum: ['brief', 'full'], default: 'brief' },
      },
      required: ['toolKey'],
    },
    annotations: { title: 'Describe a tool', ...readOnly },
  }),
  async run({ context, principal, args }) {
    return answer(toolInfo(context, principal, args, args.detail === 'full'));
  },
};

export function toolInfo(
  context: EndpointContext,
  principal: Principal,
  address: ToolAddress,
  isFull: boolean,
): Record<string, unknown> {
  const tool = resolveTool(context, principal, address);
  const { key, server, name, definition, fingerprint } = tool;
  const text = typeof definition.description === 'string' ? definition.description : '';
  const head = { toolKey: key, toolName: name, serverName: server };
  if (!isFull) return { ...head, description: firstSentence(text), parameters: signatureOf(definition.inputSchema) };
  const metrics = metricsOf(context, tool);
  return {
    ...head,
    category: context.search.categoryOf(tool),
    fingerprint,
    definition,
    ...(metrics && { metrics: describeMetrics(metrics, principal) }),
    alternatives: findAlternatives(context, principal, { toolKey: key }, alternativesNamed).map(
      ({ toolKey, similarity, reason }) => ({ toolKey, similarity, reason }),
    ),
  };
}
