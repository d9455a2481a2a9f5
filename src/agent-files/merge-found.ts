/** Servers that were found several times as one each: agents often share a server. Two accounts of one server stay two. */

import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../base/json.ts';
import { legalName, parseServer, type ServerSpec } from '../config/config.ts';
import { type AgentMachine, pathStyle } from './agent-machine.ts';
import type { AgentServer } from './find-servers.ts';

/** Where a server was found. */
export type FoundAt = Pick<AgentServer, 'agent' | 'scope' | 'file' | 'name'>;

export interface MergedServer {
  readonly settings: JsonObject;
  /** The first decides the name and the settings. */
  readonly from: readonly [FoundAt, ...FoundAt[]];
  /** Names for it, the best first; the last can be numbered. */
  readonly names: readonly [string, string];
  readonly notes: readonly string[];
}

/** Of the possible ones; equal are those that are reached in the same way, by the values that their references have now. */
export function mergeFound(found: readonly AgentServer[], machine: AgentMachine): MergedServer[] {
  const merged: (MergedServer & { readonly transport: ServerSpec['transport'] })[] = [];
  // Files of a project come last: they take no name from the owner's servers, and change none.
  const inOrder = found.toSorted((a, b) => Number(a.scope === 'project') - Number(b.scope === 'project'));
  for (const { settings, reason: _reason, notes, ...at } of inOrder) {
    if (settings === null) continue;
    const { transport } = parseServer(at.name, settings, machine.env, 'store');
    const same = merged.findIndex((other) => isDeepStrictEqual(other.transport, transport));
    const first = merged[same];
    if (first === undefined) merged.push({ settings, from: [at], names: namesFor(at, machine), notes, transport });
    else merged[same] = { ...first, from: [...first.from, at], settings: enabledIfEither(first.settings, settings) };
  }
  return merged.map(({ transport: _transport, ...server }) => server);
}

/** An account of the same server goes by its agent, or by the project that it belongs to. */
function namesFor({ agent, scope, name }: FoundAt, machine: AgentMachine): [string, string] {
  const base = legalName(name);
  const whose = scope === 'user' ? agent : pathStyle(machine).basename(machine.cwd);
  return [base, legalName(`${base}-${whose}`)];
}

/** Switched off only where every agent has it switched off. */
function enabledIfEither(first: JsonObject, other: JsonObject): JsonObject {
  if (first.enabled !== false || other.enabled === false) return first;
  const { enabled: _enabled, ...rest } = first;
  return rest;
}
