/** Calls that need approval: who asks, what was answered, and how long that holds. A request to the person at an agent ends with its gateway; on a shared store, a request to the owner does not. */

import type { AuditLog } from '../../audit/audit.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { GatewayError } from '../../base/errors.ts';
import { callId, idAt } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { Signal } from '../../base/signal.ts';
import { limits } from '../../config/config.ts';
import { CoalescedReads, type Replicas, type StoreChanges, StoreFollower } from '../../store/store.ts';
import {
  type ApprovalAnswer,
  type ApprovalGrant,
  type Approver,
  type CallToApprove,
  markOfCall,
  markOfDefinition,
  type SentParts,
} from './approval.ts';
import {
  ApprovalNotes,
  type NotesStore,
  noteId,
  noteOf,
  requestId,
  type WrittenChange,
  type WrittenNote,
} from './approval-notes.ts';
import {
  type ApprovalDecision,
  type ApprovalFacts,
  ApprovalRequest,
  markOfRequest,
  notOpen,
} from './approval-request.ts';
import { ApprovalGrants } from './grants.ts';
import { type OpenRequest, OpenRequests } from './open-requests.ts';
import { showJson } from './shown-json.ts';
import { type Actor, ApprovalTrail } from './trail.ts';

export interface ApprovalOptions {
  readonly store: NotesStore & StoreChanges;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Read for each request, because the config may change. */
  readonly settings: () => { readonly approvalTimeoutMs: number };
  /** Left out: there are no others. */
  readonly replicas?: Pick<Replicas, 'own' | 'changed' | 'isGone'> | undefined;
}

/** How a request is put. */
interface Asking {
  readonly sent: SentParts;
  readonly approver: Approver;
  readonly handle?: string | undefined;
  /** Told when the time is up and the agent has not come back. */
  readonly onAbandoned?: (() => void) | undefined;
}

const handlePrefix = 'toolcrib-approval.';

export class Approvals {
  /** A call waits for approval, or no longer does; or a standing approval was given or revoked. */
  readonly changed = new Signal<void>();
  /** Named in handles. */
  readonly replica: string | null;
  readonly #options: ApprovalOptions;
  readonly #notes: ApprovalNotes;
  readonly #grants: ApprovalGrants;
  readonly #trail: ApprovalTrail;
  readonly #open: OpenRequests;
  readonly #reads: CoalescedReads;
  readonly #follower: StoreFollower;
  /** Sessions and questions at agents have ended there, unless they come back. */
  #gone: ReadonlySet<string | null> = new Set();
  #removal: Timer | undefined;
  #stop: (() => void) | undefined;
  #isClosed = false;

