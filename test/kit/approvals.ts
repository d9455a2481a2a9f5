/** Calls that need approval, for scenarios: what waits, what was called, and people who answer forms. */

import { setTimeout as pause } from 'node:timers/promises';
import type { WaitingCall } from '../../src/admin/admin.ts';
import type { FormAnswer } from './agents.ts';
import type { TestGateway } from './gateway.ts';
import type { PlannedServers } from './planned-servers.ts';

type Dict = Record<string, unknown>;

export const allowOnce: FormAnswer = { action: 'accept', content: { decision: 'Allow once' } };
export const decline: FormAnswer = { action: 'decline' };

/** The answer that a form offers and that begins like this. */
export function choosing(beginning: string, params: Dict): FormAnswer {
  const offered = params.requestedSchema as { properties: { decision: { enum: string[] } } };
  const decision = offered.properties.decision.enum.find((label) => label.startsWith(beginning)) ?? '';
  return { action: 'accept', content: { decision } };
}

/** Resolves once this many calls of a principal wait, with them. */
export async function untilWaiting(
  { gateway }: Pick<TestGateway, 'gateway'>,
  name: string,
  count = 1,
): Promise<WaitingCall[]> {
  for (;;) {
    const waiting = (await gateway.admin.run('approvals.list', {})).filter(({ principal }) => principal === name);
    if (waiting.length === count) return waiting;
    await pause(10);
  }
}

/** The arguments with which a server's tool was called so far. */
export function callsOf(plan: PlannedServers, server: string, tool: string): unknown[] {
  return plan
    .noted(server, 'tool')
    .filter(({ name }) => name === tool)
    .map((entry) => entry.arguments);
}
