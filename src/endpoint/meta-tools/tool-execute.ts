/** `tool_execute`: calls the tool that was found; the result is the tool's own. */

import { GatewayError } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import type { Entry } from '../../catalog/catalog.ts';
import { limits } from '../../config/config.ts';
import type { Params, Result } from '../../protocol/messages.ts';
import { makeAdvisor } from '../advisor.ts';
import { type Asker, executeCall, type Manner } from '../call-tool.ts';
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
    const place = { way: 'execute', reader: 'search' } as const;
    const advisor = args.includeFallbacks === false ? null : makeAdvisor(context, place);
    return executeTool(context, args, { ...params, arguments: parsed }, { principal, agent }, { ...place, advisor });
  },
};

/** Calls the tool at an address with the parameters of a `tools/call`. */
export async function executeTool(
  context: EndpointContext,
  address: ToolAddress,
  params: Params,
  asker: Asker,
  manner: Manner,
): Promise<Result> {
  const entry = await findTool(context, asker, address);
  return executeCall(context, entry, params, asker, manner);
}

/** The tool at an address; where it is not known, first listings that are under way get the chance to bring it. */
async function findTool(context: EndpointContext, { principal }: Asker, address: ToolAddress): Promise<Entry> {
  try {
    return resolveTool(context, principal, address);
  } catch {
    await context.catalog.settle(limits.listWaitMs);
    await explainUnlisted(context, address);
    return resolveTool(context, principal, address);
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
