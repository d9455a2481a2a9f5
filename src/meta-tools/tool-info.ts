/** `tool_info`: what one tool is and takes, briefly or in full. */

import { signatureOf } from '../arguments/arguments.ts';
import { cutAtWord, givenText } from '../base/text.ts';
import type { Entry } from '../catalog/catalog.ts';
import { ownUri } from '../offers/offers.ts';
import {
  answer,
  awaitTool,
  badArguments,
  type FindLayer,
  fitWhole,
  promotionOf,
  toolInfo,
  wholeBytes,
} from '../tools/tools.ts';
import { type MetaTool, readOnly } from './meta-tool.ts';

export const toolInfoTool: MetaTool<FindLayer> = {
  name: 'tool_info',
  kind: 'describe',
  auditedAs: 'discovery',
  define: () => ({
    name: 'tool_info',
    description:
      'Use it when you are not sure how to call a tool: what it does and which parameters it takes; "full": schemas, figures, alternatives.',
    inputSchema: {
      type: 'object',
      properties: {
        toolKey: { type: 'string', description: '"server:tool"' },
        detail: { type: 'string', enum: ['brief', 'full'], default: 'brief' },
      },
      required: ['toolKey'],
    },
    annotations: readOnly,
  }),
  async run({ layers, principal, args }) {
    const { detail = 'brief' } = args;
    if (detail !== 'brief' && detail !== 'full') throw badArguments('tool_info', '"detail" must be brief or full');
    const tool = await awaitTool(layers, principal, args);
    const info = await toolInfo(layers, principal, { toolKey: tool.key }, detail === 'full');
    const { definition: _, ...rest } = info;
    return answer(fitWhole(layers, [() => info, () => ({ ...rest, ...definitionOutline(tool) })]));
  },
};

/** Characters of a definition that is too large to be given whole. */
const outlined = { description: 1_500, parameters: 3_000 };

/** A definition that is too large for an answer, in short, and where all of it can be read. */
export function definitionOutline(tool: Entry): Record<string, unknown> {
  const { server, name, definition } = tool;
  const { canonicalDescription } = promotionOf(tool);
  const text = givenText(definition.description);
  const uri = ownUri({ kind: 'tool', server, tool: name });
  return {
    description: cutAtWord(text, outlined.description),
    ...(canonicalDescription !== undefined && {
      canonicalDescription: cutAtWord(canonicalDescription, outlined.description),
    }),
    parameters: signatureOf(definition.inputSchema, outlined.parameters),
    definitionBytes: wholeBytes(definition),
    uri,
    notice: `The definition is too large to return whole. Read the resource ${uri}, or the part you need in call_tool_chain: (await info("${server}:${name}")).inputSchema`,
  };
}
