/** `get_tool_alternatives`: which other tools would do in place of one that fails. */

import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { answer, awaitTool, type FindLayer, findAlternatives, fitRows, roomBeside } from '../tools/tools.ts';
import { type MetaTool, readOnly } from './meta-tool.ts';

/** Alternatives that are named at most; behind these hardly any is worth a call. */
const mostNamed = 10;

export const getToolAlternatives: MetaTool<FindLayer> = {
  name: 'get_tool_alternatives',
  kind: 'find',
  auditedAs: 'discovery',
  define: () => ({
    name: 'get_tool_alternatives',
    description:
      'Other tools for the same purpose, best first, none with a stronger side effect. Given arguments are mapped to what they take.',
    inputSchema: {
      type: 'object',
      properties: {
        toolKey: { type: 'string', description: '"server:tool"' },
        arguments: { type: 'object', description: 'The arguments that you would call the tool with.' },
      },
      required: ['toolKey'],
    },
    annotations: readOnly,
  }),
  async run({ layers, principal, args }) {
    const given = args.arguments;
    if (given !== undefined && !isObject(given))
      throw new GatewayError('ARGUMENTS_INVALID', 'The "arguments" of get_tool_alternatives must be an object.');
    const { key } = await awaitTool(layers, principal, args);
    const found = findAlternatives(layers, principal, { toolKey: key, args: given }, mostNamed);
    // Each of them repeats the arguments.
    const brief = found.map(({ toolKey, similarity, reason }) => ({ toolKey, similarity, reason }));
    const { rows } = fitRows([found.map((row) => ({ ...row })), brief], roomBeside(layers, { toolKey: key }));
    return answer({ toolKey: key, alternatives: rows });
  },
};
