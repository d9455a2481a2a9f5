/** An overview of the gateway in the words of the agent's surface: short, because a model reads all of it. */

import { capabilities, type ShownSurface } from '../../tools/tools.ts';
import type { OwnView } from './own-view.ts';

const find =
  'Find: tool_discovery {"query":"what you need"}. Plain words, one need per query; several needs are a list. Nothing fits? Try other words, or tool_capabilities for what there is.';
const execute =
  'Call: tool_execute {"toolKey":"server:tool","arguments":{…}} with a toolKey from the answer. Unsure of the parameters? tool_info {"toolKey":"server:tool"}.';
const chain =
  'Several calls, loops, filters, joins, or results that need not be read: one program with call_tool_chain {"code":"…"}; in it await servers.NAME.TOOL({…}), and return what matters.';
const program =
  'Run: call_tool_chain {"code":"const rows = await servers.NAME.TOOL({…}); return rows.length"}. In it search("…") finds tools, info("server:tool") describes one, types("server") declares all of a server.';
const failing = 'A call that fails says what to do next under RECOVERY and STEPS.';

const ways: Readonly<Record<ShownSurface, readonly string[]>> = {
  search: [find, execute, chain, failing],
  full: [find, execute, chain, failing],
  code: [
    'Find: tool_discovery {"query":"what you need"}. Plain words, one need per query. Nothing fits? Try other words.',
    program,
    failing,
  ],
  direct: [
    'Every tool is in your list of tools; its name begins with the name of its server. If your tools are loaded on demand, look for the server or for what you need.',
    'Call one as you call any tool of yours. If the gateway cannot make a call, its answer says what to do next under RECOVERY and STEPS.',
  ],
};

const readings = [
  'toolcrib://servers: each server and its state. toolcrib://tools: an index of all tools.',
  'toolcrib://server/{name}: one server; add /tools for its tools or /types for TypeScript declarations.',
  'toolcrib://tool/{server}/{tool}: the whole definition of a tool. toolcrib://result/{id}: a result that was too large.',
];

/** At most 500 tokens, whatever the catalog. */
export function overviewOf({ door, principal }: OwnView): string {
  const { layers } = door;
  const isWithPrograms = layers.config().chains.enabled;
  const there = capabilities(layers, principal);
  const steps = ways[door.surfaceOf(principal)].filter((step) => isWithPrograms || step !== chain);
  return [
    'Toolcrib is a gateway: the tools, resources and prompts of many MCP servers in one place.',
    there === null ? 'No tool is listed yet.' : `Here: ${there}.`,
    '',
    'How to work with it:',
    ...steps.map((step, at) => `${at + 1}. ${step}`),
    '',
    'To read:',
    ...readings.map((line) => `- ${line}`),
  ].join('\n');
}
