/** One live connection to a server in one era: requests go out, as many at once as its limits allow; changes and its end are reported. */

import { type Clock, sleep, type Timer } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { Limiter } from '../base/limiter.ts';
import { Signal } from '../base/signal.ts';
import { type Config, limits } from '../config/config.ts';
import { type Era, hopKeys, mcpLogLevels, metaOf, withMeta, withoutMeta } from '../protocol/eras.ts';
import { type Params, type Result, RpcError, type RpcNotification, type RpcRequest } from '../protocol/messages.ts';
import { type Span, targetOf } from '../telemetry/telemetry.ts';
import { type Agreement, connectPatience, envelope, type PatienceOptions, shakeHands } from './handshake.ts';
import { hung, isTimeout, lineFull, queueTimeout } from './link-trouble.ts';
import { Peer, type PeerRequest } from './peer.ts';
import { Listening, type ListKind } from './subscriptions.ts';
import type { Transport } from './transport.ts';

/** The agent for whom a request is made. */
interface AgentTraits {
  readonly capabilities: Record<string, unknown>;
  readonly logLevel?: string | undefined;
  /** Its identity: one principal never sees what another's call caused. */
  readonly principal?: string | undefined;
}

export interface LinkRequest extends Omit<PeerRequest, 'timeoutMs'> {
  readonly timeoutMs: number;
  readonly agent: AgentTraits;
  /** Throws where the request must not be sent any more; asked after it had to wait for a listing. */
  readonly recheck?: (() => void) | undefined;
  /** The span that it is a part of. */
  readonly span?: Span | undefined;
}

export type { ListKind };

/** Which link a request wants: the era of its agent, and its session where the server must not be shared. */
export interface LinkChoice {
  readonly era: Era;
  readonly session?: string | undefined;
}

export interface LinkOptions extends PatienceOptions {
  readonly transport: Transport;
  readonly want: 'legacy' | 'modern' | 'probe';
  readonly capabilities: Record<string, unknown>;
  readonly roots: Config['connect']['roots'];
  /** Gives up connecting; a link that is open is closed by `close` alone. */
  readonly signal: AbortSignal;
}

/** Settings that may change while a link is open. */
export interface LinkLimits {
  readonly maxConcurrent: number;
  /** 0: never closed for being idle. */
  readonly idleMs: number;
}

export class Link {
  readonly server: string;
  readonly transport: Transport;
  readonly connectedAt: number;
  /** The same in monotonic time. */
  readonly openedAt: number;
  readonly agreement: Agreement;
  readonly listChanged = new Signal<ListKind>();
  readonly resourceUpdated = new Signal<Params>();
  readonly closed = new Signal<Error>();
  /** Nobody is at the other end at the moment (`trouble`), or somebody is again. */
  readonly reached = new Signal<void>();
  /** It has been idle for as long as its limits say. */
  readonly idle = new Signal<void>();
  readonly #peer: Peer;
  readonly #limiter: Limiter;
  readonly #clock: Clock;
  readonly #listening: Listening | undefined;
  /** By resource, the promise that the server has heard of the subscription. */
  readonly #subscriptions = new Map<string, Promise<void>>();
  #logLevel: string | undefined;
  /** Calls in a row that timed out while the server said nothing at all. */
  #silentTimeouts = 0;
  #isChecking = false;
  #lastUsed: number;
  #renewedAt: number;
  #death: Error | undefined;
  #trouble: Error | undefined;
  #onQuiet: () => void = () => {};
  #stopWatching: () => void = () => {};
  #end: Promise<void> | undefined;

  private constructor(options: LinkOptions, peer: Peer, agreement: Agreement) {
    this.server = options.server;
    this.transport = options.transport;
    this.agreement = agreement;
    this.#peer = peer;
    this.#clock = options.clock;
    const refuse = (running: number, waiting: number) => lineFull(options.server, running, waiting);
    this.#limiter = new Limiter(refuse, Number.POSITIVE_INFINITY, limits.maxQueuedCallsPerLink);
    this.connectedAt = options.clock.now();
    this.openedAt = options.clock.elapsed();
    this.#lastUsed = this.openedAt;
    this.#renewedAt = this.openedAt;
    this.#listening =
      agreement.era === 'modern'
        ? new Listening(
            peer,
            options.clock,
            agreement.capabilities,
            (kind) => this.listChanged.emit(kind),
            (trouble) => this.#onReach(trouble),
            () => this.#onGap(),
          )
        : undefined;
    void this.#listening?.open();
  }

