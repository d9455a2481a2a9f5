/** The answer to one POST: plain JSON while nothing else has to be said, a stream from the first notification on. Unread bytes and the time they lie are limited. */

import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { RpcMessage } from '../protocol/messages.ts';
import { encodeSse } from '../protocol/sse.ts';

/** A silent call becomes a stream after this time, so that no proxy takes it for dead. */
const silenceMs = 10_000;
const keepAliveMs = 15_000;

export const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

interface AnswerOptions {
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** Without this, notifications are dropped. */
  readonly canStream: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Answer {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #canStream: boolean;
  readonly #headers: Readonly<Record<string, string>>;
  #timer: Timer | undefined;
  #isStream = false;

  constructor(options: AnswerOptions) {
    this.#response = options.response;
    this.#clock = options.clock;
    this.#canStream = options.canStream;
    this.#headers = options.headers ?? {};
    if (options.canStream) this.#timer = options.clock.after(silenceMs, () => this.openStream());
  }

  get isGone(): boolean {
    return !isResponseOpen(this.#response);
  }

  openStream(): boolean {
    if (this.#isStream) return true;
    if (!this.#canStream || this.isGone) return false;
    this.#isStream = true;
    this.#response.writeHead(200, { ...streamHeaders, ...this.#headers });
    this.#response.flushHeaders();
    watchReading(this.#response);
    this.#keepAlive();
    return true;
  }

  #keepAlive(): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(keepAliveMs, () => {
      if (writeStreamPart(this.#response, ': keepalive\n\n')) this.#keepAlive();
    });
  }

  /** Sends a message ahead of the answer; false when it cannot be delivered. */
  send(message: RpcMessage): boolean {
    return (
      this.openStream() && writeStreamPart(this.#response, encodeSse(JSON.stringify(message), { event: 'message' }))
    );
  }

  /** Ends with the answer, or with none (a request that was cancelled). */
  finish(message: RpcMessage | readonly RpcMessage[] | undefined, status = 200): void {
    this.#timer?.cancel();
    if (this.isGone) return;
    if (this.#isStream) {
      const messages = message === undefined ? [] : Array.isArray(message) ? message : [message];
      for (const item of messages) this.#response.write(encodeSse(JSON.stringify(item), { event: 'message' }));
      this.#response.end();
    } else if (message === undefined) {
      this.#response.writeHead(202, this.#headers).end();
    } else {
      answerJson(this.#response, message, this.#headers, status);
    }
  }
}

/** The whole answer as one JSON text. */
export function answerJson(
  response: ServerResponse,
  message: RpcMessage | readonly RpcMessage[],
  headers: Readonly<Record<string, string>>,
  status: number,
): void {
  if (!isResponseOpen(response)) return;
  const body = JSON.stringify(message);
  watchReading(response);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

/** True if an Accept header lets us answer with a stream. */
export function acceptsStream(accept: string | undefined): boolean {
  return accept === undefined || accept.includes('text/event-stream') || accept.includes('*/*');
}

/** Beyond this, nothing is added to what an agent has not read yet; a single message may be larger. */
const maxUnreadBytes = 8 * 1_048_576;
/** How long written bytes may lie unread without any progress. */
const maxStallMs = 60_000;

export function isResponseOpen(response: ServerResponse): boolean {
  return !response.destroyed && !response.writableEnded;
}

/** To be called once for a response: cuts it off when its agent stops reading. */
export function watchReading(response: ServerResponse, stallMs: number = maxStallMs): void {
  // The socket knows best: it takes a slow reader's progress within one large message for activity.
  response.setTimeout(stallMs, () => {
    if (response.writableLength > 0) response.destroy();
  });
}

/** Writes a part of a stream; false when the response is closed or its agent does not read. */
export function writeStreamPart(response: ServerResponse, text: string): boolean {
  if (!isResponseOpen(response)) return false;
  if (response.writableLength > maxUnreadBytes) {
    response.destroy();
    return false;
  }
  response.write(text);
  return true;
}

/** Aborts when the client closes the request or has its answer; at once if it already has. */
export function untilClosed(response: ServerResponse): AbortSignal {
  const closing = new AbortController();
  const onClose = () => closing.abort(new GatewayError('CANCELLED', 'The request was closed.'));
  if (response.writableEnded) onClose();
  else onceClosed(response, onClose);
  return closing.signal;
}

/** Runs at once where the response is closed already: Node reports that only once. */
export function onceClosed(response: ServerResponse, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}
