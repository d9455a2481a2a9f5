/** The HTTP+SSE transport of 2024-11-05: one stream for everything that comes, a second address for everything that goes. */

import type { IncomingMessage } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { type DialPolicy, ownerPolicy } from '../base/dial-guard.ts';
import { GatewayError } from '../base/errors.ts';
import type { HttpSpec } from '../config/config.ts';
import type { RpcMessage } from '../protocol/messages.ts';
import type { Spool } from '../results/results.ts';
import { exchangeAs, statusTrouble } from './http-exchange.ts';
import type { Credential } from './oauth/stored-credentials.ts';
import { MessageStream } from './read-messages.ts';
import type { SendOptions, Transport, TransportEvents } from './transport.ts';

export class SseTransport implements Transport {
  readonly kind = 'sse';
  readonly #server: string;
  readonly #url: URL;
  readonly #policy: DialPolicy;
  readonly #credential: Credential | null;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  readonly #spool: Spool;
  readonly #ended = new AbortController();
  #target: URL | undefined;

  constructor(
    server: string,
    spec: HttpSpec,
    clock: Clock,
    spool: Spool,
    policy?: DialPolicy,
    credential: Credential | null = null,
  ) {
    this.#server = server;
    this.#credential = credential;
    this.#spool = spool;
    this.#url = new URL(spec.url);
    this.#policy = policy ?? ownerPolicy([], this.#url);
    this.#headers = spec.headers;
    this.#clock = clock;
  }

  /** Resolves when the server has named the address to post to. */
  async open(events: TransportEvents, signal: AbortSignal): Promise<void> {
    const headers = { ...this.#headers, accept: 'text/event-stream' };
    const ended = this.#ended.signal;
    const onGivenUp = () => this.#ended.abort(signal.reason);
    if (signal.aborted) onGivenUp();
    // The stream outlives the attempt to connect, and must not end with it.
    signal.addEventListener('abort', onGivenUp, { once: true });
    try {
      await this.#openStream(headers, events, ended);
    } finally {
      signal.removeEventListener('abort', onGivenUp);
    }
  }

  async #openStream(headers: Record<string, string>, events: TransportEvents, ended: AbortSignal): Promise<void> {
    const head = { server: this.#server, url: this.#url, policy: this.#policy, method: 'GET' as const, headers };
    const response = await exchangeAs(this.#credential, { ...head, signal: ended });
    if (response.statusCode !== 200 || !response.headers['content-type']?.includes('text/event-stream')) {
      response.resume();
      throw statusTrouble(this.#server, response, this.#clock.now());
    }
    await new Promise<void>((resolve, reject) => {
      ended.addEventListener('abort', () => reject(ended.reason), { once: true });
      this.#read(response, events, resolve).then(
        () => reject(this.#gone()),
        (error) => reject(error),
      );
    });
  }

  async send(message: RpcMessage, options: SendOptions = {}): Promise<void> {
    if (!this.#target) throw this.#gone();
    const response = await exchangeAs(this.#credential, {
      server: this.#server,
      url: this.#target,
      policy: this.#policy,
      method: 'POST',
      headers: { ...this.#headers, 'content-type': 'application/json' },
      body: JSON.stringify(message),
      signal: options.signal ? AbortSignal.any([options.signal, this.#ended.signal]) : this.#ended.signal,
    });
    response.resume();
    if ((response.statusCode ?? 0) >= 300) throw statusTrouble(this.#server, response, this.#clock.now());
  }

  async settle(): Promise<void> {}

  async close(): Promise<void> {
    this.#ended.abort(this.#gone());
  }

  async #read(response: IncomingMessage, events: TransportEvents, onReady: () => void): Promise<void> {
    const stream = new MessageStream({
      server: this.#server,
      spool: this.#spool,
      onEvent: ({ event, data }) => {
        if (event !== 'endpoint') return;
        this.#target ??= this.#targetAt(data);
        onReady();
      },
      onMessage: (message) => events.onMessage(message, undefined),
    });
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        stream.push(chunk);
        if (stream.isInLongEvent) await new Promise(setImmediate);
      }
    } finally {
      stream.drop();
      response.destroy();
      if (!this.#ended.signal.aborted) events.onClose(this.#gone());
    }
  }

  /** Another host would get our headers, credentials included. */
  #targetAt(named: string): URL {
    const target = URL.parse(named, this.#url);
    if (target !== null && target.origin === this.#url.origin) return target;
    throw new GatewayError(
      'SERVER_NOT_RUNNING',
      `Server "${this.#server}" wants its messages sent to another place than ${this.#url.origin}, which is not done.`,
      { hint: 'Use the URL of that place in the config, if you trust it.', data: { reason: 'redirect' } },
    );
  }

  #gone(): GatewayError {
    return new GatewayError('SERVER_DISCONNECTED', `Server "${this.#server}" closed its event stream.`, {
      data: { reason: 'stream-ended' },
    });
  }
}
