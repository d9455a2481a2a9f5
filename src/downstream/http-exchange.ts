/** One HTTP request to a server: built from nothing, never redirected, never decompressed, with bounded bodies. */

import type { IncomingMessage } from 'node:http';
import { type DialPolicy, DialRefusedError } from '../base/dial-guard.ts';
import { GatewayError, systemCodeOf } from '../base/errors.ts';
import { dialing } from '../base/guarded-fetch.ts';
import { limits } from '../config/config.ts';
import type { Credential } from './oauth/stored-credentials.ts';

interface HttpRequest {
  readonly server: string;
  readonly url: URL;
  /** Where it may lead; connections are kept by it. */
  readonly policy: DialPolicy;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves with the response as soon as its head is there. */
export function httpExchange(request: HttpRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { request: send, agent, lookup } = dial(request);
    const body = request.body;
    const sent = send(request.url, {
      method: request.method,
      headers: body === undefined ? request.headers : { ...request.headers, 'content-length': Buffer.byteLength(body) },
      agent,
      lookup,
      ...(request.signal ? { signal: request.signal } : {}),
      maxHeaderSize: limits.maxHeaderBytes,
    });
    sent.once('response', (response) => {
      if (response.headers['content-encoding']) {
        response.destroy();
        reject(
          new GatewayError(
            'SERVER_NOT_RUNNING',
            `Server "${request.server}" compressed its answer, which it was not asked to do.`,
          ),
        );
      } else resolve(response);
    });
    sent.once('error', (error) =>
      reject(request.signal?.aborted ? request.signal.reason : networkTrouble(request, error)),
    );
    sent.end(body);
  });
}

function dial(request: HttpRequest): ReturnType<typeof dialing> {
  try {
    return dialing(request.policy, request.url);
  } catch (error) {
    throw networkTrouble(request, error);
  }
}

export function tooLarge(server: string, limit: number): GatewayError {
  return new GatewayError(
    'TOO_LARGE',
    `The answer of server "${server}" is larger than ${limit} bytes and was not read.`,
    {
      hint: `Ask server "${server}" for less at a time.`,
    },
  );
}

/** How long a stream may stay open after its answer has come; then it is cut. */
const lingerMs = 5_000;

/**
 * Feeds a response to `onChunk` until it ends, or until `isDone` says that the rest does not matter: the rest is then
 * read in the background, so that the connection can be used again. A throw of `onChunk` cuts the response.
 */
export function readStream(
  response: IncomingMessage,
  onChunk: (chunk: Buffer) => void,
  isDone: () => boolean = () => false,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    response.on('data', (chunk: Buffer) => {
      if (isSettled) return;
      try {
        onChunk(chunk);
      } catch (error) {
        isSettled = true;
        response.destroy();
        return reject(error);
      }
      if (!isDone()) return;
      isSettled = true;
      if (!response.complete) setTimeout(() => response.destroy(), lingerMs).unref();
      resolve();
    });
    response.once('end', resolve);
    response.once('error', reject);
    response.once('close', resolve);
  });
}

export function networkTrouble(request: Pick<HttpRequest, 'server' | 'url'>, error: unknown): GatewayError {
  if (error instanceof DialRefusedError) return dialRefused(request.server, error);
  const code = systemCodeOf(error);
  const where = `${request.url.protocol}//${request.url.host}`;
  const [what, hint] = explain(code, where);
  // A connection that broke may have carried the request; one that was never made cannot have.
  const isBroken = code !== undefined && brokenCodes.has(code);
  return new GatewayError(
    isBroken ? 'SERVER_DISCONNECTED' : 'SERVER_NOT_RUNNING',
    `Server "${request.server}" ${what}.`,
    {
      hint,
      cause: error,
      data: {
        reason: isBroken ? 'reset' : 'unreachable',
        isUnexecuted: code !== undefined && unmadeCodes.has(code),
        systemCode: code ?? null,
      },
    },
  );
}

