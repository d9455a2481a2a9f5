/** `fetch` for URLs that others had a say in: under a dial policy, without redirects or decompression, within limits. */

import type { Agent, IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Clock } from './clock.ts';
import { checkLiteral, type DialPolicy, DialRefusedError, guardedLookup } from './dial-guard.ts';
import { systemCodeOf } from './errors.ts';
import { http, loadHttps } from './node-http.ts';

export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Statuses whose answers have no body; `Response` refuses one for them. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Rejects with a RequestFault whose message is a full sentence (its `kind` says why), or with the reason of the signal.
 * A redirect is an answer like any other. It can stand in wherever a library takes a `fetch` of its caller.
 */
export function guardedFetch(policy: DialPolicy, limits: RequestLimits): GuardedFetch {
  return async (url, init) => {
    const target = new URL(url);
    try {
      // The error of the platform for such a URL would quote it.
      if (target.username !== '' || target.password !== '') {
        throw new RequestFault('refused', 'was not contacted, because the URL holds a user name or a password');
      }
      return responseOf(await guardedRequest(policy, await askedOf(target, init), limits));
    } catch (error) {
      if (!(error instanceof RequestFault)) throw error;
      const sentence = error.cause instanceof DialRefusedError ? error.cause.message : null;
      throw new RequestFault(error.kind, sentence ?? `${target.origin} ${error.message}.`, error.cause);
    }
  };
}

async function askedOf(url: URL, init: RequestInit | undefined): Promise<GuardedRequest> {
  // A request of the platform reads every kind of body and header that a library may hand over.
  const request = new Request(url, { ...init, redirect: 'manual' });
  return {
    url,
    method: request.method,
    headers: Object.fromEntries(request.headers),
    body: request.body === null ? undefined : new Uint8Array(await request.arrayBuffer()),
    signal: init?.signal ?? undefined,
    // Sign-ins and keys are rare, and a token must not be lost with a connection that was kept too long.
    isAlone: true,
  };
}

function responseOf(answer: GuardedAnswer): Response {
  const headers = new Headers();
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '');
  }
  // A body that is an array buffer of its own: the one of a Buffer may be shared with others.
  const body = withoutBody.has(answer.status) ? null : new Uint8Array(answer.body);
  return new Response(body, { status: answer.status, headers });
}

interface GuardedRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** On a connection of its own: one that was kept may be closed by the other side just as it is used again. */
  readonly isAlone?: boolean | undefined;
}

interface RequestLimits {
  readonly clock: Clock;
  /** For the whole exchange, from the first byte sent to the last one read. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface GuardedAnswer {
  readonly status: number;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  header(name: string): string | undefined;
  readonly body: Buffer;
}

export type RequestFaultKind = 'refused' | 'unreachable' | 'timeout' | 'too-large' | 'compressed';

/** Why there is no answer, as the end of a sentence that begins with the host. */
export class RequestFault extends Error {
  readonly kind: RequestFaultKind;

  constructor(kind: RequestFaultKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'RequestFault';
    this.kind = kind;
  }
}

/** The longest block of headers that is read. */
const maxHeaderBytes = 16_384;

/**
 * How long an idle connection is kept. Many servers close theirs after five seconds, some without saying so before: a request
 * that is sent just then is lost, and nobody knows whether it was carried out.
 */
const keptIdleMs = 4_000;

/** Connections are kept, each by the policy that it was dialled under: another policy never inherits one. */
const pooling = { keepAlive: true, scheduling: 'lifo', timeout: keptIdleMs } as const;
const agents = new WeakMap<DialPolicy, Map<string, Agent>>();

interface Dialing {
  readonly request: typeof http.request;
  readonly agent: Agent;
  readonly lookup: LookupFunction;
}

/** Throws a DialRefusedError where the URL names an address that the policy refuses. */
export function dialing(policy: DialPolicy, url: URL): Dialing {
  checkLiteral(policy, url);
  const isPlain = url.protocol === 'http:';
  if (!isPlain && url.protocol !== 'https:')
    throw new DialRefusedError(`${url.protocol} is not a way to ask a server.`);
  const { request, Agent: AgentClass } = isPlain ? http : loadHttps();
  const kept = agents.get(policy) ?? new Map<string, Agent>();
  agents.set(policy, kept);
  const agent = kept.get(url.protocol) ?? new AgentClass(pooling);
  kept.set(url.protocol, agent);
  return { request, agent, lookup: guardedLookup(policy, url) };
}

/** Throws a RequestFault, or the reason of the signal. */
export async function guardedRequest(
  policy: DialPolicy,
  asked: GuardedRequest,
  limits: RequestLimits,
): Promise<GuardedAnswer> {
  const { signal } = asked;
  signal?.throwIfAborted();
  const ending = new AbortController();
  const onAbort = () => ending.abort();
  signal?.addEventListener('abort', onAbort, { once: true });
  let isLate = false;
  const deadline = limits.clock.after(limits.timeoutMs, () => {
    isLate = true;
    ending.abort();
  });
  try {
    const response = await headOf(policy, asked, ending.signal);
    const body = await bodyOf(response, limits.maxBytes);
    return {
      status: response.statusCode ?? 0,
      rawHeaders: response.rawHeaders,
      header: (name) => firstOf(response.headers[name]),
      body,
    };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (isLate) throw new RequestFault('timeout', `did not answer within ${limits.timeoutMs / 1_000} s`);
    if (error instanceof RequestFault) throw error;
    if (error instanceof DialRefusedError) throw new RequestFault('refused', `was refused: ${error.message}`, error);
    throw new RequestFault('unreachable', `cannot be reached (${systemCodeOf(error) ?? 'network error'})`, error);
  } finally {
    deadline.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}

function headOf(policy: DialPolicy, asked: GuardedRequest, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { request, agent: kept, lookup } = dialing(policy, asked.url);
    const { body, isAlone } = asked;
    const agent = isAlone ? false : kept;
    const headers: Record<string, string | number> = { ...asked.headers, 'accept-encoding': 'identity' };
    if (body !== undefined) headers['content-length'] = Buffer.byteLength(body);
    const { method } = asked;
    const sent = request(asked.url, { method, headers, agent, lookup, signal, maxHeaderSize: maxHeaderBytes });
    sent.once('response', resolve);
    sent.once('error', reject);
    sent.end(body);
  });
}

async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const coding = response.headers['content-encoding']?.trim().toLowerCase();
  if (coding !== undefined && coding !== '' && coding !== 'identity') {
    response.destroy();
    throw new RequestFault('compressed', 'sent a compressed answer, which was not requested');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop by an error also ends the connection.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new RequestFault('too-large', `sent an answer of more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  if (!response.complete) throw new RequestFault('unreachable', 'closed the connection before its answer was complete');
  return Buffer.concat(chunks);
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
