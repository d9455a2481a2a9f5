/** `tool_execute`: calls the tool that was found; the result is the tool's own. */

import type { Principal } from '../../access/access.ts';
import { GatewayError } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import type { AgentSide } from '../../caller/caller.ts';
import type { Entry } from '../../catalog/catalog.ts';
import { limits } from '../../config/config.ts';
import { type Params, type Result, RpcError } from '../../protocol/messages.ts';
import { executeCall } from '../call-tool.ts';
import type { EndpointContext } from '../endpoint.ts';
import { resolveTool, type ToolAddress } from '../resolve-tool.ts';
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
  address: ToolAddress,
  params: Params,
): Promise<Result> {
  const entry = await findTool(context, principal, address);
  try {
    return await executeCall(context, entry, params, principal, agent);
  } catch (error) {
    // What a server answers to its own caller needs a name when somebody else reads it.
    if (!(error instanceof RpcError)) throw error;
    throw new GatewayError('TOOL_FAILED', `Tool "${entry.key}" failed: ${error.message}`, { cause: error });
  }
}

/** The tool at an address; where it is not known, first listings that are under way get the chance to bring it. */
async function findTool(context: EndpointContext, principal: Principal, address: ToolAddress): Promise<Entry> {
  try {
    return resolveTool(context.catalog.snapshot, principal, address);
  } catch {
    await context.catalog.settle(limits.listWaitMs);
    await explainUnlisted(context, address);
    return resolveTool(context.catalog.snapshot, principal, address);
  }
}

/** A server that could never be listed has no tools to name: then its own trouble is the answer. */
async function explainUnlisted(context: EndpointContext, address: ToolAddress): Promise<void> {
  const name = typeof address.server === 'string' ? address.server : String(address.toolKey ?? '').split(':', 1)[0];
  const server = context.catalog.snapshot.servers.get(name ?? '');
  if (server?.spec.isEnabled && server.listedAt === null) await context.catalog.refresh(server.spec.name);
}

/** Some models write the arguments as JSON in a string; that is clear enough to act on. */
function parseText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
