/** Asking a service on the network: JSON is posted, JSON is read, within a time and a size. Keys go out and are never told on. */

import type { Clock } from './clock.ts';
import { type DialPolicy, ownerPolicy } from './dial-guard.ts';
import { type ErrorCode, GatewayError } from './errors.ts';
import { type GuardedAnswer, guardedRequest, RequestFault } from './guarded-fetch.ts';
import { isObject, JsonLimitError, parseJson } from './json.ts';
import { version } from './own-program.ts';
import { redactText } from './redact.ts';
import { cutAtWord, printable } from './text.ts';

/** The host that gets the request, and its name in messages. */
export interface Recipient {
  /** How a sentence begins, without the host: `The embedding service`. */
  readonly name: string;
  readonly url: URL;
  /** The setting that holds its address. */
  readonly setting: string;
  /** Where the key comes from; a recipient without one gets no key. */
  readonly keyEnv?: string | undefined;
  readonly key?: string | undefined;
  /** `authorization` unless told otherwise; then the key stands there alone. */
  readonly keyHeader?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Where keys and time come from, and which hosts may be private although they do not look like it. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** `access.privateHosts`, at any moment; none where it is left out. */
  readonly privateHosts?: (() => readonly string[]) | undefined;
}

interface PostLimits {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** For the whole exchange, from the first byte sent to the last one read. */
  readonly timeoutMs: number;
  readonly maxBytes?: number | undefined;
  readonly privateHosts?: (() => readonly string[]) | undefined;
}

/** The longest answer that is read where a caller does not say otherwise. */
const largestAnswerBytes = 16 * 1_024 * 1_024;
/** The longest answer to a refused request in which its reason is looked for. */
const largestRefusalBytes = 65_536;
const longestReason = 200;

export type PostFault = 'unreachable' | 'refused' | 'timeout' | 'status' | 'not-json' | 'too-large' | 'bad-key';

interface PostErrorFacts {
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Why there is no answer, as a sentence that names the recipient's host. */
export class PostError extends Error {
  readonly kind: PostFault;
  /** Of a `status` fault; 0 otherwise. */
  readonly status: number;
  /** How long the recipient asked us to wait. */
  readonly retryAfterMs: number | undefined;
  readonly hint: string;

