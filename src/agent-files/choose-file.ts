/** Chooses the config file of an agent that Toolcrib is written into. */

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GatewayError } from '../base/errors.ts';
import type { AgentMachine } from './agent-machine.ts';
import { type AgentId, type AgentScope, agentIds, agents } from './agents.ts';
import { type EntryPlace, hasEntries } from './edit-entry.ts';
import { readToEdit, type SeenFile } from './edited-file.ts';

export interface ChosenFile {
  readonly place: EntryPlace;
  readonly seen: SeenFile;
}

/**
 * Of several: one that has servers, one that is there, one whose folder is there, the first. Throws USAGE where the agent has
 * no file of this scope.
 */
export async function chooseFile(id: AgentId, scope: AgentScope, machine: AgentMachine): Promise<ChosenFile> {
  const files = await Promise.all(
    (await filesOf(id, scope, machine)).map(async ({ place, seen }) => {
      return { place, seen, hasFolder: await isThere(dirname(seen.path)) };
    }),
  );
  const used = files.filter(({ place, seen }) => seen.text !== null && hasEntries(seen.text, place));
  // Where one object is inside another, the inner one has the servers.
  const [deepest] = used.toSorted((one, other) => other.place.path.length - one.place.path.length);
  const chosen =
    deepest ?? files.find(({ seen }) => seen.text !== null) ?? files.find(({ hasFolder }) => hasFolder) ?? files[0];
  if (chosen === undefined) throw noSuchScope(id, scope);
  return { place: chosen.place, seen: chosen.seen };
}

/** Every file of this scope, whether it is there or not. */
export function filesOf(id: AgentId, scope: AgentScope, machine: AgentMachine): Promise<ChosenFile[]> {
  const rows = agents[id].files.filter((row) => row.scope === scope);
  return Promise.all(
    rows.map(async (row) => {
      const { format, isList } = row;
      const place = { file: row.path(machine), format, path: row.servers(machine), isList };
      return { place, seen: await readToEdit(place.file, format, machine.signal) };
    }),
  );
}

function noSuchScope(id: AgentId, scope: AgentScope): GatewayError {
  const others = agentIds.filter((other) => agents[other].files.some((row) => row.scope === scope));
  return new GatewayError('USAGE', `${agents[id].title} has no config file of ${scope} scope.`, {
    hint: `These have one: ${others.join(', ')}`,
  });
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
