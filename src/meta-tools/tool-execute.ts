/** `tool_execute`: calls the tool that was found; the result is the tool's own. */

import { GatewayError } from '../base/errors.ts';
import { isObject, parseJson } from '../base/json.ts';
import type { RequestSender } from '../caller/caller.ts';
import type { Params, Result } from '../protocol/messages.ts';
import {
  type AdviceLayer,
  awaitTool,
  type CallOptions,
  executeCall,
  makeAdvisor,
  type ToolAddress,
  type Uses,
} from '../tools/tools.ts';
import { loadHint, type MetaTool, type MetaToolRequest } from './meta-tool.ts';

/** The layers that a call needs. */
export type ExecuteLayer = AdviceLayer | 'caller' | 'clock';

export const toolExecute: MetaTool<ExecuteLayer> = {
  name: 'tool_execute',
  kind: 'execute',
  auditedAs: 'execution',
  define: () => ({
    name: 'tool_execute',
    description: 'Use it when you have a toolKey: runs that one tool with its arguments and gives its own result.',
    inputSchema: {
      type: 'object',
      properties: {
        toolKey: { type: 'string', description: '"server:tool", from tool_discovery.' },
        arguments: { type: 'object' },
        includeFallbacks: { type: 'boolean', default: true },
      },
      required: ['toolKey'],
    },
    _meta: loadHint,
  }),
  run: (request) => runToolExecute(request),
};

/** `name` is what the agent called it by. */
export function runToolExecute(
  { layers, principal, agent, args, params, surface }: MetaToolRequest<ExecuteLayer>,
  name = toolExecute.name,
): Promise<Result> {
  // An agent that calls it has it, even where it is not listed.
  const options = { way: 'execute', reader: surface === 'code' ? 'code' : 'search' } as const;
  const advisor = args.includeFallbacks === false ? null : makeAdvisor(layers, options);
  const call = { ...params, arguments: givenArguments(args, name) };
  return executeTool(layers, args, call, { principal, agent }, { ...options, advisor });
}

/** Those for the tool that is to be called. Some models write them as JSON in a string; that is clear enough to act on. */
export function givenArguments(
  args: Readonly<Record<string, unknown>>,
  name = toolExecute.name,
): Record<string, unknown> {
  const given = args.arguments ?? refuseOthers(args, name);
  const parsed = typeof given === 'string' ? parseText(given) : given;
  if (isObject(parsed)) return parsed;
  throw new GatewayError('ARGUMENTS_INVALID', `The "arguments" of ${name} must be an object.`);
}

const known: readonly string[] = ['toolKey', 'server', 'tool', 'arguments', 'includeFallbacks'];

/** Without arguments, anything else that was given may have been meant to be them: a call without them could do something else. */
function refuseOthers(args: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  const [other] = Object.keys(args).filter((member) => !known.includes(member));
  if (other === undefined) return {};
  const message = `${name} has no parameter "${other}"; the arguments of the tool go into "arguments", as an object.`;
  const address = name === toolExecute.name ? 'toolKey' : 'server, tool';
  throw new GatewayError('ARGUMENTS_INVALID', message, { hint: `It takes: ${address}, arguments?, includeFallbacks?` });
}

/** Calls the tool at an address with the parameters of a `tools/call`. */
export async function executeTool(
  layers: Uses<ExecuteLayer>,
  address: ToolAddress,
  params: Params,
  sender: RequestSender,
  options: CallOptions,
): Promise<Result> {
  const entry = await awaitTool(layers, sender.principal, address);
  return executeCall(layers, entry, params, sender, options);
}

function parseText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
