/** What an agent is told at the start about how to work here, by the surface that it sees. */

import type { Principal } from '../access/access.ts';
import { discoveryOff, isDiscoveryOff, namedServers, type ShownSurface, type Uses } from '../tools/tools.ts';

type Grounds = Uses<'catalog' | 'config'>;

export function instructionsOn(surface: ShownSurface, grounds: Grounds, principal: Principal): string {
  if (surface === 'direct') return directInstructions(grounds, principal);
  const isOff = isDiscoveryOff(principal);
  if (surface === 'code') return `${opening} ${isOff ? knownInPrograms : inPrograms}`;
  return [opening, isOff ? knownByKey : byKey, ...(grounds.config().chains.enabled ? [several] : []), recovery].join(
    ' ',
  );
}

const opening = 'This gateway gives you the tools of many MCP servers without listing them.';
const byKey =
  'Find one with tool_discovery (say what you need, one need per query) and call it with tool_execute, by its toolKey.';
const knownByKey = `${discoveryOff.notice} Call tools that you know with tool_execute, by their toolKeys.`;
const knownInPrograms = `${discoveryOff.notice} Call tools that you know in a program with call_tool_chain and return only what matters.`;
const several = 'For several calls, loops or large data use one call_tool_chain.';
const recovery = 'If a call fails, its answer says under STEPS what to do.';
const inPrograms =
  'Find what you need with tool_discovery, one need per query, then call the tools in a program with call_tool_chain and return only what matters.';

/** Agents that defer tools choose by this text what to search their list for. */
function directInstructions(grounds: Grounds, principal: Principal): string {
  // Not by category: what is told at the very start must not wait for the model that judges them, nor change once it has.
  const what = namedServers(grounds, principal);
  if (what === null) return 'The tools of MCP servers are listed here as soon as one is connected.';
  const { separator } = grounds.config().names;
  return `${what}. Each tool is named SERVER${separator}TOOL. Not all of them may be loaded: search your tools by what you need, or by a server named here.`;
}
