/** Which agents are connected, or were lately. */

import { z } from 'zod';
import { operation } from './operation.ts';

/** A session of the legacy era, or a program that sends requests of the modern one, which has no sessions. */
export interface ConnectedAgent {
  readonly principal: string;
  readonly principalId: string;
  /** The program as it names itself. */
  readonly client: string | null;
  readonly era: 'legacy' | 'modern';
  /** Which door: its kind and, where it has one, its name. */
  readonly door: string;
  readonly project: string | null;
  /** By the address, else by the token or the project; null: by the config. */
  readonly surface: string | null;
  readonly since: string;
  readonly lastSeenAt: string;
  readonly requests: number;
  /** True for a session that is open. */
  readonly isOpen: boolean;
}

export const agentOperations = {
  'agents.list': operation({
    summary: 'Agents that are connected or were seen since the start, the latest first',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context }): Promise<ConnectedAgent[]> {
      return context.agents.list().map(({ principal, client = null, era, door, surface, ...seen }) => ({
        principal: principal.name,
        principalId: principal.id,
        ...{ client, era, door },
        project: principal.project?.name ?? null,
        surface: surface ?? principal.surface ?? principal.project?.surface ?? null,
        since: new Date(seen.since).toISOString(),
        lastSeenAt: new Date(seen.lastSeen).toISOString(),
        requests: seen.requests,
        isOpen: seen.isOpen,
      }));
    },
  }),
};
