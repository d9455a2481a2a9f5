/** The sessions of the legacy era: what one holds between its requests, and all of them: found by id, capped in number, ended when idle. */

import type { Principal } from '../access/access.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { idAt, randomId } from '../base/ids.ts';
import { limits } from '../config/config.ts';
import type { Endpoint, EndpointChange } from '../endpoint/endpoint.ts';
import {
  isFailure,
  notification,
  type Params,
  type RequestId,
  type Result,
  RpcError,
  type RpcResponse,
  rpcCodes,
  request as rpcRequest,
} from '../protocol/messages.ts';
import type { Slots } from './connections.ts';
import { EventStream } from './event-log.ts';
import { HttpError } from './exchange.ts';

/** Streams of finished requests that can still be read again. */
const maxKeptStreams = 16;
/** The most that all streams of a session keep together, in characters. */
const maxKeptCharacters = 4 * 1_048_576;
/** The version that knows events without data. */
const primingVersion = '2025-11-25';

interface SessionOptions {
  /** Named in the id of the session; null: there are no others. */
  readonly replica: string | null;
  /** Which door the session is good at. */
  readonly home: string;
  /** The principal that opened it; nobody else can use it. */
  readonly owner: Principal;
  /** Its agent is notified when this endpoint changes for this principal. */
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  /** True while a principal has the right to be at this door. */
  readonly mayStay: (principal: Principal) => boolean;
  readonly subscriptions: Slots;
  readonly clock: Clock;
  readonly version: string;
  readonly capabilities: Record<string, unknown>;
  /** The agent as it names itself. */
  readonly client?: string | undefined;
}

/** A request that is being worked on. */
interface InFlight {
  readonly calling: AbortController;
  readonly principal: Principal;
}

interface Question {
  readonly stream: EventStream;
  readonly resolve: (answer: Result) => void;
  readonly reject: (error: unknown) => void;
}

