/** Tools that were approved for a session: remembered until it ends, or for a while where it only stands for the principal; never stored. */

import type { Clock } from '../base/clock.ts';
import { limits } from '../config/config.ts';
import { type ApprovalGrant, type CallToApprove, markInSession, projectNameOf, toolKeyOfCall } from './approval.ts';

interface Held {
  readonly grant: ApprovalGrant;
  readonly session: string;
  /** On the monotonic clock; Infinity where it ends with its session. */
  readonly endsAt: number;
}

export class SessionApprovals {
  readonly #clock: Clock;
  /** By principal, project, tool, definition and session; the oldest first. */
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(call: CallToApprove): boolean {
    const mark = markInSession(call);
    const held = this.#held.get(mark);
    if (held === undefined) return false;
    if (held.endsAt > this.#clock.elapsed()) return true;
    this.#held.delete(mark);
    return false;
  }

  hasId(id: string): boolean {
    return [...this.#held.values()].some(({ grant }) => grant.id === id);
  }

  /** Takes the place of one that is there for the same tool and session. Where too many are held, the oldest makes room. */
  add(call: CallToApprove, by: string, id: string): void {
    const { principal, session, isSessionReal } = call;
    const mark = markInSession(call);
    const at = this.#clock.now();
    const ms = isSessionReal ? Number.POSITIVE_INFINITY : limits.sessionApprovalMs;
    const grant: ApprovalGrant = {
      id,
      principal: principal.id,
      principalName: principal.name,
      project: projectNameOf(principal),
      toolKey: toolKeyOfCall(call),
      definition: call.definition,
      at,
      by,
      holds: 'session',
      until: isSessionReal ? null : at + ms,
      client: call.client ?? null,
    };
    this.#held.delete(mark);
    this.#held.set(mark, { grant, session, endsAt: this.#clock.elapsed() + ms });
    if (this.#held.size > limits.sessionApprovals) this.#makeRoom();
  }

  /** Ends all whose marks begin like this. */
  removeAll(beginning: string): void {
    for (const mark of this.#held.keys()) if (mark.startsWith(beginning)) this.#held.delete(mark);
  }

  endSession(session: string): void {
    for (const [mark, held] of this.#held) if (held.session === session) this.#held.delete(mark);
  }

  /** The removed approval; undefined where there was none. */
  remove(id: string): ApprovalGrant | undefined {
    const found = this.list().find((grant) => grant.id === id);
    for (const [mark, { grant }] of this.#held) if (grant.id === id) this.#held.delete(mark);
    return found;
  }

  /** The oldest first. */
  list(): ApprovalGrant[] {
    this.#dropEnded();
    return [...this.#held.values()].map(({ grant }) => grant);
  }

  #dropEnded(): void {
    const now = this.#clock.elapsed();
    for (const [mark, { endsAt }] of this.#held) if (endsAt <= now) this.#held.delete(mark);
  }

  #makeRoom(): void {
    this.#dropEnded();
    for (const mark of this.#held.keys()) {
      if (this.#held.size <= limits.sessionApprovals) return;
      this.#held.delete(mark);
    }
  }
}
