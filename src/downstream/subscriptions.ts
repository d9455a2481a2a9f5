/** Hearing of changes at servers: the subscriptions of agents, and the modern way, a long request whose stream is opened again when it ends. */

import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { limits } from '../config/config.ts';
import type { Era } from '../protocol/eras.ts';
import { RpcError, type RpcNotification } from '../protocol/messages.ts';
import { ReopenPause } from './breaker.ts';
import { envelope } from './handshake.ts';
import { isLinkLost } from './link-trouble.ts';
import type { Peer } from './peer.ts';

/** One subscriber hears of changes of one resource; each subscription is withdrawn on its own. */
export interface ResourceSubscription {
  readonly server: string;
  /** As the server knows it. */
  readonly uri: string;
  readonly era: Era;
  /** Tells subscribers apart where the server must not be shared. */
  readonly session: string | undefined;
}

export class ServerSubscriptions {
  readonly #byServer = new Map<string, Set<ResourceSubscription>>();

  add(subscription: ResourceSubscription): void {
    const ofServer = this.#byServer.get(subscription.server) ?? new Set();
    this.#byServer.set(subscription.server, ofServer.add(subscription));
  }

  /** False when it had been withdrawn before. */
  remove(subscription: ResourceSubscription): boolean {
    const ofServer = this.#byServer.get(subscription.server);
    if (!ofServer?.delete(subscription)) return false;
    if (ofServer.size === 0) this.#byServer.delete(subscription.server);
    return true;
  }

  of(server: string): ReadonlySet<ResourceSubscription> {
    return this.#byServer.get(server) ?? new Set();
  }

  ofSession(session: string): ResourceSubscription[] {
    return [...this.#byServer.values()].flatMap((all) => [...all].filter((one) => one.session === session));
  }
}

export type ListKind = 'tools' | 'prompts' | 'resources';
const listKinds: readonly ListKind[] = ['tools', 'prompts', 'resources'];

/** `check`: after a stream that stood for longer than would be waited, to know soon whether the server is still there. */
const pauseMs = { check: 100, first: 1_000, most: 30_000 };
/** How long to wait for a server's word that it will tell; one that does not give it may tell nevertheless. */
const acknowledgeMs = 2_000;

export class Listening {
  readonly #peer: Peer;
  readonly #clock: Clock;
  readonly #capabilities: Record<string, unknown>;
  readonly #onMissed: (kind: ListKind) => void;
  readonly #onReach: (trouble: Error | undefined) => void;
  readonly #onGap: () => void;
  /** Nobody listened for a time: what changed meanwhile was told to nobody. */
  #isGap = false;
  #resources: readonly string[] = [];
  readonly #pause: ReopenPause;
  #current: AbortController | undefined;

  /**
   * `onMissed`: a list of this kind may have changed without our hearing of it. `onReach`: nobody is there, or is again.
   * `onGap`: from now on nobody listens.
   */
  constructor(
    peer: Peer,
    clock: Clock,
    capabilities: Record<string, unknown>,
    onMissed: (kind: ListKind) => void,
    onReach: (trouble: Error | undefined) => void = () => {},
    onGap: () => void = () => {},
  ) {
    this.#peer = peer;
    this.#clock = clock;
    this.#pause = new ReopenPause(clock);
    this.#capabilities = capabilities;
    this.#onMissed = onMissed;
    this.#onReach = onReach;
    this.#onGap = onGap;
  }

  /** Resolves when the server has said that it will tell, or will not. */
  open(): Promise<void> {
    const filter = this.#filter();
    if (Object.keys(filter).length === 0) return Promise.resolve();
    const current = new AbortController();
    this.#current = current;
    return new Promise((resolve) => {
      const timer = this.#clock.after(acknowledgeMs, resolve);
      const onReady = () => {
        timer.cancel();
        resolve();
      };
      void this.#keepListening(filter, current.signal, onReady).finally(onReady);
    });
  }

  /** Listens with another set of resources; the new stream stands before the old one is dropped. */
  async setResources(uris: readonly string[]): Promise<void> {
    const before = this.#current;
    this.#resources = uris;
    this.#current = undefined;
    await this.open();
    before?.abort(new Error('The set of subscriptions changed.'));
  }

  /** The server is there: what waits to listen again does so now. */
  hurry(): void {
    this.#pause.end();
  }

  close(): void {
    this.#current?.abort(new Error('The link was closed.'));
  }

  #filter(): Record<string, unknown> {
    const filter: Record<string, unknown> = {};
    for (const kind of listKinds) {
      const capability = this.#capabilities[kind];
      if (isObject(capability) && capability.listChanged === true) filter[`${kind}ListChanged`] = true;
    }
    if (this.#resources.length > 0) filter.resourceSubscriptions = this.#resources;
    return filter;
  }

  async #keepListening(filter: Record<string, unknown>, signal: AbortSignal, onReady: () => void): Promise<void> {
    const params = { _meta: envelope({}), notifications: filter };
    const request = { method: 'subscriptions/listen', params, timeoutMs: limits.maxTimerMs, signal };
    for (let pause = pauseMs.first; !signal.aborted; pause = Math.min(pause * 2, pauseMs.most)) {
      const startedAt = this.#clock.elapsed();
      try {
        await this.#peer.request({
          ...request,
          onNotification: (message) => {
            onReady();
            this.#onReach(undefined);
            this.#onWord(message, filter);
          },
        });
      } catch (error) {
        // A server that knows no such method will not learn it.
        if (error instanceof RpcError) return;
        if (error instanceof GatewayError && isLinkLost(error) && !signal.aborted) this.#onReach(error);
      }
      if (!signal.aborted) {
        this.#isGap = true;
        this.#onGap();
      }
      const stoodMs = this.#clock.elapsed() - startedAt;
      if (stoodMs > pauseMs.most) pause = pauseMs.first;
      if (await this.#pause.wait(stoodMs > pause ? pauseMs.check : pause, signal)) pause = pauseMs.first;
    }
  }

  /** The first word after a gap: everything that the server tells of from now on may have changed before. */
  #onWord(message: RpcNotification, filter: Record<string, unknown>): void {
    if (!this.#isGap || message.method !== 'notifications/subscriptions/acknowledged') return;
    this.#isGap = false;
    const granted = isObject(message.params?.notifications) ? message.params.notifications : filter;
    for (const kind of listKinds) if (granted[`${kind}ListChanged`] === true) this.#onMissed(kind);
  }
}
