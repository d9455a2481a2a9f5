/** Why a call that needs approval was not made, for its agent. */

import type { ApprovalQuestion } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { Call } from './call.ts';

/** `question`: the one that the owner was asked; undefined where the owner answers none. */
export function needsApproval({ key }: Call, question: ApprovalQuestion | undefined): GatewayError {
  if (!question) {
    return new GatewayError(
      'APPROVAL_NEEDED',
      `Tool "${key}" is called only with approval, and nobody can be asked for it here.`,
      {
        hint: 'Only agents that can ask a person may call it; the owner decides that with "access.askBy" in the config.',
        data: { reason: 'nobody-to-ask' },
      },
    );
  }
  const { id, expiresAt } = question.facts;
  return new GatewayError(
    'APPROVAL_NEEDED',
    `Tool "${key}" is called only with approval: the owner has been asked, as "${id}".`,
    {
      hint: `The owner approves it with "toolcrib approve ${id}"; then exactly the same call works once.`,
      data: { reason: 'asked', approval: id, expiresAt: new Date(expiresAt).toISOString() },
    },
  );
}

/** Whoever could be asked is the one who calls. */
export function approveYourself({ key }: Call): GatewayError {
  return new GatewayError('APPROVAL_NEEDED', `Tool "${key}" is called only with approval, which is yours to give.`, {
    hint: 'Approve this call with --yes, or over the API with "approve": true.',
    data: { reason: 'own' },
  });
}

export function nobodyAnswered({ key }: Call): GatewayError {
  return new GatewayError('APPROVAL_NEEDED', `Tool "${key}" was not called: nobody approved it in time.`, {
    data: { reason: 'unanswered' },
  });
}

export function refusedByPerson({ key }: Call): GatewayError {
  return new GatewayError('ACCESS_DENIED', `Tool "${key}" was not called: the person who was asked refused it.`, {
    hint: 'Do not call it again unless the user asks for it.',
    data: { reason: 'refused' },
  });
}

export function changedMeanwhile({ key }: Call): GatewayError {
  return new GatewayError(
    'APPROVAL_NEEDED',
    `Tool "${key}" or its permission changed while the call waited, and it was not called.`,
    {
      hint: 'Look at it again, and call it again if it is still what you need.',
      data: { reason: 'changed' },
    },
  );
}