function dialRefused(server: string, error: DialRefusedError): GatewayError {
  return new GatewayError('SERVER_NOT_RUNNING', `Server "${server}" cannot be used: ${error.message}`, {
    hint: 'Check its URL.',
    cause: error,
    data: { reason: 'dial-refused', isUnexecuted: true, systemCode: error.code },
  });
}

const brokenCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);
const unmadeCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

function explain(code: string | undefined, where: string): [string, string] {
  if (code === 'ECONNREFUSED')
    return [`refused the connection at ${where}`, 'Check that it is running and that the port is right.'];
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return [`cannot be found: the host name in ${where} does not resolve`, 'Check the URL.'];
  if (code !== undefined && brokenCodes.has(code))
    return [`closed the connection to ${where}`, 'It may have restarted; the next call connects again.'];
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return [`did not answer at ${where}`, 'Check the URL and the network.'];
  if (code?.startsWith('CERT_') || code?.includes('SELF_SIGNED') || code?.includes('ALTNAME')) {
    return [
      `has a certificate that cannot be trusted (${code})`,
      'Check the URL, or add the issuer to NODE_EXTRA_CA_CERTS.',
    ];
  }
  return [`could not be reached at ${where} (${code ?? 'network error'})`, 'Check the URL.'];
}

/** Trouble from an HTTP status that carries no message of the protocol. */
export function statusTrouble(server: string, response: IncomingMessage, now: number): GatewayError {
  const status = response.statusCode ?? 0;
  if (status === 401 || status === 403) {
    return new GatewayError('SERVER_NOT_RUNNING', `Server "${server}" refused our credential (HTTP ${status}).`, {
      hint: `Give it a valid credential under "headers" in the config; the one used may be missing or expired.`,
      data: { reason: 'credential', status },
    });
  }
  if (status === 429 || status === 503) {
    const retryAfterMs = parseRetryAfter(response.headers['retry-after'], now);
    const when = retryAfterMs === undefined ? '' : ` It asks to wait ${Math.ceil(retryAfterMs / 1000)} s.`;
    return new GatewayError('RATE_LIMITED', `Server "${server}" is busy (HTTP ${status}).${when}`, {
      hint: 'Try again later.',
      data: { reason: 'busy', status, retryAfterMs: retryAfterMs ?? null },
    });
  }
  if (status >= 300 && status < 400) {
    return new GatewayError(
      'SERVER_NOT_RUNNING',
      `Server "${server}" answered with a redirect (HTTP ${status}), which is not followed.`,
      {
        hint: `Use the final URL in the config.`,
        data: { reason: 'redirect', status },
      },
    );
  }
  return new GatewayError('SERVER_NOT_RUNNING', `Server "${server}" answered HTTP ${status} and no message.`, {
    hint: 'Check that the URL is that of its MCP endpoint.',
    data: { reason: 'status', status },
  });
}

/** Longest wait that a server can impose. */
const maxRetryAfterMs = 300_000;

/** Seconds or a date, capped; anything else is as if it were not there. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  // Left to itself, Date.parse takes almost any number for a date.
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : /^[A-Za-z]{3}/.test(text) ? Date.parse(text) - now : Number.NaN;
  if (!Number.isFinite(ms)) return undefined;
  return Math.min(Math.max(ms, 0), maxRetryAfterMs);
}

/** Null `credential`: the owner's headers only. A refused request was not carried out: sending it again is safe. */
export async function exchangeAs(credential: Credential | null, request: HttpRequest): Promise<IncomingMessage> {
  if (credential === null) return httpExchange(request);
  let header = credential.ready;
  if (header === undefined) header = await credential.prepare(request.signal);
  for (let isRepeated = false; ; isRepeated = true) {
    const response = await httpExchange(header === null ? request : withHeader(request, header));
    const status = response.statusCode ?? 0;
    if (status !== 401 && status !== 403) return response;
    response.resume();
    const challenge = response.headers['www-authenticate'];
    const refusal = { status, challenge, sent: header, isRepeated };
    const next = await credential.afterRefusal(refusal, request.signal);
    if (next === undefined) return response;
    header = next;
  }
}

function withHeader(request: HttpRequest, authorization: string): HttpRequest {
  return { ...request, headers: { ...request.headers, authorization } };
}
