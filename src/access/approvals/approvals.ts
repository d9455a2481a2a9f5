/** Calls that need approval: who asks, what was answered, and how long that holds. Open requests do not survive a restart. */

import type { AuditLog } from '../../audit/audit.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { GatewayError } from '../../base/errors.ts';
import { callId, idAt, isCallId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { Signal } from '../../base/signal.ts';
import { limits } from '../../config/config.ts';
import { type ApprovalStore, type StoreChanges, StoreFollower, type StoreSharing } from '../../store/store.ts';
import {
  type ApprovalAnswer,
  type ApprovalGrant,
  type Approver,
  type CallToApprove,
  markOfCall,
  markOfDefinition,
  type SentParts,
} from './approval.ts';
import { ApprovalRequest } from './approval-request.ts';
import { ApprovalGrants } from './grants.ts';
import { showJson } from './shown-json.ts';
import { type Actor, ApprovalTrail } from './trail.ts';

export interface ApprovalOptions {
  readonly store: ApprovalStore & StoreChanges & Pick<StoreSharing, 'isShared'>;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Read for each request, because the config may change. */
  readonly settings: () => { readonly approvalTimeoutMs: number };
  /** The id of this replica; null or left out: there are no others. */
  readonly replica?: string | null | undefined;
}

interface Open {
  readonly request: ApprovalRequest;
  readonly mark: string;
  readonly expiry: Timer;
  /** Set where the agent has to come back with it for the call to go on. */
  readonly handle: string | undefined;
  /** Set once the session of the agent has ended. */
  isSessionOver: boolean;
}

/** How a request is put. */
interface Asking {
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
  readonly #grants: ApprovalGrants;
  readonly #trail: ApprovalTrail;
  /** By id, in the order in which they were asked; also those that are answered while the agent has not come back. */
  readonly #open = new Map<string, Open>();
  /** Calls that may be made once, and calls that must not be asked about again. */
  readonly #passes: ApprovalMarks;
  readonly #refusals: ApprovalMarks;
  /** Tools of which the owner refused a call: the agent, which may answer its own forms, cannot allow them as a whole. */
  readonly #refusedTools: ApprovalMarks;
  readonly #follower: StoreFollower;

  constructor(options: ApprovalOptions) {
    const { clock, store, audit } = options;
    this.replica = options.replica ?? null;
    this.#options = options;
    this.#grants = new ApprovalGrants(store, clock);
    this.#trail = new ApprovalTrail(audit);
    this.#passes = new ApprovalMarks(clock, limits.answeredCalls);
    this.#refusals = new ApprovalMarks(clock, limits.answeredCalls);
    this.#refusedTools = new ApprovalMarks(clock, limits.answeredCalls);
    this.#follower = new StoreFollower({
      ...options,
      subject: 'Approvals',
      isMeant: ({ type }) => type === 'access',
      read: () => this.#grants.reload(),
    });
  }

  open(): Promise<void> {
    return this.#follower.open(() => this.#grants.reload());
  }

  async close(): Promise<void> {
    for (const { request } of [...this.#open.values()]) this.#end(request, 'expired');
    await this.#follower.close();
  }

  static isHandle(value: unknown): value is string {
    return typeof value === 'string' && value.startsWith(handlePrefix);
  }

  /** True if a standing approval covers a call of this tool. */
  isGranted(call: CallToApprove): boolean {
    return !this.isRefused(call) && this.#grants.has(call);
  }

  /** Takes over what another gateway may have approved a moment ago; what cannot be read stays as it is. */
  async refresh(): Promise<void> {
    if (this.#options.store.isShared) await this.#grants.reload().catch(() => {});
  }

  /** True if exactly this call was approved; once for each approval. */
  takePass(call: CallToApprove): boolean {
    return this.#passes.take(markOfCall(call));
  }

  /** True if the owner refused exactly this call a short while ago. */
  isRefused(call: CallToApprove): boolean {
    return this.#refusals.has(markOfCall(call));
  }

  /** A call that was approved once comes back because its server asked something in between; `state` is what it comes with. */
  expectReturn(call: CallToApprove, state: unknown): void {
    this.#passes.add(returnMark(call, state), limits.parkedCallTtlMs);
  }

  takeReturn(call: CallToApprove, state: unknown): boolean {
    return this.#passes.take(returnMark(call, state));
  }

  /** A call that its own caller may approve, and does. */
  approveOwn(call: CallToApprove): Promise<void> {
    return this.#trail.answered(call, 'once', { principal: call.principal, approver: 'owner' });
  }

  /** Asks the owner alone. The same call that is made again meanwhile is the same request. */
  askOwner(call: CallToApprove, sent: SentParts): ApprovalRequest {
    const mark = markOfCall(call);
    for (const { request, mark: other } of this.#open.values())
      if (other === mark && request.facts.approver === 'owner' && request.decision === undefined) return request;
    return this.#ask(call, sent, { approver: 'owner' });
  }

  /** Asks at the agent, on the stream of its request. */
  askAgent(call: CallToApprove, sent: SentParts): ApprovalRequest {
    return this.#ask(call, sent, { approver: 'agent' });
  }

  /** Asks an agent that comes back with the answer in another request, which has to bring the handle. */
  askLater(
    call: CallToApprove,
    sent: SentParts,
    onAbandoned: () => void,
  ): { readonly request: ApprovalRequest; readonly handle: string } {
    const handle = `${handlePrefix}${idAt(this.replica)}`;
    return { request: this.#ask(call, sent, { approver: 'agent', handle, onAbandoned }), handle };
  }

  /** The request that an agent comes back to: only the same call of the same principal does. */
  findByHandle(handle: string, call: CallToApprove): ApprovalRequest | undefined {
    const mark = markOfCall(call);
    return [...this.#open.values()].find((item) => item.handle === handle && item.mark === mark)?.request;
  }

  /** From here on its handle means nothing any more. */
  leave(request: ApprovalRequest): void {
    this.#open.get(request.facts.id)?.expiry.cancel();
    this.#open.delete(request.facts.id);
  }

  /** The answer of the person at the agent. Only the owner approves beyond the session, and beyond the call after refusing one. */
  async answerAtAgent(request: ApprovalRequest, answer: Exclude<ApprovalAnswer, 'always'>): Promise<void> {
    const { call } = request.facts;
    const isTooMuch = answer === 'session' && (!this.#isSessionOffered(call) || this.#isSessionOver(request));
    await this.#answer(request, isTooMuch ? 'once' : answer, { principal: call.principal, approver: 'agent' });
  }

  /** The answer of the owner. Throws if the request is no longer open. */
  async answer(id: string, answer: ApprovalAnswer, by: Actor['principal']): Promise<ApprovalRequest> {
    const { request } = this.#open.get(id) ?? {};
    if (!request || request.decision !== undefined) {
      throw isCallId(id) ? noSuchCall(id) : noCall(id, answer);
    }
    if (answer === 'session' && this.#isSessionOver(request)) {
      throw new GatewayError('USAGE', 'The session that this call came from has ended.', {
        hint: `Approve the one call (toolcrib approve ${id}), or all calls of the tool (--always).`,
      });
    }
    await this.#answer(request, answer, { principal: by, approver: 'owner' });
    return request;
  }

  /** The caller withdraws its request. */
  withdraw(request: ApprovalRequest): void {
    this.#end(request, 'withdrawn');
  }

  /** Open requests, the newest last. */
  waiting(): ApprovalRequest[] {
    return [...this.#open.values()].map(({ request }) => request).filter(({ decision }) => decision === undefined);
  }

  /** Standing approvals that still hold, oldest first. */
  lasting(): ApprovalGrant[] {
    return this.#grants.list();
  }

  /** Ends its approvals, and refuses new ones. */
  endSession(session: string): void {
    this.#grants.endSession(session);
    for (const open of this.#open.values()) if (open.request.facts.call.session === session) open.isSessionOver = true;
  }

  /** Takes back what was approved beyond one call. */
  async forget(id: string, by: Actor['principal']): Promise<ApprovalGrant> {
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

  #ask(call: CallToApprove, sent: SentParts, { approver, handle, onAbandoned }: Asking): ApprovalRequest {
    this.#checkRoom(call);
    const { clock, settings } = this.#options;
    const id = callId((taken) => this.#open.has(taken));
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
    const expiry = clock.after(timeoutMs, () => {
      this.#end(request, 'expired');
      onAbandoned?.();
    });
    this.#open.set(id, { request, mark: markOfCall(call), expiry, handle, isSessionOver: false });
    this.changed.emit();
    void this.#trail.asked(request.facts, sent);
    return request;
  }

  #checkRoom({ principal }: CallToApprove): void {
    const waiting = this.waiting();
    const own = waiting.filter(({ facts }) => facts.call.principal.id === principal.id).length;
    if (waiting.length < limits.waitingApprovals && own < limits.waitingApprovalsEach) return;
    const count = own >= limits.waitingApprovalsEach ? own : waiting.length;
    throw new GatewayError('RATE_LIMITED', `${count} calls already wait for approval.`, {
      hint: 'List them: toolcrib approvals. Requests that nobody answers in time expire.',
    });
  }

  /** A lasting approval is stored first: if that fails, nothing was answered. */
  async #answer(request: ApprovalRequest, answer: ApprovalAnswer, by: Actor): Promise<void> {
    const { call } = request.facts;
    if (request.decision !== undefined) return;
    if (answer === 'always') await this.#grants.addForAlways(call, by.principal.name);
    if (answer === 'session') this.#grants.addForSession(call, by.principal.name);
    const isOwners = by.approver === 'owner';
    if (isOwners && (answer === 'always' || answer === 'session')) this.#liftRefusals(call);
    const answered = isOwners && answer === 'refuse' ? this.#refuse(request) : [request];
    for (const one of answered) this.#settle(one, answer);
    this.changed.emit();
    for (const { facts } of answered) await this.#trail.answered(facts.call, answer, by, facts.id);
  }

  /** The owner's no stands wherever the request was put. Gives every request about the same call: one no is for all of them. */
  #refuse({ facts: { call } }: ApprovalRequest): ApprovalRequest[] {
    const { approvalTimeoutMs } = this.#options.settings();
    const mark = markOfCall(call);
    this.#refusals.add(mark, approvalTimeoutMs);
    this.#refusedTools.add(markOfDefinition(call), approvalTimeoutMs);
    this.#passes.take(mark);
    this.#grants.endForSessions(call);
    return this.waiting().filter((other) => markOfCall(other.facts.call) === mark);
  }

  /** The owner's later word about the whole tool goes before what was refused of it. */
  #liftRefusals(call: CallToApprove): void {
    this.#refusals.removeAll(markOfDefinition(call));
    this.#refusedTools.removeAll(markOfDefinition(call));
  }

  #isSessionOffered(call: CallToApprove): boolean {
    return !this.#refusedTools.has(markOfDefinition(call));
  }

  #isSessionOver({ facts }: ApprovalRequest): boolean {
    return this.#open.get(facts.id)?.isSessionOver === true;
  }

  #settle(request: ApprovalRequest, answer: ApprovalAnswer): void {
    const { id, approver, call } = request.facts;
    request.decide(answer);
    const open = this.#open.get(id);
    // One whose agent has to come back stays until it does.
    if (open?.handle !== undefined) return;
    this.leave(request);
    const { approvalTimeoutMs } = this.#options.settings();
    if (approver === 'owner' && answer === 'once') this.#passes.add(markOfCall(call), approvalTimeoutMs);
  }

  #end(request: ApprovalRequest, ending: 'expired' | 'withdrawn'): void {
    this.leave(request);
    if (request.decision !== undefined) return;
    request.decide(ending);
    this.changed.emit();
    void this.#trail.ended(request.facts, ending);
  }
}

function noSuchCall(id: string): GatewayError {
  return new GatewayError('USAGE', `No call waits for approval under "${id}".`, {
    hint: 'List waiting calls: toolcrib approvals. Calls that were answered, cancelled or timed out are gone.',
  });
}

/** A server or a tool is decided about elsewhere. */
function noCall(named: string, answer: ApprovalAnswer): GatewayError {
  const verb = answer === 'refuse' ? 'reject' : 'accept';
  return new GatewayError('USAGE', `"${named}" is not the id of a call; nothing was decided.`, {
    hint: `To ${verb} definitions of a server: toolcrib review ${verb} ${named}. Calls that wait: toolcrib approvals`,
  });
}

function returnMark(call: CallToApprove, state: unknown): string {
  return `${markOfCall(call)} ${JSON.stringify(state ?? null)}`;
}

class ApprovalMarks {
  readonly #clock: Clock;
  readonly #most: number;
  /** Until when each holds, on the monotonic clock. */
  readonly #until = new Map<string, number>();

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  add(mark: string, ms: number): void {
    this.#until.delete(mark);
    this.#until.set(mark, this.#clock.elapsed() + ms);
    if (this.#until.size > this.#most) this.#makeRoom();
  }

  has(mark: string): boolean {
    const until = this.#until.get(mark);
    if (until === undefined) return false;
    if (until > this.#clock.elapsed()) return true;
    this.#until.delete(mark);
    return false;
  }

  /** True once for each time that it was added. */
  take(mark: string): boolean {
    return this.has(mark) && this.#until.delete(mark);
  }

  /** Forgets every mark that begins like this. */
  removeAll(beginning: string): void {
    for (const mark of this.#until.keys()) if (mark.startsWith(beginning)) this.#until.delete(mark);
  }

  #makeRoom(): void {
    const now = this.#clock.elapsed();
    for (const [mark, until] of this.#until) if (until <= now) this.#until.delete(mark);
    for (const mark of this.#until.keys()) {
      if (this.#until.size <= this.#most) return;
      this.#until.delete(mark);
    }
  }
}
