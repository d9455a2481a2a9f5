/** An agent that keeps a record: every request it makes and every message that comes back, in either era. */

import http from 'node:http';
import { SseDecoder } from '../../src/protocol/sse.ts';
import { HANG_MS } from '../../test/kit/processes.ts';
import type { Message } from '../../test/servers/rpc.ts';
import { type Dict, type Era, type Rpc, VERSIONS, type WrittenRequest, writeRequest } from './agent-requests.ts';
import type { Exchange, History } from './history.ts';

export interface Reply {
  /** 0 when the connection ended without one. */
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** The message that answers the request; undefined where the stream closed without it. */
  readonly message: Message | undefined;
  /** The text of that message; the whole body if there is none. */
  readonly text: string;
  readonly exchange: Exchange;
  readonly tookMs: number;
}

/** The outcome of a tool call. */
export interface ToolReply extends Reply {
  /** The text of its first block, or of the JSON-RPC error. */
  readonly said: string;
  readonly isError: boolean;
  readonly errorType: string | undefined;
  readonly result: Dict;
}

export interface AgentAccess {
  readonly url: string;
  readonly token: string;
  readonly history: History;
}

export interface RequestOptions {
  /** How long it may take until it counts as never answered. */
  readonly deadlineMs?: number;
  /** The agent gives up when this fires. */
  readonly signal?: AbortSignal;
}

const defaultDeadlineMs = HANG_MS;

export class ExamAgent {
  readonly name: string;
  readonly era: Era;
  readonly url: URL;
  readonly #place: AgentAccess;
  readonly #connections = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  #session: string | undefined;
  #nextId = 1;

  constructor(place: AgentAccess, name: string, era: Era, door = '/mcp?surface=direct') {
    this.#place = place;
    this.name = name;
    this.era = era;
    this.url = new URL(`${place.url}${door}`);
  }

  /** Introduces itself, where its era asks for that. */
  async open(): Promise<this> {
    if (this.era === 'modern') return this;
    const clientInfo = { name: this.name, version: '1.0.0' };
    const params = { protocolVersion: VERSIONS.legacy, capabilities: {}, clientInfo };
    const { headers, status } = await this.request({ id: 0, method: 'initialize', params });
    const session = headers['mcp-session-id'];
    if (typeof session !== 'string') throw new Error(`${this.name} got no session: status ${status}.`);
    this.#session = session;
    await this.request({ method: 'notifications/initialized' });
    return this;
  }

  /** The request as it would be written. */
  written(rpc: Rpc): WrittenRequest {
    const session = this.#session === undefined ? {} : { 'mcp-session-id': this.#session };
    return writeRequest(this.era, rpc, { authorization: `Bearer ${this.#place.token}`, ...session });
  }

  request(rpc: Rpc, options: RequestOptions = {}): Promise<Reply> {
    const { history } = this.#place;
    const { deadlineMs = defaultDeadlineMs, signal } = options;
    const what = `${rpc.method} ${String(rpc.params?.name ?? rpc.params?.uri ?? '').slice(0, 80)}`.trim();
    const exchange = history.begin({ agent: this.name, era: this.era, id: rpc.id ?? null, what, deadlineMs });
    const { headers, body } = this.written(rpc);
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const answer = new AnswerReader(rpc.id, exchange);
    let isDone = false;
    const finish = (status: number, replyHeaders: http.IncomingHttpHeaders, why?: string) => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      exchange.status = status;
      answer.finish();
      if (why !== 'deadline') history.end(exchange, { bytes: answer.bytes, ...(why !== undefined && { why }) });
      const tookMs = history.now() - exchange.sentAt;
      resolve({ status, headers: replyHeaders, message: answer.message, text: answer.text, exchange, tookMs });
    };
    const request = http.request(this.url, { method: 'POST', headers, agent: this.#connections }, (response) => {
      answer.isStream = response.headers['content-type']?.includes('text/event-stream') === true;
      response.on('data', (chunk: Buffer) => answer.push(chunk));
      response.on('end', () => finish(response.statusCode ?? 0, response.headers));
      response.on('error', () => {});
      response.on('close', () => finish(response.statusCode ?? 0, response.headers, 'closed'));
    });
    const timer = setTimeout(() => {
      finish(0, {}, 'deadline');
      request.destroy();
    }, deadlineMs);
    request.on('error', (error) => finish(0, {}, String(error)));
    signal?.addEventListener('abort', () => {
      exchange.hasLeft = true;
      request.destroy();
    });
    request.end(body);
    return promise;
  }

  async call(
    tool: string,
    args: Dict = {},
    options: RequestOptions & { readonly meta?: Dict } = {},
  ): Promise<ToolReply> {
    const { meta, ...rest } = options;
    const params = { name: tool, arguments: args, ...(meta && { _meta: meta }) };
    return toolReply(await this.request({ id: this.nextId(), method: 'tools/call', params }, rest));
  }

  nextId(): number {
    return this.#nextId++;
  }

  /** The names of the tools that are listed. */
  async tools(): Promise<string[]> {
    const { message } = await this.request({ id: this.nextId(), method: 'tools/list' });
    const tools = (message?.result as { tools?: { name: string }[] } | undefined)?.tools ?? [];
    return tools.map(({ name }) => name);
  }

  /** Leaves without a word. */
  close(): void {
    this.#connections.destroy();
  }
}

export function toolReply(reply: Reply): ToolReply {
  const result = (reply.message?.result ?? {}) as Dict;
  const [block] = (Array.isArray(result.content) ? result.content : []) as ({ text?: unknown } | null)[];
  const data = (result.structuredContent ?? {}) as Dict;
  const refusal = reply.message?.error?.message;
  return {
    ...reply,
    said: typeof block?.text === 'string' ? block.text : (refusal ?? ''),
    isError: result.isError === true || reply.message?.result === undefined,
    errorType: typeof data.errorType === 'string' ? data.errorType : undefined,
    result,
  };
}

/** Reads a body as it comes and counts the answers in it. */
class AnswerReader {
  isStream = false;
  bytes = 0;
  message: Message | undefined;
  text = '';
  readonly #id: unknown;
  readonly #exchange: Exchange;
  readonly #chunks: Buffer[] = [];
  readonly #events = new SseDecoder(({ data }) => this.#take(data), Number.POSITIVE_INFINITY);

  constructor(id: unknown, exchange: Exchange) {
    this.#id = id;
    this.#exchange = exchange;
  }

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.isStream) this.#events.push(chunk);
    else this.#chunks.push(chunk);
  }

  finish(): void {
    if (!this.isStream) this.#take(Buffer.concat(this.#chunks).toString('utf8'));
  }

  #take(text: string): void {
    if (text === '') return;
    let message: Message;
    try {
      message = JSON.parse(text) as Message;
    } catch {
      this.text ||= text;
      return;
    }
    if (message.method !== undefined) return;
    if (message.id !== this.#id && message.id !== null && message.id !== undefined) {
      this.#exchange.strays += 1;
      return;
    }
    this.#exchange.answers += 1;
    this.message = message;
    this.text = text;
  }
}
