/** The requests for approval that are open, of every replica, and those that were answered while the agent has not come back here. */

import type { Clock, Timer } from '../../base/clock.ts';
import { GatewayError } from '../../base/errors.ts';
import { limits } from '../../config/config.ts';
import { type CallToApprove, markOfCall } from './approval.ts';
import type { ApprovalRequest } from './approval-request.ts';

export interface OpenRequest {
  readonly request: ApprovalRequest;
  readonly mark: string;
  /** The replica where the call waits. */
  readonly home: string | null;
  readonly expiry: Timer;
  /** Set where the agent has to come back with it for the call to go on. */
  handle: string | undefined;
  /** Set once the session of the agent has ended. */
  isSessionOver: boolean;
}

export class OpenRequests {
  readonly #clock: Clock;
  readonly #byId = new Map<string, OpenRequest>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** One that waits elsewhere ends there, and here where that is not heard. */
  add(
    request: ApprovalRequest,
    parts: Pick<OpenRequest, 'home' | 'handle' | 'isSessionOver'>,
    onExpired: () => void,
  ): OpenRequest {
    const { id, call, askedAt, expiresAt } = request.facts;
    const expiry = this.#clock.after(expiresAt - askedAt, onExpired);
    const open = { ...parts, request, mark: markOfCall(call), expiry };
    this.#byId.set(id, open);
    return open;
  }

  close({ facts }: ApprovalRequest): void {
    this.#byId.get(facts.id)?.expiry.cancel();
    this.#byId.delete(facts.id);
  }

  get(id: string): OpenRequest | undefined {
    return this.#byId.get(id);
  }

  all(): OpenRequest[] {
    return [...this.#byId.values()];
  }

  /** Those of the calls that wait at a replica. */
  at(home: string | null): OpenRequest[] {
    return this.all().filter((open) => open.home === home);
  }

  /** A request that the owner alone is asked and has not answered yet, of any gateway. */
  findFor(mark: string, but?: OpenRequest): OpenRequest | undefined {
    const isMeant = ({ request: { facts, decision }, ...open }: OpenRequest) =>
      open.mark === mark && facts.approver === 'owner' && decision === undefined;
    return this.all().find((open) => open !== but && isMeant(open));
  }

  /** Those that nobody has answered, the newest last. */
  waiting(): ApprovalRequest[] {
    return this.all()
      .map(({ request }) => request)
      .filter(({ decision }) => decision === undefined)
      .sort((a, b) => a.facts.askedAt - b.facts.askedAt);
  }

  /** Throws RATE_LIMITED where no other call of this principal may wait. */
  checkRoom({ principal }: CallToApprove): void {
    const waiting = this.waiting();
    const own = waiting.filter(({ facts }) => facts.call.principal.id === principal.id).length;
    if (waiting.length < limits.waitingApprovals && own < limits.waitingApprovalsEach) return;
    const count = own >= limits.waitingApprovalsEach ? own : waiting.length;
    throw new GatewayError('RATE_LIMITED', `${count} calls already wait for approval.`, {
      hint: 'List them: toolcrib approvals. Requests that nobody answers in time expire.',
    });
  }
}