  constructor(kind: PostFault, recipient: Recipient, what: string, facts: PostErrorFacts = {}) {
    super(`${recipientName(recipient)} ${what}.`, { cause: facts.cause });
    this.name = 'PostError';
    this.kind = kind;
    this.status = facts.status ?? 0;
    this.retryAfterMs = facts.retryAfterMs;
    this.hint = facts.hint ?? `Check "${recipient.setting}".`;
  }
}

/** `The embedding service at api.example.com`: what sentences about a recipient begin with. */
export function recipientName(recipient: Pick<Recipient, 'name' | 'url'>): string {
  return `${recipient.name} at ${recipient.url.host}`;
}

/** The value of an environment variable that holds a key; blank counts as not set. */
export function keyFrom(env: NodeJS.ProcessEnv, name: string | null): string | undefined {
  return (name === null ? undefined : env[name]?.trim()) || undefined;
}

/** The address below a base address, whose query (some services want one) is kept. */
export function urlBelow(base: string, path: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url;
}

/** The trouble that a failed exchange is; the reason of an aborted signal and other errors are returned as they are. */
export function postTrouble(error: unknown, code: ErrorCode): unknown {
  if (!(error instanceof PostError)) return error;
  const { kind, status, hint } = error;
  return new GatewayError(code, error.message, { hint, cause: error, data: { reason: kind, status } });
}

/** Throws a PostError, or the signal's reason. Redirects are not followed: a key is meant for one host. */
export async function postJson(recipient: Recipient, body: unknown, limits: PostLimits): Promise<unknown> {
  const { clock, signal, timeoutMs, maxBytes = largestAnswerBytes, privateHosts } = limits;
  signal.throwIfAborted();
  const { url } = recipient;
  const asked = { url, method: 'POST', headers: headersFor(recipient), body: JSON.stringify(body, wellFormed), signal };
  const policy = policyFor(url, privateHosts?.() ?? noHosts);
  const answer = await guardedRequest(policy, asked, { clock, timeoutMs, maxBytes }).catch((error) => {
    throw error instanceof RequestFault ? postError(recipient, error, maxBytes) : error;
  });
  if (answer.status < 200 || answer.status > 299) throw statusError(recipient, answer, clock.now());
  return parsed(recipient, new TextDecoder().decode(answer.body));
}

const noHosts: readonly string[] = [];
/** Connections are kept by policy, so that there is one for each host as long as the list is the same. */
const policies = new WeakMap<readonly string[], Map<string, DialPolicy>>();

function policyFor(url: URL, privateHosts: readonly string[]): DialPolicy {
  const known = policies.get(privateHosts) ?? new Map<string, DialPolicy>();
  policies.set(privateHosts, known);
  const policy = known.get(url.origin) ?? ownerPolicy(privateHosts, url);
  known.set(url.origin, policy);
  return policy;
}

function postError(recipient: Recipient, fault: RequestFault, maxBytes: number): PostError {
  const { kind, message: what, cause } = fault;
  if (kind === 'too-large') return tooLarge(recipient, `is larger than ${maxBytes} bytes`);
  if (kind === 'compressed') return new PostError('unreachable', recipient, what);
  const sentence = kind === 'refused' ? what.replace(/\.$/, '') : what;
  return new PostError(kind, recipient, sentence, { cause });
}

/** Half a character, left where a text was cut, is valid in JSON but makes some services fail. */
function wellFormed(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

const sendable = /^[\x21-\x7e]+$/;

function headersFor(recipient: Recipient): Record<string, string> {
  const { key, keyHeader } = recipient;
  const headers: Record<string, string> = {
    ...recipient.headers,
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': `toolcrib/${version}`,
  };
  if (key === undefined) return headers;
  // Looked at here, because the error of a request with such a header would quote the key.
  if (!sendable.test(key)) {
    const what = 'was not contacted: its key holds characters that cannot be sent';
    throw new PostError('bad-key', recipient, what, { hint: keyHint(recipient) });
  }
  if (keyHeader === undefined) headers.authorization = `Bearer ${key}`;
  else headers[keyHeader] = key;
  return headers;
}

function tooLarge(recipient: Recipient, why: string): PostError {
  return new PostError('too-large', recipient, `gave an answer that ${why} and was not read`);
}

function parsed(recipient: Recipient, text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonLimitError) throw tooLarge(recipient, 'holds too many values');
    // The syntax error quotes the answer, which may hold anything.
    throw new PostError('not-json', recipient, 'gave an answer that is not JSON');
  }
}

function statusError(recipient: Recipient, answer: GuardedAnswer, now: number): PostError {
  const { status, body } = answer;
  // A longer reason is left out; the status is told anyway.
  const text = body.length > largestRefusalBytes ? '' : new TextDecoder().decode(body);
  const reason = reasonIn(text, recipient.key);
  const said = reason === '' ? '' : `: ${reason}`;
  const facts = { status, retryAfterMs: retryAfter(answer.header('retry-after'), now) };
  const isRedirect = status >= 300 && status < 400;
  if (isRedirect) return new PostError('status', recipient, `answered with a redirect (HTTP ${status})`, facts);
  const hint = statusHint(recipient, status);
  return new PostError('status', recipient, `answered HTTP ${status}${said}`, { ...facts, hint });
}

function statusHint(recipient: Recipient, status: number): string {
  if (status === 401 || status === 403) return keyHint(recipient);
  if (status === 429 || status >= 500) return 'Try again later.';
  return `Check "${recipient.setting}" and the settings beside it.`;
}

function keyHint({ keyEnv, setting }: Recipient): string {
  return keyEnv === undefined ? `Check "${setting}".` : `Check the key in ${keyEnv}.`;
}

/** The recipient's own words, on one line, cut, without a full stop and without the key, which some repeat. */
function reasonIn(text: string, key: string | undefined): string {
  const said = printable(messageIn(text)).trim();
  const masked = redactText(said, key === undefined ? [] : [key]);
  // Masking leaves very short values alone.
  if (key !== undefined && masked.includes(key)) return '';
  return cutAtWord(masked, longestReason).replace(/\.$/, '');
}

function messageIn(text: string): string {
  try {
    const body = parseJson(text);
    if (!isObject(body)) return '';
    const inner = isObject(body.error) ? body.error.message : body.error;
    return [inner, body.message, body.detail].find((item) => typeof item === 'string') ?? '';
  } catch {
    // A page for people says nothing that fits into a sentence.
    return '';
  }
}

/** Seconds or a date; anything else is as if it were not there. */
function retryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : dateOf(text) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** Left to itself, Date.parse takes almost any number for a date. */
function dateOf(text: string): number {
  return /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN;
}
