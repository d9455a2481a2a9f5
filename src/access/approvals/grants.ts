/** Standing approvals: for a session, forgotten with it, and for always, stored. */

import type { Clock } from '../../base/clock.ts';
import { callId } from '../../base/ids.ts';
import { limits } from '../../config/config.ts';
import { type ApprovalStore, OrderedReads, type StoredApproval } from '../../store/store.ts';
import {
  type ApprovalGrant,
  type CallToApprove,
  markInSession,
  markOfDefinition,
  markOfTool,
  projectNameOf,
  toolKeyOfCall,
} from './approval.ts';

export class ApprovalGrants {
  readonly #store: ApprovalStore;
  readonly #clock: Clock;
  readonly #sessions: SessionApprovals;
  /** By principal, project and tool; replaced as a whole. */
  #lasting: ReadonlyMap<string, StoredApproval> = new Map();
  readonly #reads = new OrderedReads();

  constructor(store: ApprovalStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#sessions = new SessionApprovals(clock);
  }

  /** Takes over what the store has. */
  reload(): Promise<void> {
    return this.#reads.read(
      () => this.#store.listApprovals(),
      (stored) => {
        this.#lasting = new Map(stored.map((item) => [markOf(item), item]));
      },
    );
  }

  has(call: CallToApprove): boolean {
    if (this.#sessions.has(call)) return true;
    const mark = markOfTool(call.principal.id, projectNameOf(call.principal), toolKeyOfCall(call));
    // An approval is for a definition, not for a name.
    return this.#lasting.get(mark)?.definition === call.definition;
  }

  /** Ends with the session: no other one ever has its id. Where there is none, it ends after a while. */
  addForSession(call: CallToApprove, by: string): void {
    this.#sessions.add(call, by, this.#newId());
  }

  /** Nobody can come back to it. */
  endSession(session: string): void {
    this.#sessions.endSession(session);
  }

  /** Ends the caller's approvals for sessions: the tool is asked about again in all of them. */
  endForSessions(call: CallToApprove): void {
    this.#sessions.removeAll(markOfDefinition(call));
  }

  /** Throws where it cannot be stored; then nothing is approved. */
  async addForAlways(call: CallToApprove, by: string): Promise<void> {
    const { principal, definition } = call;
    const approval: StoredApproval = {
      id: this.#newId(),
      principal: principal.id,
      principalName: principal.name,
      project: projectNameOf(principal),
      toolKey: toolKeyOfCall(call),
      definition,
      at: this.#clock.now(),
      by,
    };
    await this.#store.saveApproval(approval);
    this.#reads.noteChange();
    this.#lasting = new Map([...this.#lasting, [markOf(approval), approval]]);
    await this.#makeRoom();
  }

  /** For always and for sessions, the oldest first. */
  list(): ApprovalGrant[] {
    return [...this.#forAlways().map(asGrant), ...this.#sessions.list()].sort((a, b) => a.at - b.at);
  }

  /** The removed approval; undefined where there was none. */
  async remove(id: string): Promise<ApprovalGrant | undefined> {
    const found = this.#forAlways().find((item) => item.id === id);
    if (!found) return this.#sessions.remove(id);
    await this.#store.removeApproval(id);
    this.#reads.noteChange();
    this.#lasting = new Map([...this.#lasting].filter(([, item]) => item.id !== id));
    return asGrant(found);
  }

  /** The oldest first. */
  #forAlways(): StoredApproval[] {
    return [...this.#lasting.values()].sort((a, b) => a.at - b.at);
  }

  #newId(): string {
    const stored = new Set(this.#forAlways().map(({ id }) => id));
    return callId((id) => stored.has(id) || this.#sessions.hasId(id));
  }

  async #makeRoom(): Promise<void> {
    for (const { id } of this.#forAlways().slice(0, -limits.lastingApprovals)) await this.remove(id);
  }
}

function asGrant(approval: StoredApproval): ApprovalGrant {
  return { ...approval, holds: 'always', until: null, client: null };
}

function markOf({ principal, project, toolKey }: StoredApproval): string {
  return markOfTool(principal, project, toolKey);
}

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
