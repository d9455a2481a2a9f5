/** `tool_info`: what one tool is and takes, briefly or in full. */

import type { Principal } from '../../access/access.ts';
import { firstSentence } from '../../base/text.ts';
import { signatureOf } from '../../caller/caller.ts';
import type { EndpointContext } from '../endpoint.ts';
import { resolveTool, type ToolAddress } from '../resolve-tool.ts';
import { answer, type MetaTool, readOnly } from './meta-tool.ts';

export const toolInfoTool: MetaTool = {
  name: 'tool_info',
  define: () => ({
    name: 'tool_info',
    title: 'Describe a tool',
    description: 'What a tool does and which parameters it takes. "full" gives its whole definition with the schemas.',
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
  return { ...head, category: context.search.categoryOf(tool), fingerprint, definition };
}
