/** Operations on calls that need approval: which wait, what is answered, and what was approved for always. */

import { z } from 'zod';
import { type ApprovalQuestion, approvalAnswers, toolKeyOf } from '../access/access.ts';
import type { StoredApproval } from '../store/store.ts';
import { operation } from './operation.ts';

/** A call that waits for approval, as whoever approves it has to see it. */
export interface WaitingCall {
  readonly id: string;
  readonly toolKey: string;
  readonly server: string;
  readonly tool: string;
  /** As JSON, with characters that cannot be seen as escapes. */
  readonly arguments: string;
  /** Whether only the beginning of them is shown, and how long they are in full. */
  readonly isCut: boolean;
  readonly characters: number;
  /** Who wants to call it: a token's name, the project, and the program as it names itself. */
  readonly principal: string;
  readonly project: string | null;
  readonly client: string | null;
  /** `agent`: the person there is asked as well. */
  readonly asked: 'agent' | 'owner';
  readonly askedAt: string;
  readonly expiresAt: string;
}

/** A tool that a principal may call without being asked again. */
export interface LastingApproval {
  readonly id: string;
  readonly toolKey: string;
  readonly principal: string;
  readonly project: string | null;
  readonly at: string;
  readonly by: string;
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
    summary: 'What was approved for always, the oldest first',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context }): Promise<LastingApproval[]> {
      return context.approvals.lasting().map(lastingApproval);
    },
  }),
  'approvals.forget': operation({
    summary: 'Take back what was approved for always',
    input: z.strictObject({ id }),
    async run({ context, input, principal }): Promise<LastingApproval> {
      return lastingApproval(await context.approvals.forget(input.id, principal));
    },
  }),
};

function waitingCall({ facts }: ApprovalQuestion): WaitingCall {
  const { call, shown } = facts;
  return {
    id: facts.id,
    toolKey: toolKeyOf(call),
    server: call.server,
    tool: call.tool,
    arguments: shown.text,
    isCut: shown.isCut,
    characters: shown.characters,
    principal: call.principal.name,
    project: call.principal.project?.name ?? null,
    client: call.client ?? null,
    asked: facts.place,
    askedAt: new Date(facts.askedAt).toISOString(),
    expiresAt: new Date(facts.expiresAt).toISOString(),
  };
}

function lastingApproval({ id: own, toolKey, principalName, project, at, by }: StoredApproval): LastingApproval {
  return { id: own, toolKey, principal: principalName, project, at: new Date(at).toISOString(), by };
}
