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
  #lasting: ReadonlyMap<string, StoredApproval> = new Map();
  readonly #reads = new OrderedReads();
  /** Those whose approvals are not removed yet. */
  readonly #endedSessions = new Set<string>();

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
        this.#lasting = new Map(stored.map((item) => [markOf(item), item]));
      },
    );
  }

  has(call: CallToApprove): boolean {
    if (this.#notes.has('session', markInSession(call))) return true;
    const mark = markOfTool(call.principal.id, projectNameOf(call.principal), toolKeyOfCall(call));
    // An approval is for a definition, not for a name.
    return this.#lasting.get(mark)?.definition === call.definition;
  }

  /** What an answer means for other calls. `home`: where the call waits. `ms`: how long what is said of one call holds. */
  effectOf(
    { call, approver }: ApprovalFacts,
    answer: ApprovalAnswer,
    by: Actor,
    { home, ms }: { readonly home: string | null; readonly ms: number },
  ): WrittenChange {
    const isOwners = by.approver === 'owner';
    const mark = markOfCall(call);
    switch (answer) {
      case 'once':
        return approver === 'owner' ? { put: [noteOf('pass', mark, ms)] } : {};
      case 'session': {
        const grant = this.forSession(call, by.principal.name, home);
        return { put: [grant], remove: isOwners ? this.#refusalsOf(call) : [] };
      }
      case 'always':
        return { approval: this.forAlways(call, by.principal.name), remove: this.#refusalsOf(call) };
      case 'refuse':
        if (!isOwners) return {};
        return {
          put: [noteOf('refusal', mark, ms), noteOf('refused-tool', markOfDefinition(call), ms)],
          remove: [noteId('pass', mark), ...this.#noteIdsOf(call)],
        };
    }
  }

  /**
   * For the session, to be written down: takes the place of one that is there for the same tool and session. It ends with the
   * session, which no other replica can continue and whose id no other one ever has. Where there is none, it ends after a while.
   */
  forSession(call: CallToApprove, by: string, home: string | null): WrittenNote<'session'> {
    const { session, isSessionReal, client = null } = call;
    const ms = isSessionReal ? null : limits.sessionApprovalMs;
    const approval = this.forAlways(call, by);
    const grant = { ...approval, holds: 'session' as const, until: ms === null ? null : approval.at + ms, client };
    const mark = markInSession(call);
    return { kind: 'session', mark, said: { grant, session }, ms, replica: isSessionReal ? home : null };
  }

  /** For always, to be stored. */
  forAlways(call: CallToApprove, by: string): StoredApproval {
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
  async added(approval: StoredApproval): Promise<void> {
    this.#reads.noteChange();
    this.#lasting = new Map([...this.#lasting, [markOf(approval), approval]]);
    for (const { id } of this.#forAlways().slice(0, -limits.lastingApprovals)) await this.remove(id);
  }

  /** Nobody can come back to it. */
  async endSession(session: string): Promise<void> {
    this.#endedSessions.add(session);
    const remove = this.#notes.idsOf('session', (held) => held.session === session);
    if (await this.#notes.tryToChange({ remove })) this.#endedSessions.delete(session);
  }

  /** Removes what the store refused to remove when its session ended. */
  repeatEnds(): void {
    for (const session of this.#endedSessions) void this.endSession(session);
  }

  /** For always and for sessions, the oldest first. */
  list(): ApprovalGrant[] {
    const forSessions = this.#notes.list('session').map(({ grant }) => grant);
    return [...this.#forAlways().map(asGrant), ...forSessions].sort((a, b) => a.at - b.at);
  }

  /** The removed approval; undefined where there was none. */
  async remove(id: string): Promise<ApprovalGrant | undefined> {
    const found = this.#forAlways().find((item) => item.id === id);
    if (!found) return this.#removeForSession(id);
    await this.#store.removeApproval(id);
    this.#reads.noteChange();
    this.#lasting = new Map([...this.#lasting].filter(([, item]) => item.id !== id));
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
  #noteIdsOf(call: CallToApprove): string[] {
    return this.#notes.idsOf('session', (_, mark) => mark.startsWith(markOfDefinition(call)));
  }

  /** The oldest first. */
  #forAlways(): StoredApproval[] {
    return [...this.#lasting.values()].sort((a, b) => a.at - b.at);
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
