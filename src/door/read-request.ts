/** Reads a request's body as JSON, within limits; throws the right HTTP status for a body that is refused. */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Scope } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import { JsonLimitError, parseExactJson } from '../base/json.ts';
import { type Config, limits } from '../config/config.ts';

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
