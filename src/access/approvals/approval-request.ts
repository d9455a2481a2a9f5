/** A request for approval of one call, until somebody answers it or it expires. */

import type { ApprovalAnswer, Approver, CallToApprove } from './approval.ts';
import type { ShownJson } from './shown-json.ts';

/** `expired`: nobody answered in time. `withdrawn`: the caller gave up. */
export type ApprovalDecision = ApprovalAnswer | 'expired' | 'withdrawn';

export interface ApprovalFacts {
  /** Short, for people to type. Who knows it can do nothing with it that they could not do before. */
  readonly id: string;
  readonly call: CallToApprove;
  readonly shown: ShownJson;
  /** The members sent beside the arguments; undefined if there are none. */
  readonly shownBeside: ShownJson | undefined;
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
  readonly #resolve: (decision: ApprovalDecision) => void;
  #decision: ApprovalDecision | undefined;

  constructor(facts: ApprovalFacts) {
    this.facts = facts;
    const { promise, resolve } = Promise.withResolvers<ApprovalDecision>();
    this.decided = promise;
    this.#resolve = resolve;
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