  constructor(options: ApprovalOptions) {
    const { clock, store, audit } = options;
    this.replica = options.replicas?.own ?? null;
    this.#options = options;
    this.#open = new OpenRequests(clock);
    this.#notes = new ApprovalNotes({ ...options, retry: () => void this.refresh() });
    this.#grants = new ApprovalGrants(store, clock, this.#notes);
    this.#trail = new ApprovalTrail(audit);
    this.#reads = new CoalescedReads(clock, () => this.#readAll());
    this.#follower = new StoreFollower({
      ...options,
      subject: 'Approvals',
      isMeant: ({ type, isOthers }) => type === 'access' || (type === 'approvals' && isOthers === true),
      read: async (told) => {
        await this.#reads.read();
        if (told.some(({ isOthers }) => isOthers)) this.changed.emit();
      },
    });
  }

  async open(): Promise<void> {
    await this.#follower.open(() => this.#reads.read());
    this.#stop = this.#options.replicas?.changed.on(() => this.#followReplicas());
    this.#followReplicas();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop?.();
    this.#removal?.cancel();
    const ended: ApprovalRequest[] = [];
    for (const { request } of this.#open.all()) {
      if (this.#outlivesGateway(request)) this.#settle(request, 'expired');
      else if (this.#settleEnd(request, 'expired')) ended.push(request);
    }
    await this.#notes.orAfterWait(Promise.all([this.#drop(ended), this.#follower.close()]), undefined);
    this.#notes.close();
  }

  static isHandle(value: unknown): value is string {
    return typeof value === 'string' && value.startsWith(handlePrefix);
  }

  /** True if a standing approval covers a call of this tool. */
  isGranted(call: CallToApprove): boolean {
    return !this.isRefused(call) && this.#grants.has(call);
  }

  /** Takes over what another gateway wrote a moment ago; what cannot be read stays as it is. */
  async refresh(): Promise<void> {
    if (this.#options.store.isShared)
      await this.#notes.orAfterWait(
        this.#reads.read().catch(() => {}),
        undefined,
      );
  }

  /**
   * True if exactly this call was approved; once for each approval, however many gateways are asked. Where the signal aborts
   * meanwhile, the approval is still there for the same call.
   */
  takePass(call: CallToApprove, signal?: AbortSignal): Promise<boolean> {
    return this.#notes.takePass(markOfCall(call), signal);
  }

  /** True if the owner refused exactly this call a short while ago. */
  isRefused(call: CallToApprove): boolean {
    return this.#notes.has('refusal', markOfCall(call));
  }

  /** A call that was approved once comes back because its server asked something in between; `state` is what it comes with. */
  async expectReturn(call: CallToApprove, state: unknown): Promise<void> {
    const pass = noteOf('pass', returnMark(call, state), limits.parkedCallTtlMs);
    // Where it cannot be kept, the call needs another approval.
    await this.#notes.orAfterWait(this.#notes.tryToChange({ put: [pass] }), false);
  }

  takeReturn(call: CallToApprove, state: unknown, signal?: AbortSignal): Promise<boolean> {
    return this.#notes.takePass(returnMark(call, state), signal);
  }

  /** A call that its own caller may approve, and does. */
  approveOwn(call: CallToApprove): Promise<void> {
    return this.#trail.answered(call, 'once', { principal: call.principal, approver: 'owner' });
  }

  /** Asks the owner alone, at every gateway. The same call that is made again meanwhile is the same request. */
  async askOwner(call: CallToApprove, sent: SentParts): Promise<ApprovalRequest> {
    const mark = markOfCall(call);
    const open = this.#open.findFor(mark) ?? this.#ask(call, { sent, approver: 'owner' });
    const isPublished = await this.#isPublished(open.request);
    if (!isPublished) await this.refresh();
    // Another gateway asked about the same call in the same moment.
    const other = isPublished ? undefined : this.#open.findFor(mark, open);
    if (other) this.#settleEnd(open.request, 'withdrawn');
    return (other ?? open).request;
  }

  /** Asks at the agent, on the stream of its request. */
  askAgent(call: CallToApprove, sent: SentParts): ApprovalRequest {
    return this.#ask(call, { sent, approver: 'agent' }).request;
  }

  /** Asks an agent that comes back with the answer in another request, which has to bring the handle. */
  askLater(
    call: CallToApprove,
    sent: SentParts,
    onAbandoned: () => void,
  ): { readonly request: ApprovalRequest; readonly handle: string } {
    const handle = `${handlePrefix}${idAt(this.replica)}`;
    return { request: this.#ask(call, { sent, approver: 'agent', handle, onAbandoned }).request, handle };
  }

  /** The request that an agent comes back to: only the same call of the same principal does. */
  findByHandle(handle: string, call: CallToApprove): ApprovalRequest | undefined {
    const mark = markOfCall(call);
    return this.#open.all().find((item) => item.handle === handle && item.mark === mark)?.request;
  }

  /** The agent has to come back with this handle; undefined: not any more. */
  setHandle(request: ApprovalRequest, handle: string | undefined): void {
    const open = this.#open.get(request.facts.id);
    if (open) open.handle = handle;
    if (request.decision !== undefined) this.#settle(request, request.decision);
  }

  /** The answer of the person at the agent. Only the owner approves beyond the session, and beyond the call after refusing one. */
  async answerAtAgent(request: ApprovalRequest, answer: Exclude<ApprovalAnswer, 'always'>): Promise<void> {
    const { call } = request.facts;
    const by = { principal: call.principal, approver: 'agent' } as const;
    if (answer === 'refuse') return this.#refuseAtAgent(request, by);
    const isTooMuch = answer === 'session' && (!this.#isSessionOffered(call) || this.#isSessionOver(request));
    await this.#answer(request, isTooMuch ? 'once' : answer, by);
  }

  /** The answer of the owner, wherever the call waits. Throws if the request is no longer open. */
  async answer(id: string, answer: ApprovalAnswer, by: Actor['principal']): Promise<ApprovalRequest> {
    if (!this.#open.get(id)) await this.refresh();
    const { request } = this.#open.get(id) ?? {};
    if (!request || request.decision !== undefined) throw notOpen(id, answer, this.#notes.find('decision', id));
    if (answer === 'session' && this.#isSessionOver(request)) {
      throw new GatewayError('USAGE', 'The session that this call came from has ended.', {
        hint: `Approve the one call (toolcrib approve ${id}), or all calls of the tool (--always).`,
      });
    }
    if (await this.#answer(request, answer, { principal: by, approver: 'owner' })) return request;
    throw notOpen(id, answer, this.#notes.find('decision', id));
  }

  /** The caller withdraws its request. */
  withdraw(request: ApprovalRequest): void {
    this.#end(request, 'withdrawn');
  }

  /** Open requests of every gateway, the newest last. */
  waiting(): ApprovalRequest[] {
    return this.#open.waiting();
  }

  /** How many of them wait here. */
  get waitingHere(): number {
    return this.#open.at(this.replica).filter(({ request }) => request.decision === undefined).length;
  }

  /** Standing approvals that still hold, oldest first. */
  lasting(): ApprovalGrant[] {
    return this.#grants.list();
  }

  /** Ends its approvals, and refuses new ones. */
  endSession(session: string): void {
    this.#grants.endSession(session, this.#options.settings().approvalTimeoutMs);
    for (const open of this.#open.at(this.replica)) {
      if (open.request.facts.call.session !== session) continue;
      open.isSessionOver = true;
      this.#noteSessionOver(open);
    }
  }

  /** Only while it waits: one that was answered must not be there again. */
  #noteSessionOver(open: OpenRequest): void {
    void this.#notes.tryToChange({ take: requestId(open.request), put: [this.#open.noteOf(open)] });
  }

  /** Takes back what was approved beyond one call. */
  async forget(id: string, by: Actor['principal']): Promise<ApprovalGrant> {
    if (!this.lasting().some((grant) => grant.id === id)) await this.refresh();
    const forgotten = await this.#grants.remove(id);
    if (!forgotten) {
      throw new GatewayError('USAGE', `There is no standing approval "${id}".`, {
        hint: 'List them: toolcrib approvals --lasting',
      });
    }
    this.changed.emit();
    await this.#trail.forgotten(forgotten, by);
    return forgotten;
  }

  async #readAll(): Promise<void> {
    await Promise.all([this.#grants.reload(), this.#notes.reload()]);
    if (!this.#isClosed) this.#follow();
  }

  /** Brings the requests in step with what was written down at any gateway. */
  #follow(): void {
    void this.#grants.removeEnded();
    const ended: string[] = [];
    for (const { facts, home: waitsAt, isSessionOver } of this.#notes.list('request')) {
      if (this.#open.get(facts.id) || this.#isLost(facts, waitsAt)) continue;
      const request = new ApprovalRequest(facts);
      if (waitsAt !== this.replica) {
        const ms = this.#notes.leftMs('request', markOfRequest(facts));
        const parts = { waitsAt, handle: undefined, isSessionOver };
        this.#open.add(request, parts, ms, () => this.#settleEnd(request, 'expired'));
      } else if (!this.#open.findFor(markOfCall(facts.call))) ended.push(requestId(request));
    }
    // Those that ended here while the store was unreachable.
    void this.#notes.tryToChange({ remove: ended });
    for (const open of this.#open.all()) {
      const { request } = open;
      if (request.decision !== undefined) continue;
      const decision = this.#notes.decisionOn(request);
      const note = this.#notes.find('request', markOfRequest(request.facts));
      const isItsNote = note?.facts.id === request.facts.id && markOfCall(note.facts.call) === open.mark;
      if (decision) this.#settle(request, decision.answer);
      else if (isItsNote && !this.#isLost(request.facts, open.waitsAt)) {
        open.isSessionOver ||= note.isSessionOver;
        if (open.isSessionOver && !note.isSessionOver) this.#noteSessionOver(open);
        // The answer of the store may have been lost.
        if (!request.isPublishing) request.publish(Promise.resolve(true));
      } else if (open.waitsAt !== this.replica) this.#settleEnd(request, 'withdrawn');
      // Another gateway was the first to write down a request about the same call, or by the same id.
      else if (!request.isPublishing && note !== undefined && note.home !== this.replica)
        this.#settleEnd(request, 'withdrawn');
      // It could not be written down, or this gateway counted as gone for a while.
      else if (!request.isPublishing) this.#publish(open);
    }
  }

  #ask(call: CallToApprove, { sent, approver, handle, onAbandoned }: Asking): OpenRequest {
    this.#open.checkRoom(call);
    const { clock, settings } = this.#options;
    const id = callId((taken) => this.#open.get(taken) !== undefined || this.#notes.isTaken(taken));
    const timeoutMs = settings().approvalTimeoutMs;
    const askedAt = clock.now();
    const request = new ApprovalRequest({
      id,
      call,
      shown: showJson(sent.arguments),
      shownBeside: sent.beside && showJson(sent.beside),
      approver,
      isSessionOffered: this.#isSessionOffered(call),
      askedAt,
      expiresAt: askedAt + timeoutMs,
    });
    const parts = { waitsAt: this.replica, handle, isSessionOver: false };
    const open = this.#open.add(request, parts, timeoutMs, () => {
      if (open.handle !== undefined) onAbandoned?.();
      this.#end(request, 'expired');
    });
    this.#publish(open);
    this.changed.emit();
    void this.#trail.asked(request.facts, sent);
    return open;
  }

  /** Lets every gateway list and answer it. While the store is unreachable this is done once it is back. */
  #publish(open: OpenRequest): void {
    if (typeof this.#options.store.unheardSince === 'number') return open.request.publish(Promise.resolve(false));
    const id = requestId(open.request);
    // One that ended here while the store was unreachable is in nobody's way.
    const isLeft = this.#notes.find('request', markOfRequest(open.request.facts))?.home === this.replica;
    const where = isLeft ? { take: id } : { unless: [id] };
    open.request.publish(this.#notes.tryToChange({ ...where, put: [this.#open.noteOf(open)] }));
  }

  /** False: it was decided before. */
  async #answer(request: ApprovalRequest, answer: ApprovalAnswer, by: Actor): Promise<boolean> {
    if (request.decision !== undefined) return false;
    const { approvalTimeoutMs: ms } = this.#options.settings();
    const waitsAt = this.#open.get(request.facts.id)?.waitsAt ?? this.replica;
    const effect = this.#grants.effectOf(request.facts, answer, by, { waitsAt, ms });
    if (!(await this.#decide(request, answer, by, effect))) return false;
    if (by.approver !== 'owner' || answer !== 'refuse') return true;
    // One no of the owner is for every request about the same call.
    const mark = markOfCall(request.facts.call);
    for (const other of this.waiting())
      if (markOfCall(other.facts.call) === mark) await this.#decide(other, answer, by, {});
    return true;
  }

  /** A refusal is for this call alone, so it counts at once, even if another gateway approves meanwhile or the store fails. */
  async #refuseAtAgent(request: ApprovalRequest, by: Actor): Promise<void> {
    if (request.decision !== undefined) return;
    this.#settle(request, 'refuse');
    this.changed.emit();
    const { id, call } = request.facts;
    await this.#trail.answered(call, 'refuse', by, id);
    if (!(await this.#isPublished(request))) return void this.#drop([request]);
    const change = { take: requestId(request), put: [this.#decisionOf(request, 'refuse', by)] };
    await this.#notes.orAfterWait(this.#notes.tryToChange(change), false);
  }

  #decisionOf({ facts }: ApprovalRequest, answer: ApprovalAnswer, by: Actor): WrittenNote<'decision'> {
    const { approvalTimeoutMs: ms } = this.#options.settings();
    const body = { answer, by: by.principal.name, call: markOfCall(facts.call) };
    return { kind: 'decision', mark: facts.id, body, ms };
  }

  /** Of several that decide, at any gateways, one does. An effect that cannot be stored leaves the request open. */
  async #decide(request: ApprovalRequest, answer: ApprovalAnswer, by: Actor, effect: WrittenChange): Promise<boolean> {
    const { id, call } = request.facts;
    const isPublished = await this.#isPublished(request);
    // One that was written down after all may be decided elsewhere by now.
    const where = isPublished ? { take: requestId(request) } : { unless: [requestId(request), noteId('decision', id)] };
    const put = [...(effect.put ?? []), this.#decisionOf(request, answer, by)];
    // While the store is unreachable nobody else can be told of the request: what concerns no other call is decided here.
    const isFirst =
      !isPublished && Object.keys(effect).length === 0
        ? request.decision === undefined
        : await this.#notes.change({ ...effect, ...where, put });
    if (!isFirst) {
      await this.refresh();
      // It was written down after all.
      if (!isPublished && request.decision === undefined && (await this.#isPublished(request)))
        return this.#decide(request, answer, by, effect);
      const other = this.#notes.decisionOn(request);
      if (other) this.#settle(request, other.answer);
      else this.#settleEnd(request, 'withdrawn');
      return false;
    }
    if (!isPublished) void this.#drop([request]);
    if (effect.approval) await this.#grants.remember(effect.approval);
    this.#settle(request, answer);
    this.changed.emit();
    await this.#trail.answered(call, answer, by, id);
    return true;
  }

  #isSessionOffered(call: CallToApprove): boolean {
    return !this.#notes.has('refused-tool', markOfDefinition(call));
  }

  #isSessionOver({ facts }: ApprovalRequest): boolean {
    const { isSessionOver = false, waitsAt = null } = this.#open.get(facts.id) ?? {};
    return isSessionOver || (facts.call.isSessionReal && this.#gone.has(waitsAt));
  }

  #outlivesGateway({ facts }: ApprovalRequest): boolean {
    return this.#options.store.isShared && facts.approver === 'owner';
  }

  /** Its agent was asked at a gateway that is gone, and cannot come back. */
  #isLost({ approver }: ApprovalFacts, waitsAt: string | null): boolean {
    return approver === 'agent' && this.#gone.has(waitsAt);
  }

  #settle(request: ApprovalRequest, decision: ApprovalDecision): void {
    request.decide(decision);
    // One whose agent has to come back stays until it does.
    if (this.#open.get(request.facts.id)?.handle === undefined) this.#open.close(request);
  }

  #end(request: ApprovalRequest, ending: 'expired' | 'withdrawn'): void {
    if (this.#settleEnd(request, ending)) void this.#drop([request]);
  }

  /** False: it was decided before. */
  #settleEnd(request: ApprovalRequest, ending: 'expired' | 'withdrawn'): boolean {
    const isOwn = this.#open.get(request.facts.id)?.waitsAt === this.replica;
    this.#open.close(request);
    if (request.decision !== undefined) return false;
    request.decide(ending);
    this.changed.emit();
    // Where the call waits, it is written down.
    if (isOwn) void this.#trail.ended(request.facts, ending);
    return isOwn;
  }

  /** Nobody can answer them any more. */
  async #drop(requests: readonly ApprovalRequest[]): Promise<void> {
    const remove: string[] = [];
    for (const request of requests) if (await request.published) remove.push(requestId(request));
    await this.#notes.tryToChange({ remove });
  }

  /** False also where the store does not say so in time. */
  #isPublished({ published }: ApprovalRequest): Promise<boolean> {
    return this.#notes.orAfterWait(published, false);
  }

  /** A replica that could not reach the store for a while comes back, and finds what was written. */
  #followReplicas(): void {
    const { clock, replicas, store } = this.#options;
    if (!store.isShared) return;
    const replicaIds = this.#notes.list('request').map(({ home }) => home);
    this.#gone = new Set(replicaIds.filter((id) => id !== null && replicas?.isGone(id)));
    this.#follow();
    this.changed.emit();
    this.#removal?.cancel();
    this.#removal = clock.after(limits.goneReplicaNotesMs, () => void this.#removeEnded());
  }

  /** The notes of replicas that stay away, and those whose time is over. */
  async #removeEnded(): Promise<void> {
    try {
      if ((await this.#options.store.removeEndedNotes()) === 0) return;
      await this.#reads.read();
      this.changed.emit();
    } catch (error) {
      this.#notes.warnOfFailure(error);
    }
  }
}

function returnMark(call: CallToApprove, state: unknown): string {
  return `${markOfCall(call)} ${JSON.stringify(state ?? null)}`;
}
