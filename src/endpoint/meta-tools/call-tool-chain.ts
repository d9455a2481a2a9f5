/** `call_tool_chain`: many calls in one program, so that what lies between them never reaches the agent. */

import { answerChain } from '../chain/answer-chain.ts';
import { loadHint, type MetaTool } from './meta-tool.ts';

const title = 'Run a program of tool calls';

export const callToolChain: MetaTool = {
  name: 'call_tool_chain',
  isListed: (context) => context.config().chains.enabled,
  define: () => ({
    name: 'call_tool_chain',
    title,
    description:
      'Run JavaScript or TypeScript that calls tools: for several calls, loops, filters, joins, or large results you need not read. `await servers.SERVER.TOOL({…})` gives data; also search("need"), info("server:tool"), types("server"). Only what you `return` comes back.',
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        timeoutMs: { type: 'integer' },
        maxOutputBytes: { type: 'integer' },
      },
      required: ['code'],
    },
    annotations: { title, openWorldHint: true },
    _meta: loadHint,
  }),
  // It keeps to a limit of its own.
  isBounded: true,
  run: ({ context, principal, agent, args }) => answerChain(context, args, { principal, agent }),
};
