/** Has an operation written down in the audit: whatever changes something, and what agents can do by tools too. */

import { isObject } from '../base/json.ts';
import { type Act, type ActFacts, type AgentSide, auditAct } from '../caller/caller.ts';
import type { AdminContext, OperationAudit } from './operation.ts';

export interface OperationCall {
  readonly name: string;
  readonly audit: OperationAudit;
  /** As it was given. */
  readonly input: unknown;
  readonly principal: Parameters<typeof auditAct>[1]['principal'];
  readonly agent: AgentSide;
}

export function auditOperation<T>(context: AdminContext, call: OperationCall, run: () => Promise<T>): Promise<T> {
  if (call.audit === 'none') return run();
  const { principal, agent } = call;
  return auditAct(context, { principal, agent }, actOf(call, call.audit), run, factsOf);
}

/**
 * Has it written down that somebody asked for what is not theirs: without the input, of which nothing was read, and not each
 * time, because whoever has any token at all can do so without end.
 */
export async function auditRefused(
  context: AdminContext,
  { name, audit, principal, agent }: OperationCall,
): Promise<void> {
  if (audit === 'none') return;
  const { client, session } = agent;
  const how = { outcome: 'refused', errorType: 'ACCESS_DENIED' } as const;
  await context.audit.recordRepeated({ kind: audit, action: name, principal, client, session, ...how }, principal.id);
}

function actOf({ name, input }: OperationCall, kind: Exclude<OperationAudit, 'none'>): Act {
  const given = isObject(input) ? input : {};
  if (kind === 'administration') return { kind, action: name, order: { input: given, server: serverIn(name, given) } };
  const act: Act = { kind, action: name, arguments: given };
  if (name !== 'tools.call') return act;
  // The same as if an agent had called it.
  const named = given.arguments ?? (Array.isArray(given.pairs) ? asTyped(given.pairs) : {});
  return { ...act, tool: textOf(given.toolKey), arguments: named, isCall: true };
}

/** By their names, so that what is secret is known as that. */
function asTyped(pairs: readonly unknown[]): Record<string, string> {
  const parted = pairs.map(String).map((pair) => [pair.split('=', 1)[0] ?? '', pair.slice(pair.indexOf('=') + 1)]);
  return Object.fromEntries(parted);
}

function serverIn(name: string, { name: named, server }: Readonly<Record<string, unknown>>): string | undefined {
  return textOf(server) ?? (name.startsWith('servers.') ? textOf(named) : undefined);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

const listed = ['tools', 'results', 'recommendations', 'hits'] as const;

function factsOf(answer: unknown): ActFacts {
  const result = isObject(answer) ? answer : {};
  const list = Array.isArray(answer) ? answer : listed.map((member) => result[member]).find(Array.isArray);
  return { result, ...(list === undefined ? {} : { detail: { count: list.length } }) };
}
