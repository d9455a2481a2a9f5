/** A request for approval of one call, until somebody answers it or it expires. */

import { GatewayError } from '../../base/errors.ts';
import { isCallId } from '../../base/ids.ts';
import { type ApprovalAnswer, type Approver, type CallToApprove, markOfCall } from './approval.ts';
import type { ShownJson } from './shown-json.ts';

/** `expired`: nobody answered in time. `withdrawn`: the caller gave up. */
export type ApprovalDecision = ApprovalAnswer | 'expired' | 'withdrawn';

export interface ApprovalFacts {
  /** Short, for people to type. Who knows it can do nothing with it that they could not do before. */
  readonly id: string;
  readonly call: CallToApprove;
  readonly shown: ShownJson;
  /** The members sent beside the arguments; undefined if there are none. */
  readonly shownBeside?: ShownJson | undefined;
  readonly approver: Approver;
  /** True if the person at the agent may approve more than this call. */
  readonly isSessionOffered: boolean;
  /** Wall clock. */
  readonly askedAt: number;
  readonly expiresAt: number;
}

export class ApprovalRequest {
  readonly facts: ApprovalFacts;
  readonly decided: Promise<ApprovalDecision>;
  /** True once every gateway on the same database can answer it; false where that failed. */
  #published = Promise.resolve(true);
  #isPublishing = false;
  readonly #resolve: (decision: ApprovalDecision) => void;
  #decision: ApprovalDecision | undefined;

  constructor(facts: ApprovalFacts) {
    this.facts = facts;
    const { promise, resolve } = Promise.withResolvers<ApprovalDecision>();
    this.decided = promise;
    this.#resolve = resolve;
  }

  get published(): Promise<boolean> {
    return this.#published;
  }

  get isPublishing(): boolean {
    return this.#isPublishing;
  }

  publish(publishing: Promise<boolean>): void {
    this.#isPublishing = true;
    this.#published = publishing.finally(() => {
      this.#isPublishing = false;
    });
  }

  /** undefined while it is open. */
  get decision(): ApprovalDecision | undefined {
    return this.#decision;
  }

  /** The first decision stands. */
  decide(decision: ApprovalDecision): void {
    this.#decision ??= decision;
    this.#resolve(this.#decision);
  }
}

/** The same text for one request to the owner about one call, at all gateways together. */
export function markOfRequest({ approver, id, call }: ApprovalFacts): string {
  return approver === 'owner' ? markOfCall(call) : id;
}

/** What to say about an answer that comes too late, or to no request at all. `decision`: what was decided, and the name of who did. */
export function notOpen(
  id: string,
  answer: ApprovalAnswer,
  decision: { readonly answer: ApprovalAnswer; readonly by: string } | undefined,
): GatewayError {
  if (decision) {
    return new GatewayError('USAGE', `The call "${id}" was ${decisionNames[decision.answer]} by "${decision.by}".`, {
      hint: 'Your answer changed nothing. To revoke a standing approval: toolcrib approvals --lasting, then toolcrib forget ID',
    });
  }
  if (isCallId(id)) {
    return new GatewayError('USAGE', `No call waits for approval under "${id}".`, {
      hint: 'List waiting calls: toolcrib approvals. Calls that were answered, cancelled or timed out are gone.',
    });
  }
  // A server or a tool is decided about elsewhere.
  const verb = answer === 'refuse' ? 'reject' : 'accept';
  return new GatewayError('USAGE', `"${id}" is not the id of a call; nothing was decided.`, {
    hint: `To ${verb} definitions of a server: toolcrib review ${verb} ${id}. Calls that wait: toolcrib approvals`,
  });
}

const decisionNames: Readonly<Record<ApprovalAnswer, string>> = {
  once: 'already allowed once',
  session: 'already allowed for its session',
  always: 'already allowed permanently',
  refuse: 'already refused',
};
