/** One HTTP exchange: the body of a request is read as JSON within limits; its answer is plain JSON while nothing else has to be said, a stream from the first notification on. */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Scope } from '../access/access.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { JsonLimitError, parseExactJson } from '../base/json.ts';
import { type Config, limits } from '../config/config.ts';
import type { RpcMessage } from '../protocol/messages.ts';
import { encodeSse } from '../protocol/sse.ts';

/** The part of a refusal about the token that is needed. */
export interface TokenChallenge {
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope' | undefined;
  /** The scope that the token lacks, if that is not the one of the route. */
  readonly scope?: Scope | undefined;
  /** Why, in plain characters without quotes. */
  readonly description?: string | undefined;
}

/** A request that is answered with a status and a sentence before any endpoint sees it. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The code to use where the answer is a JSON-RPC error. */
  readonly rpcCode: number;
  /** Which token is needed, where that is the trouble. */
  readonly challenge: TokenChallenge | undefined;

  constructor(
    status: number,
    message: string,
    options: { rpcCode?: number; headers?: Record<string, string>; challenge?: TokenChallenge } = {},
  ) {
    super(message);
    this.status = status;
    this.headers = options.headers ?? {};
    this.rpcCode = options.rpcCode ?? -32600;
    this.challenge = options.challenge;
  }
}

/** The limits of a body, from the owner's settings. */
export type BodyLimits = Pick<Config['limits'], 'bodyBytes' | 'bodyMembers' | 'bodyDepth' | 'bodyBytesPerSecond'>;

export async function readJsonBody(request: IncomingMessage, most: BodyLimits, clock: Clock): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  // Only this type cannot be sent by a web page of another origin without asking first.
  if (!/^application\/json\s*(;|$)/i.test(type)) throw new HttpError(415, 'The body must be application/json.');
  if (request.headers['content-encoding'] !== undefined)
    throw new HttpError(415, 'Compressed bodies are not accepted.');
  const text = await readText(request, most, clock);
  try {
    return parseExactJson(text, most.bodyDepth, most.bodyMembers);
  } catch (error) {
    if (error instanceof JsonLimitError) throw new HttpError(400, error.message, { rpcCode: -32600 });
    throw new HttpError(400, `The body is not JSON: ${error instanceof Error ? error.message : ''}`, {
      rpcCode: -32700,
    });
  }
}

function readText(request: IncomingMessage, most: BodyLimits, clock: Clock): Promise<string> {
  const { bodyBytes: limit, bodyBytesPerSecond } = most;
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) return Promise.reject(tooLarge(request, limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isRefused = false;
    const stopWatch = watchPace(clock, bodyBytesPerSecond, () => size, reject);
    request.once('close', stopWatch);
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) return void chunks.push(chunk);
      if (!isRefused) reject(tooLarge(request, limit));
      isRefused = true;
      chunks.length = 0;
      if (size > limit + lingerBytes) request.pause();
    });
    const onClose = () => reject(new HttpError(400, 'The request ended early.'));
    request.once('end', () => {
      // Every request closes in the end; only one that closes before its end is an error worth making.
      request.off('close', onClose);
      stopWatch();
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      // Decoding would put other characters in the place of bytes that mean nothing, and nobody would know.
      if (isUtf8(bytes)) resolve(bytes.toString('utf8'));
      else reject(new HttpError(400, 'The body is not valid UTF-8.', { rpcCode: -32700 }));
    });
    request.once('error', reject);
    request.once('close', onClose);
  });
}

/** Calls `onSlow` once the body comes slower than it may; returns the function that ends the watch. */
function watchPace(clock: Clock, least: number, size: () => number, onSlow: (error: HttpError) => void): () => void {
  if (least === 0) return () => {};
  const startedAt = clock.elapsed();
  const isSteady = () => size() >= (least * (clock.elapsed() - startedAt)) / 1_000;
  let judging: NodeJS.Immediate | undefined;
  const look = () => {
    if (isSteady()) timer = clock.after(paceLookMs, look);
    // First read and count the bytes that arrived while the gateway was busy.
    else judging = setImmediate(() => (isSteady() ? look() : onSlow(tooSlow(least))));
  };
  let timer = clock.after(limits.bodyGraceMs, look);
  return () => {
    timer.cancel();
    clearImmediate(judging);
  };
}

/** How often the pace is looked at. */
const paceLookMs = 1_000;

function tooSlow(least: number): HttpError {
  const message = `The body came slower than ${least} bytes a second. Send it again, all at once.`;
  // Close the connection with the answer: a slow sender would go on sending.
  return new HttpError(408, message, { headers: { connection: 'close' }, rpcCode: -32000 });
}

/** How long the rest of a body that was refused is still taken, and dropped: a client that is cut off at once never reads why. */
const lingerMs = 2_000;
/** How much of it, at most. */
const lingerBytes = 1_048_576;

function tooLarge(request: IncomingMessage, limit: number): HttpError {
  const timer = setTimeout(() => request.socket.destroy(), lingerMs);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
  return new HttpError(413, `The body is larger than ${limit} bytes.`);
}

/** A silent call becomes a stream after this time, so that no proxy takes it for dead. */
const silenceMs = 10_000;
export const keepAliveMs = 15_000;

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
