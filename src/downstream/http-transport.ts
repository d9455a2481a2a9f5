/** Streamable HTTP, both eras: every message is a POST; answers come as JSON or as a stream that belongs to its request. */

import type { IncomingMessage } from 'node:http';
import { type Clock, sleep } from '../base/clock.ts';
import { type DialPolicy, ownerPolicy } from '../base/dial-guard.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { type HttpSpec, limits } from '../config/config.ts';
import { encodeHeaderValue, metaKeys, metaOf, nameHeaderOf } from '../protocol/eras.ts';
import {
  classify,
  isRequestId,
  isResponse,
  parseServerJson,
  type RequestId,
  type RpcMessage,
} from '../protocol/messages.ts';
import { SseTooLargeError } from '../protocol/sse.ts';
import type { Spool } from '../results/results.ts';
import { ReopenPause } from './breaker.ts';
import { exchangeAs, networkTrouble, readStream, statusTrouble, tooLarge } from './http-exchange.ts';
import { isLinkLost } from './link-trouble.ts';
import type { Credential } from './oauth/stored-credentials.ts';
import { asUnread, MessageReader, type MessageRefusal, MessageStream, type ReadMessage } from './read-messages.ts';
import { giveWay, type SendOptions, type Transport, type TransportEvents } from './transport.ts';

/** Pause before a broken stream is opened again, unless the server named one; doubles up to the maximum. */
const reopenMs = { first: 1_000, most: 30_000 };
/** The same after a stream that stood for longer than would be waited, to know soon whether the server is still there. */
const checkMs = 100;
/** Pauses that a server may name for the stream of one request, which somebody waits for. */
const resumeMs = { least: 100, most: reopenMs.most };
/** Resumes in a row that bring nothing. */
const maxResumes = 5;
/** How long the first call waits for the standing stream of a slow server. */
const streamWaitMs = 1_000;

