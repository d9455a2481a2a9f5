/** `call_tool_chain`: many calls in one program, so that what lies between them never reaches the agent. */

import { answerChain, type ProgramLayer } from '../programs/programs.ts';
import { loadHint, type MetaTool } from './meta-tool.ts';

export const callToolChain: MetaTool<ProgramLayer> = {
  name: 'call_tool_chain',
  kind: 'chain',
  auditedAs: 'execution',
  isListed: (layers) => layers.config().chains.enabled,
  define: () => ({
    name: 'call_tool_chain',
    title: 'Run a program of tool calls',
    description:
      'Use it for several calls in one, or to do the same for many items: a JavaScript or TypeScript program that calls tools for every file, row or page, joins, filters, counts. `await servers.SERVER.TOOL({…})` gives data; also search("need"), info("server:tool"), types("server"), keep(value), load(address). Only what you `return` comes back.',
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        timeoutMs: { type: 'integer' },
        maxOutputBytes: { type: 'integer' },
      },
      required: ['code'],
    },
    _meta: loadHint,
  }),
  run: ({ layers, principal, agent, args }) => answerChain(layers, args, { principal, agent }),
};