  /** Connects and shakes hands; on failure everything that was started has ended before it rejects. */
  static async open(options: LinkOptions): Promise<Link> {
    const patience = connectPatience(options);
    const trying = AbortSignal.any([patience.signal, options.signal]);
    let link: Link | undefined;
    let early: Error | undefined;
    const peer = new Peer(options.server, options.transport, options.clock, {
      onNotification: (message) => {
        if (link) link.#onNotification(message);
      },
      onRequest: (request) => answerOurselves(request, options.roots),
    });
    try {
      await options.transport.open(
        {
          onMessage: (message, owner) => {
            if (link) link.#silentTimeouts = 0;
            else patience.onMessage();
            peer.receive(message, owner);
          },
          onClose: (reason) => {
            early = reason;
            if (link) link.#die(reason);
            else peer.close(reason);
          },
          onReach: (trouble) => {
            if (link) link.#onReach(trouble);
          },
        },
        trying,
      );
      const agreement = await shakeHands(peer, {
        server: options.server,
        want: options.want,
        capabilities: options.capabilities,
        timeoutMs: patience.timeoutMs,
        signal: trying,
      });
      await options.transport.settle(agreement);
      if (early) throw early;
      peer.isCancelByClose = agreement.era === 'modern' && options.transport.kind === 'http';
      link = new Link(options, peer, agreement);
      return link;
    } catch (error) {
      peer.close(error);
      await options.transport.close();
      throw error;
    } finally {
      patience.end();
    }
  }

  /** Holds from now on, also for calls that wait and for a link that is idle already. */
  setLimits({ maxConcurrent, idleMs }: LinkLimits): void {
    this.#limiter.atOnce = maxConcurrent;
    this.#stopWatching();
    this.#stopWatching = whenIdle(this, idleMs, this.#clock, () => this.idle.emit());
  }

  get era(): 'legacy' | 'modern' {
    return this.agreement.era;
  }

  /** True when the server said it has this part of the protocol. */
  offers(capability: string): boolean {
    return isObject(this.agreement.capabilities[capability]);
  }

  get isIdle(): boolean {
    return this.#limiter.running === 0 && this.#subscriptions.size === 0;
  }

  get idleMs(): number {
    return this.isIdle ? this.#clock.elapsed() - this.#lastUsed : 0;
  }

  /** Why the link ended by itself: known here even to those who did not listen when it was told. */
  get death(): Error | undefined {
    return this.#death;
  }

  /** Why nobody can be reached by it at the moment: known without asking, where the server holds a stream open for us. */
  get trouble(): Error | undefined {
    return this.#trouble;
  }

  /** Since when the server at the other end may be another one than before, in monotonic time. */
  get renewedAt(): number {
    return this.#renewedAt;
  }

  get callsInFlight(): number {
    return this.#limiter.running + this.callsWaiting;
  }

  /** Those of them that wait for a turn. */
  get callsWaiting(): number {
    return this.#limiter.waiting;
  }