export class HttpTransport implements Transport {
  readonly kind = 'http';
  readonly #server: string;
  readonly #url: URL;
  readonly #policy: DialPolicy;
  readonly #credential: Credential | null;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #clock: Clock;
  readonly #spool: Spool;
  readonly #ended = new AbortController();
  readonly #pause: ReopenPause;
  #events: TransportEvents | undefined;
  #session: string | undefined;
  /** The server no longer knows the session: this transport is of no further use. */
  #isLost = false;
  #version: string | undefined;
  /** Messages whose answers are not read yet. */
  readonly #underWay = new Set<Promise<void>>();

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
    this.#headers = lowerCased(spec.headers);
    this.#clock = clock;
    this.#pause = new ReopenPause(clock);
  }

  async open(events: TransportEvents): Promise<void> {
    this.#events = events;
  }

  /** A legacy server may ask on its standing stream: that stream is there before the first call, or known not to be. */
  async settle(agreed: { readonly era: 'legacy' | 'modern'; readonly version: string }): Promise<void> {
    this.#version = agreed.version;
    if (agreed.era === 'modern') return;
    await new Promise<void>((resolve) => {
      this.#clock.after(streamWaitMs, resolve);
      void this.#keepStream(resolve).finally(resolve);
    });
  }

  async send(message: RpcMessage, options: SendOptions = {}): Promise<void> {
    if (this.#isLost) throw this.#sessionLost(true);
    const sending = this.#post(message, options);
    this.#underWay.add(sending);
    await sending.finally(() => this.#underWay.delete(sending));
  }

  async #post(message: RpcMessage, options: SendOptions): Promise<void> {
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    // A request has a signal of its own, which its owner aborts when the link closes.
    const signal = options.signal ?? this.#ended.signal;
    // The meaning of the answer depends on the session of this request; another may open or end meanwhile.
    const isInSession = this.#session !== undefined;
    const response = await exchangeAs(this.#credential, {
      server: this.#server,
      url: this.#url,
      policy: this.#policy,
      method: 'POST',
      headers: { ...this.#headersFor(message), ...lowerCased(options.headers ?? {}) },
      body: JSON.stringify(message),
      signal,
    });
    const session = response.headers['mcp-session-id'];
    if (typeof session === 'string' && 'method' in message && message.method === 'initialize') this.#session = session;
    if (response.statusCode === 404 && isInSession && !isEventStream(response)) {
      response.resume();
      throw this.#sessionLost(true);
    }
    await this.#readAnswer(response, id, signal);
  }

  hurry(): void {
    this.#pause.end();
  }

  async close(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(new GatewayError('SERVER_DISCONNECTED', `The link to server "${this.#server}" was closed.`));
    if (this.#session === undefined || this.#isLost) return;
    const signal = AbortSignal.timeout(limits.closeGraceMs);
    const request = {
      server: this.#server,
      url: this.#url,
      policy: this.#policy,
      method: 'DELETE' as const,
      headers: this.#baseHeaders(),
      signal,
    };
    // Ending the session is a courtesy: a server that is gone or does not offer it must not hold us up.
    await exchangeAs(this.#credential, request).then(
      (response) => response.resume(),
      () => {},
    );
  }

  #baseHeaders(): Record<string, string> {
    return {
      ...this.#headers,
      ...(this.#version ? { 'mcp-protocol-version': this.#version } : {}),
      ...(this.#session ? { 'mcp-session-id': this.#session } : {}),
    };
  }

  #headersFor(message: RpcMessage): Record<string, string> {
    const headers: Record<string, string> = {
      ...this.#baseHeaders(),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    if (!('method' in message)) return headers;
    const claimed = metaOf(message.params)?.[metaKeys.protocolVersion];
    if (typeof claimed !== 'string') return headers;
    headers['mcp-protocol-version'] = claimed;
    headers['mcp-method'] = message.method;
    const name = nameHeaderOf(message.method, message.params);
    if (name !== undefined) headers['mcp-name'] = encodeHeaderValue(name);
    return headers;
  }

  async #readAnswer(response: IncomingMessage, id: RequestId | undefined, signal: AbortSignal): Promise<void> {
    const status = response.statusCode ?? 0;
    const type = response.headers['content-type'] ?? '';
    // These say nothing in the words of the protocol, whatever their bodies look like.
    if (status === 401 || status === 403 || status === 429 || status === 503) {
      response.resume();
      throw statusTrouble(this.#server, response, this.#clock.now());
    }
    if (status === 200 && isEventStream(response)) return this.#readStream(response, id, signal);
    if (type.includes('application/json')) {
      const isDelivered = this.#deliver(await this.#readBody(response), id, status);
      if (isDelivered || status < 300) return;
      throw statusTrouble(this.#server, response, this.#clock.now());
    }
    response.resume();
    if (status >= 300) throw statusTrouble(this.#server, response, this.#clock.now());
    if (id !== undefined && status === 200) throw statusTrouble(this.#server, response, this.#clock.now());
  }

  async #readBody(response: IncomingMessage): Promise<ReadMessage> {
    const reader = new MessageReader(this.#spool);
    try {
      await readStream(response, (chunk) => {
        reader.push(chunk);
        if (reader.refusal) throw this.#unread(reader.refusal);
        if (reader.isLong) giveWay(response);
      });
      return reader.end();
    } catch (error) {
      reader.drop();
      throw isNetworkError(error) ? networkTrouble({ server: this.#server, url: this.#url }, error) : error;
    }
  }

  /** Hands over the message or messages of a body; says whether there was one. */
  #deliver(body: ReadMessage, owner: RequestId | undefined, status: number): boolean {
    if (body.kind === 'refused' && status < 300) throw this.#unread(body.refusal);
    if (body.kind === 'refused') return false;
    let parsed: unknown;
    try {
      parsed = body.kind === 'text' ? parseServerJson(body.text) : body.value;
    } catch (error) {
      if (status >= 300 || (body.kind === 'text' && body.text.trim() === '')) return false;
      throw this.#notJson(error);
    }
    let isDelivered = false;
    for (const item of Array.isArray(parsed) ? parsed : [parsed]) {
      if (classify(item) === undefined) continue;
      isDelivered = true;
      this.#events?.onMessage(ownedBy(item as RpcMessage, owner), owner);
    }
    return isDelivered;
  }

  #unread({ error }: MessageRefusal): GatewayError {
    return asUnread(this.#server, error) ?? this.#notJson(error);
  }

  #notJson(error: unknown): GatewayError {
    // Keep the parser's words out of the message: they quote whatever answers at this address.
    return new GatewayError('SERVER_NOT_RUNNING', `Server "${this.#server}" sent a message that is not JSON.`, {
      cause: error,
    });
  }

  /** Reads the stream of one request; one that ends before its answer is resumed where the server gave event ids. */
  async #readStream(first: IncomingMessage, id: RequestId | undefined, signal: AbortSignal): Promise<void> {
    let response = first;
    let state: StreamState = { isAnswered: false, events: 0, lastEventId: undefined, retryMs: undefined };
    for (let fruitless = 0; ; ) {
      const eventsBefore = state.events;
      state = await this.#drain(response, id, state);
      if (state.isAnswered || id === undefined) return;
      signal.throwIfAborted();
      fruitless = state.events > eventsBefore ? 0 : fruitless + 1;
      if (state.lastEventId === undefined || fruitless >= maxResumes) break;
      await sleep(this.#clock, clamp(state.retryMs ?? reopenMs.first, resumeMs.least, resumeMs.most), signal);
      // A failure to resume says nothing about the request: it was sent, and may have been carried out.
      const resumed = await this.#openStream(state.lastEventId, signal).catch(() => undefined);
      signal.throwIfAborted();
      if (resumed?.statusCode !== 200) {
        resumed?.resume();
        break;
      }
      response = resumed;
    }
    throw new GatewayError('SERVER_DISCONNECTED', `Server "${this.#server}" ended its stream before it had answered.`, {
      data: { reason: 'stream-ended' },
    });
  }

  /** Reads a stream to its end, or until the answer to `id` has come. */
  async #drain(response: IncomingMessage, id: RequestId | undefined, before: StreamState): Promise<StreamState> {
    const state = { ...before };
    const stream = new MessageStream({
      server: this.#server,
      spool: this.#spool,
      owner: id,
      onEvent: (event) => {
        state.events += 1;
        if (event.id !== undefined) state.lastEventId = event.id;
        if (event.retryMs !== undefined) state.retryMs = event.retryMs;
      },
      onMessage: (message) => {
        if (isResponse(message) && message.id === id) state.isAnswered = true;
        this.#events?.onMessage(message, id);
      },
    });
    const onChunk = (chunk: Buffer) => {
      stream.push(chunk);
      if (stream.isInLongEvent) giveWay(response);
    };
    try {
      await readStream(response, onChunk, () => state.isAnswered && id !== undefined);
    } catch (error) {
      if (this.#ended.signal.aborted || state.isAnswered) return state;
      if (error instanceof SseTooLargeError) throw tooLarge(this.#server, limits.frameMemoryBytes);
      if (!isNetworkError(error)) throw error;
      if (state.lastEventId === undefined) throw networkTrouble({ server: this.#server, url: this.#url }, error);
    } finally {
      stream.drop();
    }
    return state;
  }

  #openStream(lastEventId: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
    const resume: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const headers = { ...this.#baseHeaders(), accept: 'text/event-stream', ...resume };
    const request = { server: this.#server, url: this.#url, policy: this.#policy, method: 'GET' as const };
    return exchangeAs(this.#credential, { ...request, headers, signal });
  }

  /** The legacy stream for what belongs to no request. `onKnown`: the server has opened it, or not. */
  async #keepStream(onKnown: () => void): Promise<void> {
    const signal = this.#ended.signal;
    let state: StreamState = { isAnswered: false, events: 0, lastEventId: undefined, retryMs: undefined };
    let pauseMs = reopenMs.first;
    while (!signal.aborted) {
      let stoodMs = 0;
      try {
        const response = await this.#openStream(state.lastEventId, signal);
        onKnown();
        const status = response.statusCode;
        const isStream = status === 200 && isEventStream(response);
        if (!isStream) response.resume();
        if (status === 404 && this.#session !== undefined) return await this.#giveUpSession(signal);
        this.#events?.onReach?.(undefined);
        // So answers a server that has no such stream; every other refusal may pass.
        if (status === 404 || status === 405) return;
        const openedAt = this.#clock.elapsed();
        try {
          if (isStream) state = await this.#drain(response, undefined, state);
        } finally {
          stoodMs = this.#clock.elapsed() - openedAt;
        }
        if (stoodMs > reopenMs.most) pauseMs = reopenMs.first;
      } catch (error) {
        // A stream that broke is opened again below, ever more slowly.
        if (error instanceof GatewayError && isLinkLost(error) && !signal.aborted) this.#events?.onReach?.(error);
      }
      const isCheck = stoodMs > pauseMs && state.retryMs === undefined;
      const waitMs = isCheck ? checkMs : clamp(state.retryMs ?? pauseMs, reopenMs.first, reopenMs.most);
      const isCutShort = await this.#pause.wait(waitMs, signal);
      pauseMs = isCutShort ? reopenMs.first : Math.min(pauseMs * 2, reopenMs.most);
    }
  }

  /** The link closes when requests under way have heard from the server that it never saw them, so that they can be sent again. */
  async #giveUpSession(signal: AbortSignal): Promise<void> {
    const reason = this.#sessionLost(false);
    const patience = sleep(this.#clock, limits.drainGraceMs, signal).catch(() => {});
    await Promise.race([Promise.allSettled(this.#underWay), patience]);
    this.#events?.onClose(reason);
  }

  /** `isUnexecuted`: of the request that was refused it is certain, of others that were under way it is not. */
  #sessionLost(isUnexecuted: boolean): GatewayError {
    this.#isLost = true;
    return new GatewayError('SERVER_DISCONNECTED', `Server "${this.#server}" no longer knows our session.`, {
      hint: 'It was probably restarted; the next call opens a new session.',
      data: { reason: 'session-lost', isUnexecuted },
    });
  }
}

interface StreamState {
  isAnswered: boolean;
  events: number;
  lastEventId: string | undefined;
  retryMs: number | undefined;
}

/** An error that a server sent without an id, in answer to this request, is the answer to this request. */
function ownedBy(message: RpcMessage, owner: RequestId | undefined): RpcMessage {
  if (owner === undefined || !('error' in message) || isRequestId(message.id)) return message;
  return { ...message, id: owner };
}

function isEventStream(response: IncomingMessage): boolean {
  return response.headers['content-type']?.includes('text/event-stream') ?? false;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

function isNetworkError(error: unknown): boolean {
  return isObject(error) && typeof (error as { code?: unknown }).code === 'string' && !(error instanceof GatewayError);
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