export class LegacySession {
  readonly id: string;
  readonly home: string;
  readonly owner: Principal;
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  readonly version: string;
  readonly capabilities: Record<string, unknown>;
  readonly client: string | undefined;
  /** For what belongs to no request: changes and updates. */
  readonly standing: EventStream;
  readonly inFlight = new Map<RequestId, InFlight>();
  logLevel: string | undefined;
  lastSeen: number;
  readonly #clock: Clock;
  readonly #streams = new Map<string, EventStream>();
  readonly #questions = new Map<RequestId, Question>();
  /** Each with the function that frees its slot. */
  readonly #subscriptions = new Map<string, () => void>();
  readonly #options: SessionOptions;
  readonly #stopChanges: () => void;
  #nextQuestion = 1;
  #isEnded = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.id = idAt(options.replica);
    this.home = options.home;
    this.owner = options.owner;
    this.endpoint = options.endpoint;
    this.principal = options.principal;
    this.version = options.version;
    this.capabilities = options.capabilities;
    this.client = options.client;
    this.#clock = options.clock;
    this.lastSeen = options.clock.elapsed();
    this.standing = this.#addStream();
    this.#stopChanges = options.endpoint.listen(options.principal, (change) => this.#onChange(change));
  }

  get isBusy(): boolean {
    return this.inFlight.size > 0 || this.standing.isConnected;
  }

  mayStay(): boolean {
    const { owner, principal, mayStay } = this.#options;
    return mayStay(owner) && (principal.id === owner.id || mayStay(principal));
  }

  /** Ends the work on behalf of principals that lost their rights. */
  review(): void {
    for (const { calling, principal } of this.inFlight.values())
      if (!this.#options.mayStay(principal)) calling.abort(this.#gone());
  }

  /** A stream for one request; old finished ones make room. */
  openStream(): EventStream {
    const stream = this.#addStream();
    for (const [id, old] of this.#streams) {
      if (this.#streams.size <= maxKeptStreams) break;
      if (old.isEnded) this.#streams.delete(id);
    }
    return stream;
  }

  findStream(id: string): EventStream | undefined {
    return this.#streams.get(id);
  }

  /** Puts a question to the agent on the stream of the request that it belongs to. */
  ask(stream: EventStream, method: string, params: Params | undefined, signal: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isEnded || signal.aborted) return reject(signal.reason ?? this.#gone());
      const id = `toolcrib-${this.#nextQuestion}`;
      this.#nextQuestion += 1;
      this.#questions.set(id, { stream, resolve, reject });
      signal.addEventListener('abort', () => {
        if (!this.#questions.delete(id)) return;
        stream.send(notification('notifications/cancelled', { requestId: id, reason: 'The call has ended.' }));
        reject(signal.reason);
      });
      stream.send(rpcRequest(id, method, params));
    });
  }

  /** An answer of the agent to one of our questions. */
  onResponse(response: RpcResponse): void {
    const question = response.id === null ? undefined : this.#questions.get(response.id);
    if (!question || response.id === null) return;
    this.#questions.delete(response.id);
    if (isFailure(response)) question.reject(RpcError.from(response.error));
    else question.resolve(response.result);
  }

  /** Gives up questions whose agent is not connected: nothing should wait for it when the gateway ends. */
  abandonUnheard(): void {
    for (const [id, question] of this.#questions) {
      if (question.stream.isConnected) continue;
      this.#questions.delete(id);
      question.reject(this.#gone());
    }
  }

  cancel(requestId: unknown): void {
    this.inFlight
      .get(requestId as RequestId)
      ?.calling.abort(new GatewayError('CANCELLED', 'The agent cancelled the request.'));
  }

  /** `principal`: the one of the session, as it is now. */
  async subscribe(uri: string, principal: Principal, agent: Parameters<Endpoint['subscribe']>[2]): Promise<void> {
    if (this.#subscriptions.has(uri)) return;
    if (this.#subscriptions.size >= limits.maxSubscriptionsPerStream) {
      throw new RpcError(
        rpcCodes.invalidParams,
        `A session may watch at most ${limits.maxSubscriptionsPerStream} resources.`,
      );
    }
    const { subscriptions } = this.#options;
    const release = subscriptions.take(this.principal.id);
    if (!release)
      throw new RpcError(rpcCodes.invalidParams, `A token may watch at most ${subscriptions.most} resources at once.`);
    try {
      await this.endpoint.subscribe(uri, principal, agent);
    } catch (error) {
      release();
      throw error;
    }
    // The session may have ended meanwhile, or the same have been asked for twice at once.
    if (this.#isEnded || this.#subscriptions.has(uri)) release();
    else this.#subscriptions.set(uri, release);
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#subscriptions.get(uri)?.();
    if (this.#subscriptions.delete(uri)) await this.endpoint.unsubscribe(uri, this.principal, this.id);
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stopChanges();
    const reason = this.#gone();
    for (const { calling } of this.inFlight.values()) calling.abort(reason);
    for (const question of this.#questions.values()) question.reject(reason);
    for (const stream of this.#streams.values()) stream.end();
    // Don't wait for the servers: one that hangs would keep the session from ending.
    for (const [uri, release] of this.#subscriptions) {
      release();
      void this.endpoint.unsubscribe(uri, this.principal, this.id).catch(() => {});
    }
  }

  #addStream(): EventStream {
    const stream = new EventStream({
      id: randomId(),
      clock: this.#clock,
      hasPriming: this.version === primingVersion,
      onKept: (kept) => this.#makeRoom(kept),
    });
    this.#streams.set(stream.id, stream);
    return stream;
  }

  /** Drops old finished streams first, then events that running ones have written. The agent waits for `newest`. */
  #makeRoom(newest: EventStream): void {
    let kept = 0;
    for (const stream of this.#streams.values()) kept += stream.keptCharacters;
    for (const [id, stream] of this.#streams) {
      if (kept <= maxKeptCharacters) return;
      if (!stream.isEnded || stream === newest) continue;
      kept -= stream.keptCharacters;
      this.#streams.delete(id);
    }
    if (kept > maxKeptCharacters) for (const stream of this.#streams.values()) stream.dropWritten();
  }

  #onChange(change: EndpointChange): void {
    if (change.kind !== 'resource') this.standing.send(notification(`notifications/${change.kind}/list_changed`));
    else if (this.#subscriptions.has(String(change.params.uri)) && (change.session ?? this.id) === this.id)
      this.standing.send(notification('notifications/resources/updated', change.params));
  }

  #gone(): GatewayError {
    return new GatewayError('CANCELLED', 'The session of the agent has ended.');
  }
}

interface LegacySessionsOptions {
  readonly clock: Clock;
  /** Sessions of everybody together, and of one principal. */
  readonly most: () => number;
  readonly mostEach: () => number;
  readonly onEnd: (id: string) => void;
}

export class LegacySessions {
  readonly #options: LegacySessionsOptions;
  readonly #sessions = new Map<string, LegacySession>();
  #timer: Timer | undefined;

  constructor(options: LegacySessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  find(id: string): LegacySession | undefined {
    return this.#sessions.get(id);
  }

  /**
   * When a principal has no session left, its longest idle one ends; when the gateway has none left, the longest idle of
   * all. If all are busy, throws.
   */
  add(owner: string, make: () => LegacySession): LegacySession {
    const own = [...this.#sessions.values()].filter((session) => session.owner.id === owner);
    const mostEach = this.#options.mostEach();
    if (own.length >= mostEach && !this.#endQuietest(own))
      throw full(429, `This token has ${own.length} sessions open; ${mostEach} are allowed.`);
    if (this.#sessions.size >= this.#options.most() && !this.#endQuietest([...this.#sessions.values()]))
      throw full(503, 'Too many sessions are open.');
    const session = make();
    this.#sessions.set(session.id, session);
    this.#timer ??= this.#options.clock.after(limits.sessionIdleMs / 4, () => this.#sweep());
    return session;
  }

  /** False when all are busy. */
  #endQuietest(sessions: readonly LegacySession[]): boolean {
    const [idle] = sessions.filter((item) => !item.isBusy).sort((a, b) => a.lastSeen - b.lastSeen);
    if (idle) this.end(idle.id);
    return idle !== undefined;
  }

  /** Ends sessions whose owner lost its rights, and in the others the work of principals that did. */
  review(): void {
    for (const session of this.#sessions.values()) {
      if (session.mayStay()) session.review();
      else this.end(session.id);
    }
  }

  end(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    session.end();
    this.#options.onEnd(id);
  }

  /** No agent that is away can come back in time any more. */
  abandonUnheard(): void {
    for (const session of this.#sessions.values()) session.abandonUnheard();
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = this.#options.clock.elapsed();
    for (const session of this.#sessions.values()) {
      if (!session.isBusy && now - session.lastSeen > limits.sessionIdleMs) this.end(session.id);
    }
    if (this.#sessions.size > 0) this.#timer = this.#options.clock.after(limits.sessionIdleMs / 4, () => this.#sweep());
  }

  close(): void {
    this.#timer?.cancel();
    for (const id of this.#sessions.keys()) this.end(id);
  }
}

function full(status: number, message: string): HttpError {
  return new HttpError(status, message, { headers: { 'retry-after': '30' }, rpcCode: rpcCodes.serverError });
}
