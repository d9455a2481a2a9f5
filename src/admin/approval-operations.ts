/** Operations on calls that need approval: which wait, what is answered, and what was approved beyond one call. */

import { z } from 'zod';
import { type ApprovalGrant, type ApprovalRequest, approvalAnswers, toolKeyOfCall } from '../access/access.ts';
import { operation } from './operation.ts';

/** A call that waits for approval, as its approver sees it. */
export interface WaitingCall {
  readonly id: string;
  readonly toolKey: string;
  readonly server: string;
  readonly tool: string;
  /** As JSON, with characters that cannot be seen as escapes. */
  readonly arguments: string;
  /** True if only the beginning is shown, and the full length. */
  readonly isCut: boolean;
  readonly characters: number;
  /** The parts that reach the server beside the arguments (mostly members of `_meta`), shown like them; null if there are none. */
  readonly beside: { readonly json: string; readonly isCut: boolean; readonly characters: number } | null;
  /** The caller: the name of its token, its unique id, its project, and the program as it names itself. */
  readonly principal: string;
  readonly principalId: string;
  readonly project: string | null;
  readonly client: string | null;
  /** `agent`: the person there is asked as well. */
  readonly asked: 'agent' | 'owner';
  /** True if the agent has a session that ends. Otherwise all agents of its token share one, for an hour. */
  readonly hasSession: boolean;
  readonly askedAt: string;
  readonly expiresAt: string;
}

/** A tool that a principal may call without being asked again. */
export interface LastingApproval {
  readonly id: string;
  readonly toolKey: string;
  readonly principal: string;
  readonly principalId: string;
  readonly project: string | null;
  readonly at: string;
  readonly by: string;
  readonly holds: 'always' | 'session';
  /** Until when; null: always, or until the session ends. */
  readonly until: string | null;
  /** The program whose session it is, as it names itself; null: any. */
  readonly client: string | null;
}

const id = z.string().min(1).max(64);

export const approvalOperations = {
  'approvals.list': operation({
    summary: 'Calls that wait for approval, the newest last, with what exactly would be called',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context }): Promise<WaitingCall[]> {
      return context.approvals.waiting().map(waitingCall);
    },
  }),
  'approvals.answer': operation({
    summary: 'Allow a call that waits for approval (once, for the session, always), or refuse it',
    input: z.strictObject({ id, answer: z.enum(approvalAnswers) }),
    async run({ context, input, principal }): Promise<WaitingCall> {
      return waitingCall(await context.approvals.answer(input.id, input.answer, principal));
    },
  }),
  'approvals.lasting': operation({
    summary: 'Standing approvals, always and for sessions, oldest first, with their expiry',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context }): Promise<LastingApproval[]> {
      return context.approvals.lasting().map(lastingApproval);
    },
  }),
  'approvals.forget': operation({
    summary: 'Revoke a standing approval',
    input: z.strictObject({ id }),
    async run({ context, input, principal }): Promise<LastingApproval> {
      return lastingApproval(await context.approvals.forget(input.id, principal));
    },
  }),
};

export function waitingCall({ facts }: ApprovalRequest): WaitingCall {
  const { call, shown, shownBeside } = facts;
  return {
    id: facts.id,
    toolKey: toolKeyOfCall(call),
    server: call.server,
    tool: call.tool,
    arguments: shown.text,
    isCut: shown.isCut,
    characters: shown.characters,
    beside: shownBeside
      ? { json: shownBeside.text, isCut: shownBeside.isCut, characters: shownBeside.characters }
      : null,
    principal: call.principal.name,
    principalId: call.principal.id,
    project: call.principal.project?.name ?? null,
    client: call.client ?? null,
    asked: facts.approver,
    hasSession: call.isSessionReal,
    askedAt: new Date(facts.askedAt).toISOString(),
    expiresAt: new Date(facts.expiresAt).toISOString(),
  };
}

function lastingApproval(grant: ApprovalGrant): LastingApproval {
  const { toolKey, project, by, holds, until, client } = grant;
  return {
    id: grant.id,
    toolKey,
    principal: grant.principalName,
    principalId: grant.principal,
    project,
    at: new Date(grant.at).toISOString(),
    by,
    holds,
    until: until === null ? null : new Date(until).toISOString(),
    client,
  };
}
