/** The cost of the gateway in a request of the agent to its model, in tokens as a model with the o200k vocabulary counts them. */

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { type ModelRequest, messageText, textOf } from './model-wire.ts';

export interface RequestCost {
  /** Definitions of the gateway's tools, as the agent passes them on. */
  readonly definitions: number;
  /** Names of tools that the agent only mentions. */
  readonly names: number;
  /** The gateway's own instructions. */
  readonly instructions: number;
  /** The whole request, with all that is the agent's own. */
  readonly whole: number;
}

export function costOf(request: ModelRequest, server: string): RequestCost {
  const prefix = `mcp__${server}__`;
  const tools = request.tools.filter((tool) => tool.name.startsWith(prefix));
  const text = `${textOf(request.system)}\n${messageText(request)}`;
  const mentioned = text.split('\n').filter((line) => line.startsWith(prefix));
  // The agent puts them under a heading with the name that it has for the gateway, and an empty line behind.
  const [, instructions = ''] = new RegExp(`^## ${server}\\n([^]*?)(?=\\n\\n|$(?![^]))`, 'm').exec(text) ?? [];
  return {
    definitions: tools.length === 0 ? 0 : countTokens(JSON.stringify(tools)),
    names: mentioned.length === 0 ? 0 : countTokens(mentioned.join('\n')),
    instructions: countTokens(instructions),
    whole: countTokens(JSON.stringify(request)),
  };
}
