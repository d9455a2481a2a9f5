/** `tool_execute`: calls the tool that was found; the result is the tool's own. */

import type { Principal } from '../../access/access.ts';
import { GatewayError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import type { AgentSide } from '../../caller/caller.ts';
import { type Params, type Result, RpcError } from '../../protocol/messages.ts';
import { makeCall } from '../call-tool.ts';
import type { EndpointContext } from '../endpoint.ts';
import { resolveTool } from '../resolve-tool.ts';
import { loadHint, type MetaTool } from './meta-tool.ts';

export const toolExecute: MetaTool = {
  name: 'tool_execute',
  define: () => ({
    name: 'tool_execute',
    title: 'Call a tool',
    description:
      'Call a tool by its toolKey ("server:tool"), with its arguments as an object. The result is the tool\'s own.',
    inputSchema: {
      type: 'object',
      properties: {
        toolKey: { type: 'string', description: 'From tool_discovery, e.g. "github:create_issue".' },
        arguments: { type: 'object', description: "The tool's arguments." },
        includeFallbacks: { type: 'boolean', default: true },
      },
      required: ['toolKey'],
    },
    annotations: { title: 'Call a tool', openWorldHint: true },
    _meta: loadHint,
  }),
  run: ({ context, principal, agent, args, params }) => {
    const given = args.arguments ?? {};
    const parsed = typeof given === 'string' ? parseText(given) : given;
    if (!isObject(parsed))
      throw new GatewayError('ARGUMENTS_INVALID', 'The "arguments" of tool_execute must be an object.');
    return executeTool(context, principal, agent, args, { ...params, arguments: parsed });
  },
};

/** Calls the tool at an address with the parameters of a `tools/call`. */
export async function executeTool(
  context: EndpointContext,
  principal: Principal,
  agent: AgentSide,
  address: { readonly toolKey?: unknown; readonly server?: unknown; readonly tool?: unknown },
  params: Params,
): Promise<Result> {
  const entry = resolveTool(context.catalog.snapshot, principal, address);
  try {
    return await context.caller.execute(makeCall(context, entry, params, principal, agent));
  } catch (error) {
    // What a server answers to its own caller needs a name when somebody else reads it.
    if (!(error instanceof RpcError)) throw error;
    throw new GatewayError('TOOL_FAILED', `Tool "${entry.key}" failed: ${error.message}`, { cause: error });
  }
}

/** Some models write the arguments as JSON in a string; that is clear enough to act on. */
function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
