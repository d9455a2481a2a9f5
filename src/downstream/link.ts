/** One live connection to a server in one era: requests go out, changes and the end are told. */

import type { Clock, Timer } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { Signal } from '../base/signal.ts';
import { type Config, limits } from '../config/config.ts';
import { envelopeKeys, logLevels, withMeta, withoutMeta } from '../protocol/eras.ts';
import type { Params, Result, RpcNotification, RpcRequest } from '../protocol/messages.ts';
import { type Agreement, envelope, shakeHands } from './handshake.ts';
import { Limiter } from './limiter.ts';
import { Listening } from './listening.ts';
import { Peer, type PeerRequest } from './peer.ts';
import type { Transport } from './transport.ts';

/** What the far end must know about the agent for whom a request is made. */
export interface AgentTraits {
  readonly capabilities: Record<string, unknown>;
  readonly logLevel?: string | undefined;
}

export interface LinkRequest extends Omit<PeerRequest, 'timeoutMs'> {
  readonly timeoutMs: number;
  readonly agent: AgentTraits;
}

export type ListKind = 'tools' | 'prompts' | 'resources';

export interface LinkOptions {
  readonly server: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly want: 'legacy' | 'modern' | 'probe';
  readonly capabilities: Record<string, unknown>;
  readonly roots: Config['connect']['roots'];
  readonly connectTimeoutMs: number;
  readonly maxConcurrent: number;
}

export class Link {
  readonly server: string;
  readonly transport: Transport;
  readonly connectedAt: number;
  readonly agreement: Agreement;
  readonly listChanged = new Signal<ListKind>();
  readonly resourceUpdated = new Signal<Params>();
  readonly closed = new Signal<Error>();
  readonly #peer: Peer;
  readonly #limiter: Limiter;
  readonly #clock: Clock;
  readonly #listening: Listening | undefined;
  readonly #subscriptions = new Set<string>();
  #logLevel: string | undefined;
  #lastUsed: number;
  #end: Promise<void> | undefined;

  private constructor(options: LinkOptions, peer: Peer, agreement: Agreement) {
    this.server = options.server;
    this.transport = options.transport;
    this.agreement = agreement;
    this.#peer = peer;
    this.#clock = options.clock;
    this.#limiter = new Limiter(options.server, options.maxConcurrent, limits.maxQueuedCallsPerLink);
    this.connectedAt = options.clock.now();
    this.#lastUsed = options.clock.elapsed();
    this.#listening =
      agreement.era === 'modern' ? new Listening(peer, options.clock, agreement.capabilities) : undefined;
    this.#listening?.open();
  }

  /** Connects and shakes hands; on failure everything that was started has ended before it rejects. */
  static async open(options: LinkOptions): Promise<Link> {
    const trying = new AbortController();
    const timer = options.clock.after(options.connectTimeoutMs, () => trying.abort(connectTimeout(options)));
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
          onMessage: (message, owner) => peer.receive(message, owner),
          onClose: (reason) => {
            early = reason;
            peer.close(reason);
            link?.closed.emit(reason);
          },
        },
        trying.signal,
      );
      const agreement = await shakeHands(peer, {
        server: options.server,
        want: options.want,
        capabilities: options.capabilities,
        timeoutMs: options.connectTimeoutMs,
        signal: trying.signal,
      });
      if (early) throw early;
      await options.transport.settle(agreement);
      peer.isCancelByClose = agreement.era === 'modern' && options.transport.kind === 'http';
      link = new Link(options, peer, agreement);
      return link;
    } catch (error) {
      peer.close(error);
      await options.transport.close();
      throw error;
    } finally {
      timer.cancel();
    }
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

  get callsInFlight(): number {
    return this.#limiter.running + this.#limiter.waiting;
  }

  async request(request: LinkRequest): Promise<Result> {
    this.#lastUsed = this.#clock.elapsed();
    try {
      return await this.#limiter.run(() => this.#send(request), request.signal);
    } finally {
      this.#lastUsed = this.#clock.elapsed();
    }
  }

  async #send(request: LinkRequest): Promise<Result> {
    if (this.era === 'modern') {
      const params = withMeta(request.params, envelope(request.agent.capabilities, request.agent.logLevel));
      return this.#peer.request({ ...request, params });
    }
    if (request.agent.logLevel !== undefined) await this.#lowerLogLevel(request.agent.logLevel);
    const params = request.params && withoutMeta(request.params, envelopeKeys);
    return this.#peer.request({ ...request, params });
  }

  /** A shared link sends what its most curious agent wants; the doors filter for the others. */
  async #lowerLogLevel(level: string): Promise<void> {
    const isEnough = this.#logLevel !== undefined && logLevels.indexOf(this.#logLevel) <= logLevels.indexOf(level);
    if (isEnough || !this.offers('logging')) return;
    this.#logLevel = level;
    const request = { method: 'logging/setLevel', params: { level }, timeoutMs: limits.probeTimeoutMs };
    // A server that announces logging and cannot set a level loses its log messages, not the call.
    await this.#peer.request(request).catch(() => {});
  }

  /** Wants to hear of changes of a resource. */
  async subscribe(uri: string): Promise<void> {
    if (this.#subscriptions.has(uri)) return;
    if (this.era === 'legacy') await this.#plain('resources/subscribe', { uri });
    this.#subscriptions.add(uri);
    this.#listening?.setResources([...this.#subscriptions]);
  }

  async unsubscribe(uri: string): Promise<void> {
    if (!this.#subscriptions.delete(uri)) return;
    if (this.era === 'legacy') await this.#plain('resources/unsubscribe', { uri });
    this.#listening?.setResources([...this.#subscriptions]);
  }

  #plain(method: string, params: Params): Promise<Result> {
    return this.#peer.request({ method, params, timeoutMs: limits.listTimeoutMs });
  }

  close(): Promise<void> {
    this.#end ??= this.#close();
    return this.#end;
  }

  async #close(): Promise<void> {
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

/** Closes a link when it has been idle for a time (0: never); returns the function that stops watching. */
export function closeWhenIdle(link: Link, idleMs: number, clock: Clock, onIdle: () => void): () => void {
  if (idleMs === 0) return () => {};
  let timer: Timer | undefined;
  const look = () => {
    if (link.isIdle && link.idleMs >= idleMs) return onIdle();
    timer = clock.after(Math.max(link.isIdle ? idleMs - link.idleMs : idleMs, 10), look);
  };
  timer = clock.after(idleMs, look);
  return () => timer?.cancel();
}

/** What a server may ask that concerns no agent: whether we live, and which folders the owner configured. */
function answerOurselves(request: RpcRequest, roots: Config['connect']['roots']): Result | undefined {
  if (request.method === 'ping') return {};
  if (request.method !== 'roots/list') return undefined;
  return { roots: roots.map(({ uri, name }) => (name === null ? { uri } : { uri, name })) };
}

function connectTimeout(options: LinkOptions): GatewayError {
  const seconds = options.connectTimeoutMs / 1000;
  return new GatewayError('TIMEOUT', `Server "${options.server}" did not finish connecting within ${seconds} s.`, {
    hint: `Raise "connect.timeoutMs" if it needs longer; "toolcrib doctor" shows what it printed.`,
    data: { reason: 'connect-timeout' },
  });
}
