/** The servers that other agents on this machine have, counted for an owner who has none yet. */

import {
  type AgentMachine,
  agentIds,
  agents,
  findServers,
  type MergedServer,
  mergeFound,
} from '../../../agent-files/agent-files.ts';
import { plural } from '../../../base/plural.ts';
import type { CommandContext } from '../context.ts';
import { machineHere } from './run-import.ts';

/** `14 servers of Claude Code and Cursor`; null: there are none, or nobody can tell. */
export async function foundElsewhere(context: CommandContext): Promise<string | null> {
  const merged = await findMerged(machineHere(context));
  if (merged.length === 0) return null;
  const titles = new Set(merged.flatMap(({ from }) => from.map(({ agent }) => agents[agent].title)));
  return `${plural(merged.length, 'server')} of ${new Intl.ListFormat('en-GB').format(titles)}`;
}

async function findMerged(machine: AgentMachine): Promise<MergedServer[]> {
  try {
    const { servers } = await findServers(agentIds, machine);
    return mergeFound(servers, machine);
  } catch {
    // A gateway starts whatever the files of other agents hold; "import" says what is wrong with them.
    return [];
  }
}
