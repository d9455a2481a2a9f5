/** Records approval requests in the audit: who asked, who answered, for how long. */

import type { AuditEvent, AuditLog } from '../../audit/audit.ts';
import { fingerprintOf } from '../../base/ids.ts';
import {
  type ApprovalAnswer,
  type ApprovalGrant,
  type Approver,
  type CallToApprove,
  projectNameOf,
  type SentParts,
} from './approval.ts';
import type { ApprovalFacts } from './approval-request.ts';

/** The person who answered, and where. */
export interface Actor {
  readonly principal: { readonly id: string; readonly name: string };
  readonly approver: Approver;
}

export class ApprovalTrail {
  readonly #audit: Pick<AuditLog, 'record'>;

  constructor(audit: Pick<AuditLog, 'record'>) {
    this.#audit = audit;
  }

  asked({ id, call, approver }: ApprovalFacts, { arguments: args, beside }: SentParts): Promise<void> {
    return this.#audit.record({
      ...eventOf(call, 'approval.asked'),
      outcome: 'ok',
      arguments: args ?? {},
      detail: {
        approval: id,
        asked: approver,
        ...whatOf(call),
        ...(beside === undefined ? {} : { beside: fingerprintOf(beside) }),
      },
    });
  }

  answered(call: CallToApprove, answer: ApprovalAnswer, by: Actor, id: string | null = null): Promise<void> {
    const isRefused = answer === 'refuse';
    return this.#audit.record({
      ...eventOf(call, isRefused ? 'approval.refused' : 'approval.allowed'),
      principal: by.principal,
      outcome: isRefused ? 'refused' : 'ok',
      detail: {
        approval: id,
        by: by.approver,
        ...(isRefused ? {} : { holds: answer }),
        for: call.principal.id,
        ...whatOf(call),
      },
    });
  }

  ended({ id, call, approver }: ApprovalFacts, ending: 'expired' | 'withdrawn'): Promise<void> {
    return this.#audit.record({
      ...eventOf(call, `approval.${ending}`),
      outcome: 'refused',
      detail: { approval: id, asked: approver, ...whatOf(call) },
    });
  }

  forgotten(
    { id, principal, project, toolKey, definition, holds }: ApprovalGrant,
    by: Actor['principal'],
  ): Promise<void> {
    const colon = toolKey.indexOf(':');
    return this.#audit.record({
      kind: 'access',
      action: 'approval.forgotten',
      principal: by,
      server: toolKey.slice(0, colon),
      tool: toolKey.slice(colon + 1),
      outcome: 'ok',
      detail: { approval: id, holds, for: principal, project, definition },
    });
  }
}

function eventOf(call: CallToApprove, action: string): Omit<AuditEvent, 'outcome'> {
  return {
    kind: 'access',
    action,
    principal: call.principal,
    client: call.client,
    rpcId: call.requestId,
    project: projectNameOf(call.principal),
    session: call.session,
    server: call.server,
    tool: call.tool,
  };
}

function whatOf(call: CallToApprove): { readonly project: string | null; readonly definition: string } {
  return { project: projectNameOf(call.principal), definition: call.definition };
}
