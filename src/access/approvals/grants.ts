/** Standing approvals, for a session (forgotten with it) and for always (stored), and the effect of an answer on other calls. */

import type { Clock } from '../../base/clock.ts';
import { callId } from '../../base/ids.ts';
import { limits } from '../../config/config.ts';
import { type ApprovalStore, OrderedReads, type StoredApproval } from '../../store/store.ts';
import {
  type ApprovalAnswer,
  type ApprovalGrant,
  type CallToApprove,
  markInSession,
  markOfCall,
  markOfDefinition,
  markOfTool,
  projectNameOf,
  toolKeyOfCall,
} from './approval.ts';
import { type ApprovalNotes, noteId, noteOf, type WrittenChange, type WrittenNote } from './approval-notes.ts';
import type { ApprovalFacts } from './approval-request.ts';
import type { Actor } from './trail.ts';

export class ApprovalGrants {
  readonly #store: ApprovalStore;
  readonly #clock: Clock;
  readonly #notes: ApprovalNotes;
  /** By principal, project and tool; replaced as a whole. */
  #permanent: ReadonlyMap<string, StoredApproval> = new Map();
  readonly #reads = new OrderedReads();
  /** Each with the time until which approvals for it may still come, on the monotonic clock: the earliest first. */
  readonly #endedSessions = new Map<string, number>();

  constructor(store: ApprovalStore, clock: Clock, notes: ApprovalNotes) {
    this.#store = store;
    this.#clock = clock;
    this.#notes = notes;
  }

  /** Takes over what the store has for always. */
  reload(): Promise<void> {
    return this.#reads.read(
      () => this.#store.listApprovals(),
      (stored) => {
        this.#permanent = new Map(stored.map((item) => [markOf(item), item]));
      },
    );
  }

  has(call: CallToApprove): boolean {
    if (this.#notes.has('session', markInSession(call))) return true;
    const mark = markOfTool(call.principal.id, projectNameOf(call.principal), toolKeyOfCall(call));
    // An approval is for a definition, not for a name.
    return this.#permanent.get(mark)?.definition === call.definition;
  }

  /** What an answer means for other calls. `waitsAt`: the replica where the call waits. `ms`: how long what is said of one call holds. */
  effectOf(
    { call, approver }: ApprovalFacts,
    answer: ApprovalAnswer,
    by: Actor,
    { waitsAt, ms }: { readonly waitsAt: string | null; readonly ms: number },
  ): WrittenChange {
    const isOwners = by.approver === 'owner';
    const mark = markOfCall(call);
    switch (answer) {
      case 'once':
        return approver === 'owner' ? { put: [noteOf('pass', mark, ms)] } : {};
      case 'session': {
        const grant = this.makeSessionNote(call, by.principal.name, waitsAt);
        return { put: [grant], remove: isOwners ? this.#refusalsOf(call) : [] };
      }
      case 'always':
        return { approval: this.makePermanentApproval(call, by.principal.name), remove: this.#refusalsOf(call) };
      case 'refuse':
        if (!isOwners) return {};
        return {
          put: [noteOf('refusal', mark, ms), noteOf('refused-tool', markOfDefinition(call), ms)],
          remove: [noteId('pass', mark), ...this.#sessionNoteIdsOf(call)],
        };
    }
  }

  /**
   * For the session, to be written down: takes the place of one that is there for the same tool and session. It ends with the
   * session, which no other replica can continue and whose id no other one ever has. Where there is none, it ends after a while.
   */
  makeSessionNote(call: CallToApprove, by: string, waitsAt: string | null): WrittenNote<'session'> {
    const { session, isSessionReal, client = null } = call;
    const ms = isSessionReal ? null : limits.sessionApprovalMs;
    const approval = this.makePermanentApproval(call, by);
    const grant = { ...approval, holds: 'session' as const, until: ms === null ? null : approval.at + ms, client };
    const mark = markInSession(call);
    return { kind: 'session', mark, body: { grant, session }, ms, replica: isSessionReal ? waitsAt : null };
  }

  /** For always, to be stored. */
  makePermanentApproval(call: CallToApprove, by: string): StoredApproval {
    const { principal, definition } = call;
    return {
      id: this.#newId(),
      principal: principal.id,
      principalName: principal.name,
      project: projectNameOf(principal),
      toolKey: toolKeyOfCall(call),
      definition,
      at: this.#clock.now(),
      by,
    };
  }

  /** One for always was stored. */
  async remember(approval: StoredApproval): Promise<void> {
    this.#reads.noteChange();
    this.#permanent = new Map([...this.#permanent, [markOf(approval), approval]]);
    for (const { id } of this.#listPermanent().slice(0, -limits.lastingApprovals)) await this.remove(id);
  }

  /** Nobody can come back to it. `ms`: how long another gateway that has not heard of its end may answer a call of it. */
  endSession(session: string, ms: number): void {
    this.#endedSessions.set(session, this.#clock.elapsed() + ms);
    void this.removeEnded();
  }

  /** The approvals for sessions that have ended, also those that were given since, or that the store refused to remove. */
  async removeEnded(): Promise<void> {
    const now = this.#clock.elapsed();
    const remove = this.#notes.idsOf('session', ({ session }) => this.#endedSessions.has(session));
    if (!(await this.#notes.tryToChange({ remove }))) return;
    for (const [session, until] of this.#endedSessions) {
      if (until > now) break;
      this.#endedSessions.delete(session);
    }
  }

  /** For always and for sessions, the oldest first. */
  list(): ApprovalGrant[] {
    const forSessions = this.#notes.list('session').map(({ grant }) => grant);
    return [...this.#listPermanent().map(asGrant), ...forSessions].sort((a, b) => a.at - b.at);
  }

  /** The removed approval; undefined where there was none. */
  async remove(id: string): Promise<ApprovalGrant | undefined> {
    const found = this.#listPermanent().find((item) => item.id === id);
    if (!found) return this.#removeForSession(id);
    await this.#store.removeApproval(id);
    this.#reads.noteChange();
    this.#permanent = new Map([...this.#permanent].filter(([, item]) => item.id !== id));
    return asGrant(found);
  }

  async #removeForSession(id: string): Promise<ApprovalGrant | undefined> {
    const found = this.#notes.list('session').find(({ grant }) => grant.id === id);
    const [take] = this.#notes.idsOf('session', ({ grant }) => grant.id === id);
    return found && (await this.#notes.change({ take })) ? found.grant : undefined;
  }

  /** The owner's later word about the whole tool goes before what was refused of it. */
  #refusalsOf(call: CallToApprove): string[] {
    const isMeant = (_: null, mark: string) => mark.startsWith(markOfDefinition(call));
    return [...this.#notes.idsOf('refusal', isMeant), ...this.#notes.idsOf('refused-tool', isMeant)];
  }

  /** Of those for the caller's sessions: the tool is asked about again in all of them. */
  #sessionNoteIdsOf(call: CallToApprove): string[] {
    return this.#notes.idsOf('session', (_, mark) => mark.startsWith(markOfDefinition(call)));
  }

  /** The oldest first. */
  #listPermanent(): StoredApproval[] {
    return [...this.#permanent.values()].sort((a, b) => a.at - b.at);
  }

  #newId(): string {
    const taken = new Set(this.list().map(({ id }) => id));
    return callId((id) => taken.has(id));
  }
}

function asGrant(approval: StoredApproval): ApprovalGrant {
  return { ...approval, holds: 'always', until: null, client: null };
}

function markOf({ principal, project, toolKey }: StoredApproval): string {
  return markOfTool(principal, project, toolKey);
}
