/** Requests made by hand at a door of the gateway: every status, header and message can be seen, and any can be wrong. */

import assert from 'node:assert/strict';
import { SseDecoder, type SseEvent } from '../../src/protocol/sse.ts';
import { type Dict, META, type Message, MODERN_VERSION } from '../servers/rpc.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** All messages of the answer, in order. */
  readonly messages: readonly Message[];
  /** The message that answers the request: the last one. */
  readonly message: Message;
}

export interface ModernOptions {
  readonly capabilities?: Dict;
  /** More members of `_meta`. */
  readonly meta?: Dict;
  readonly signal?: AbortSignal;
}

const POST_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** One modern request, correct in itself; `headers` are the token's, or wrong ones. */
export async function askModern(
  url: string,
  headers: Record<string, string>,
  method: string,
  params: Dict = {},
  { capabilities = {}, meta = {}, signal }: ModernOptions = {},
): Promise<RawAnswer> {
  const _meta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: capabilities, ...meta };
  const name = params.name ?? params.uri;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...POST_HEADERS,
      'mcp-protocol-version': MODERN_VERSION,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'raw-1', method, params: { ...params, _meta } }),
    ...(signal && { signal }),
  });
  return readAnswer(response);
}

/** How a name travels in a header: as it is, or as a word in base64 where it is not plain ASCII. */
function headerValue(name: string): string {
  return /^[\x21-\x7e]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

/** One modern request whose answer is a stream that stays open. */
export function openModernStream(
  url: string,
  headers: Record<string, string>,
  method: string,
  params: Dict = {},
): Promise<EventReader> {
  const _meta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {} };
  const more = { 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': method, ...headers };
  const body = { jsonrpc: '2.0', id: 'raw-stream', method, params: { ...params, _meta } };
  return EventReader.open(url, { ...POST_HEADERS, ...more }, JSON.stringify(body));
}

/** A session of the legacy era. */
export class RawSession {
  readonly url: string;
  readonly headers: Record<string, string>;
  /** The result of `initialize`. */
  readonly opened: Dict;
  #nextId = 1;

  private constructor(url: string, headers: Record<string, string>, opened: Dict) {
    this.url = url;
    this.headers = headers;
    this.opened = opened;
  }

  static async open(
    url: string,
    headers: Record<string, string>,
    options: { readonly capabilities?: Dict; readonly version?: string } = {},
  ): Promise<RawSession> {
    const { capabilities = {}, version = '2025-11-25' } = options;
    const params = { protocolVersion: version, capabilities, clientInfo: { name: 'raw', version: '1' } };
    const answer = await post(url, headers, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const id = answer.headers.get('mcp-session-id');
    assert.ok(id !== null, JSON.stringify(answer.message));
    const session = new RawSession(url, { ...headers, 'mcp-session-id': id }, answer.message.result as Dict);
    await session.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return session;
  }

  /** The same session at another address: its own requests are counted from a thousand on. */
  at(url: string): RawSession {
    const there = new RawSession(url, this.headers, this.opened);
    there.#nextId = 1_000;
    return there;
  }

  /** Posts anything; `more` replaces headers. */
  send(body: unknown, more: Record<string, string> = {}): Promise<RawAnswer> {
    return post(this.url, { ...this.headers, ...more }, body);
  }

  request(method: string, params: Dict = {}): Promise<RawAnswer> {
    return this.send({ jsonrpc: '2.0', id: this.#nextId++, method, params });
  }

  /** Posts a request and gives its answer as an event stream that is still open. */
  stream(method: string, params: Dict = {}): Promise<EventReader> {
    const body = { jsonrpc: '2.0', id: this.#nextId++, method, params };
    return EventReader.open(this.url, { ...POST_HEADERS, ...this.headers }, JSON.stringify(body));
  }

  /** The standing stream, or the one that was lost after an event. */
  listen(lastEventId?: string): Promise<EventReader> {
    const resume: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    return EventReader.open(this.url, { ...this.headers, accept: 'text/event-stream', ...resume });
  }
}

/** Posts a body with the usual headers and reads the whole answer. */
export async function post(url: string, headers: Record<string, string>, body: unknown): Promise<RawAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readAnswer(await fetch(url, { method: 'POST', headers: { ...POST_HEADERS, ...headers }, body: text }));
}

/** Reads events one by one, as they come. */
export class EventReader {
  readonly status: number;
  readonly #closing: AbortController;
  readonly #events: AsyncGenerator<SseEvent>;

  private constructor(response: Response, closing: AbortController) {
    this.status = response.status;
    this.#closing = closing;
    this.#events = eventsOf(response);
  }

  static async open(url: string, headers: Record<string, string>, body?: string): Promise<EventReader> {
    const closing = new AbortController();
    const method = body === undefined ? 'GET' : 'POST';
    const response = await fetch(url, { method, headers, signal: closing.signal, ...(body !== undefined && { body }) });
    return new EventReader(response, closing);
  }

  /** The next event, with or without data. */
  async next(): Promise<SseEvent> {
    const { value, done } = await this.#events.next();
    assert.ok(done !== true, 'The stream ended.');
    return value;
  }

  /** The next message; events without data are passed over. */
  async message(): Promise<Message> {
    const { data } = await this.next();
    return data === '' ? this.message() : (JSON.parse(data) as Message);
  }

  /** Drops the connection as a network would. */
  drop(): void {
    this.#closing.abort();
  }

  [Symbol.dispose](): void {
    this.drop();
  }
}

async function* eventsOf(response: Response): AsyncGenerator<SseEvent> {
  const ready: SseEvent[] = [];
  const decoder = new SseDecoder((event) => ready.push(event), Number.POSITIVE_INFINITY);
  for await (const chunk of response.body ?? []) {
    decoder.push(Buffer.from(chunk));
    yield* ready.splice(0);
  }
}

async function readAnswer(response: Response): Promise<RawAnswer> {
  const messages: Message[] = [];
  if (response.headers.get('content-type')?.includes('text/event-stream') === true) {
    for await (const { data } of eventsOf(response)) if (data !== '') messages.push(JSON.parse(data) as Message);
  } else {
    const text = await response.text();
    if (text !== '') messages.push(...[JSON.parse(text) as Message].flat());
  }
  const message = messages.at(-1) ?? { jsonrpc: '2.0' };
  return { status: response.status, headers: response.headers, messages, message };
}
