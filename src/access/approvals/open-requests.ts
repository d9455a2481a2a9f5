/** The requests for approval that are open, of every replica, and those that were answered while the agent has not come back here. */

import type { Clock, Timer } from '../../base/clock.ts';
import { GatewayError } from '../../base/errors.ts';
import { limits } from '../../config/config.ts';
import { type CallToApprove, markOfCall } from './approval.ts';
import type { WrittenNote } from './approval-notes.ts';
import { type ApprovalRequest, markOfRequest } from './approval-request.ts';

export interface OpenRequest {
  readonly request: ApprovalRequest;
  readonly mark: string;
  /** The replica where the call waits. */
  readonly waitsAt: string | null;
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

  /** `ms`: how long it is open. One that waits elsewhere ends there, and here where that is not heard. */
  add(
    request: ApprovalRequest,
    parts: Pick<OpenRequest, 'waitsAt' | 'handle' | 'isSessionOver'>,
    ms: number,
    onExpired: () => void,
  ): OpenRequest {
    const { id, call } = request.facts;
    const expiry = this.#clock.after(ms, onExpired);
    const open = { ...parts, request, mark: markOfCall(call), expiry };
    this.#byId.set(id, open);
    return open;
  }

  /** As it is written down where its call waits. */
  noteOf({ request: { facts }, waitsAt, isSessionOver }: OpenRequest): WrittenNote<'request'> {
    const body = { facts, home: waitsAt, isSessionOver };
    const ms = Math.max(0, facts.expiresAt - this.#clock.now());
    // The owner's answer is for the same call that is made again, at any gateway.
    const replica = facts.approver === 'owner' ? null : waitsAt;
    return { kind: 'request', mark: markOfRequest(facts), body, ms, replica };
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
  at(replica: string | null): OpenRequest[] {
    return this.all().filter((open) => open.waitsAt === replica);
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
