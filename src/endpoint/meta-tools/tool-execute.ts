/** `tool_execute`: calls the tool that was found; the result is the tool's own. */

import type { Principal } from '../../access/access.ts';
import { GatewayError } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import type { Entry } from '../../catalog/catalog.ts';
import { limits } from '../../config/config.ts';
import type { Params, Result } from '../../protocol/messages.ts';
import { makeAdvisor } from '../advisor.ts';
import { type Asker, executeCall, type Manner } from '../call-tool.ts';
import type { EndpointContext } from '../endpoint.ts';
import { resolveTool, type ToolAddress } from '../resolve-tool.ts';
import { isVisible } from '../visible.ts';
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
  // What the tool gives has its size already.
  isBounded: true,
  run: ({ context, principal, agent, args, params }) => {
    const place = { way: 'execute', reader: 'search' } as const;
    const advisor = args.includeFallbacks === false ? null : makeAdvisor(context, place);
    const call = { ...params, arguments: givenArguments(args) };
    return executeTool(context, args, call, { principal, agent }, { ...place, advisor });
  },
};

/** Those for the tool that is to be called. Some models write them as JSON in a string; that is clear enough to act on. */
export function givenArguments(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = args.arguments ?? refuseOthers(args);
  const parsed = typeof given === 'string' ? parseText(given) : given;
  if (isObject(parsed)) return parsed;
  throw new GatewayError('ARGUMENTS_INVALID', 'The "arguments" of tool_execute must be an object.');
}

const known: readonly string[] = ['toolKey', 'server', 'tool', 'arguments', 'includeFallbacks'];

/** Without arguments, anything else that was given may have been meant to be them: a call without them could do something else. */
function refuseOthers(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const [other] = Object.keys(args).filter((name) => !known.includes(name));
  if (other === undefined) return {};
  const message = `tool_execute has no parameter "${other}"; the arguments of the tool go into "arguments", as an object.`;
  throw new GatewayError('ARGUMENTS_INVALID', message, { hint: 'It takes: toolKey, arguments?, includeFallbacks?' });
}

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
    await explainUnlisted(context, principal, address);
    return resolveTool(context, principal, address);
  }
}

/** A server that could never be listed has no tools to name: then its own trouble is the answer, where it may be known of. */
async function explainUnlisted(context: EndpointContext, principal: Principal, address: ToolAddress): Promise<void> {
  const name = typeof address.server === 'string' ? address.server : String(address.toolKey ?? '').split(':', 1)[0];
  const server = context.catalog.snapshot.servers.get(name ?? '');
  if (server && isVisible(server, principal) && server.listedAt === null)
    await context.catalog.refresh(server.spec.name);
}

function parseText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