  async request(request: LinkRequest): Promise<Result> {
    const { startedAt = this.#clock.elapsed() } = request;
    this.#lastUsed = this.#clock.elapsed();
    const { trouble } = this;
    const patience = this.#limiter.isFull ? this.#waitFor(request, startedAt) : undefined;
    try {
      const result = await this.#limiter.run(async () => {
        patience?.stop();
        // While it waited its tool may have been held, or its token revoked.
        if (patience) request.recheck?.();
        return this.#send({ ...request, startedAt, principal: request.agent.principal });
      }, patience?.signal ?? request.signal);
      this.#onAnswer(trouble);
      return result;
    } catch (error) {
      if (error instanceof RpcError) this.#onAnswer(trouble);
      if (isTimeout(error) && error.data?.isUnexecuted !== true) this.#onTimeout();
      throw error;
    } finally {
      patience?.stop();
      this.#lastUsed = this.#clock.elapsed();
      if (this.callsInFlight === 0) this.#onQuiet();
    }
  }

  /** Waiting for a turn takes from the time of the request. */
  #waitFor(
    { method, signal, timeoutMs }: LinkRequest,
    startedAt: number,
  ): { readonly signal: AbortSignal; stop(): void } {
    const waiting = new AbortController();
    const onAbort = () => waiting.abort(signal?.reason);
    const leftMs = Math.max(0, startedAt + timeoutMs - this.#clock.elapsed());
    const timer = this.#clock.after(leftMs, () => waiting.abort(queueTimeout(this.server, method, timeoutMs)));
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    const stop = () => {
      timer.cancel();
      signal?.removeEventListener('abort', onAbort);
    };
    return { signal: waiting.signal, stop };
  }

  /** A server that let several calls time out without a word must answer a simple question, or it is given up. */
  #onTimeout(): void {
    this.#silentTimeouts += 1;
    if (this.#silentTimeouts < limits.maxSilentTimeouts || this.#isChecking) return;
    this.#isChecking = true;
    const method = this.era === 'modern' ? 'server/discover' : 'ping';
    const params = this.era === 'modern' ? { _meta: envelope({}) } : undefined;
    this.#peer
      .request({ method, params, timeoutMs: limits.probeTimeoutMs })
      // Any answer is a sign of life, and a link that ended meanwhile needs no verdict.
      .catch((error) => (isTimeout(error) && this.#silentTimeouts > 0 ? this.#die(hung(this.server)) : undefined))
      .finally(() => {
        this.#isChecking = false;
      });
  }

  #send(request: OutgoingRequest): Promise<Result> {
    if (!request.span) return this.#deliver(request);
    const { params, headers, ...rest } = request;
    const target = targetOf(request);
    const span = request.span.child(target ? `${request.method} ${target.name}` : request.method, {
      kind: 'client',
      attributes: {
        'mcp.method.name': request.method,
        'mcp.protocol.version': this.agreement.version,
        'network.transport': this.transport.kind === 'stdio' ? 'pipe' : 'tcp',
        'toolcrib.server': this.server,
        ...target?.attributes,
      },
    });
    // A legacy server has no name for it in a message, unless its agent wrote one.
    const isInMeta = this.era === 'modern' || metaOf(params)?.traceparent !== undefined;
    const traced = {
      ...rest,
      params: isInMeta ? withMeta(params && withoutMeta(params, traceKeys), span.carrier) : params,
      headers: this.transport.kind === 'stdio' ? headers : { ...headers, ...span.carrier },
    };
    return span.during(() => this.#deliver(traced));
  }

  async #deliver(request: OutgoingRequest): Promise<Result> {
    const passed = request.params && withoutMeta(request.params, hopKeys);
    if (this.era === 'modern') {
      const params = withMeta(passed, envelope(request.agent.capabilities, request.agent.logLevel));
      return this.#peer.request({ ...request, params });
    }
    if (request.agent.logLevel !== undefined) await this.#lowerLogLevel(request.agent.logLevel);
    return this.#peer.request({ ...request, params: passed });
  }

  /** A shared link sends what its most curious agent wants; the doors filter for the others. */
  async #lowerLogLevel(level: string): Promise<void> {
    const isEnough =
      this.#logLevel !== undefined && mcpLogLevels.indexOf(this.#logLevel) <= mcpLogLevels.indexOf(level);
    if (isEnough || !this.offers('logging')) return;
    this.#logLevel = level;
    const request = { method: 'logging/setLevel', params: { level }, timeoutMs: limits.probeTimeoutMs };
    // A server that announces logging and cannot set a level loses its log messages, not the call.
    await this.#peer.request(request).catch(() => {});
  }

  /** The resources whose changes this link tells of. */
  get subscribed(): readonly string[] {
    return [...this.#subscriptions.keys()];
  }

  isSubscribed(uri: string): boolean {
    return this.#subscriptions.has(uri);
  }

  /** Wants to hear of changes of a resource; resolves when the server knows. */
  subscribe(uri: string): Promise<void> {
    const known = this.#subscriptions.get(uri);
    if (known) return known;
    const telling = Promise.resolve().then(() => this.#subscribe(uri));
    this.#subscriptions.set(uri, telling);
    telling.catch(() => this.#subscriptions.delete(uri));
    return telling;
  }

  async #subscribe(uri: string): Promise<void> {
    if (this.#listening) await this.#listening.setResources(this.subscribed);
    else await this.#plain('resources/subscribe', { uri });
  }

  async unsubscribe(uri: string): Promise<void> {
    if (!this.#subscriptions.delete(uri)) return;
    if (this.#listening) await this.#listening.setResources(this.subscribed);
    else await this.#plain('resources/unsubscribe', { uri });
  }

  #plain(method: string, params: Params): Promise<Result> {
    return this.#peer.request({ method, params, timeoutMs: limits.listTimeoutMs });
  }

  /** Closes once the calls in flight have their answers, or after `graceMs`. */
  async retire(graceMs: number): Promise<void> {
    if (graceMs > 0 && this.callsInFlight > 0) {
      const quiet = new AbortController();
      this.#onQuiet = () => quiet.abort();
      await sleep(this.#clock, graceMs, quiet.signal).catch(() => {});
    }
    await this.close();
  }

  close(): Promise<void> {
    this.#end ??= this.#close();
    return this.#end;
  }

  /** A server that answers a request sent after the trouble began is back, even before its stream is. */
  #onAnswer(troubleBefore: Error | undefined): void {
    if (troubleBefore === undefined || this.#trouble !== troubleBefore) return;
    this.#onReach(undefined);
    this.#listening?.hurry();
    this.transport.hurry?.();
  }

  #onReach(trouble: Error | undefined): void {
    if ((trouble === undefined) === (this.#trouble === undefined)) return;
    this.#trouble = trouble;
    this.reached.emit();
  }

  /** A server that was not heard for a while may have been started again. */
  #onGap(): void {
    this.#renewedAt = this.#clock.elapsed();
  }

  #die(reason: Error): void {
    if (this.#death) return;
    this.#death = reason;
    this.#stopWatching();
    this.#peer.close(reason);
    this.closed.emit(reason);
  }

  async #close(): Promise<void> {
    this.#stopWatching();
    this.#listening?.close();
    this.#peer.close(new GatewayError('SERVER_DISCONNECTED', `The link to server "${this.server}" was closed.`));
    await this.transport.close();
  }

  #onNotification(message: RpcNotification): void {
    const kind = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(message.method)?.[1];
    if (kind) return this.listChanged.emit(kind as ListKind);
    if (message.method === 'notifications/resources/updated') this.resourceUpdated.emit(message.params ?? {});
  }
}

type OutgoingRequest = PeerRequest & Pick<LinkRequest, 'agent' | 'span'>;

/** Members of `_meta` that say where a request stands in a trace. */
const traceKeys: readonly string[] = ['traceparent', 'tracestate'];

/**
 * Calls back when a link has been idle for a time (0: never); returns the function that stops watching. One in trouble
 * does not count: it notices that the server is back.
 */
function whenIdle(link: Link, idleMs: number, clock: Clock, onIdle: () => void): () => void {
  if (idleMs === 0) return () => {};
  let timer: Timer | undefined;
  const look = () => {
    const isRestful = link.isIdle && link.trouble === undefined;
    if (isRestful && link.idleMs >= idleMs) return onIdle();
    timer = clock.after(Math.max(isRestful ? idleMs - link.idleMs : idleMs, 10), look);
  };
  timer = clock.after(idleMs, look);
  return () => timer?.cancel();
}

/** Answers requests that concern no agent: `ping`, and the folders that the owner configured. */
function answerOurselves(request: RpcRequest, roots: Config['connect']['roots']): Result | undefined {
  if (request.method === 'ping') return {};
  return request.method === 'roots/list' ? rootsOf({ roots }) : undefined;
}

/** The answer to `roots/list`. */
export function rootsOf({ roots }: Pick<Config['connect'], 'roots'>): Result {
  return { roots: roots.map(({ uri, name }) => (name === null ? { uri } : { uri, name })) };
}
