/** A bare modern agent for scenarios: one POST a request, and every answer as it came. */

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { SseDecoder } from '../../src/protocol/sse.ts';
import { postModern } from '../servers/raw-client.ts';
import type { TestGateway } from './gateway.ts';

type Dict = Record<string, unknown>;

/** The outcome of a tool call. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** The kind of trouble, where it was the gateway that failed. */
  readonly errorType: string | undefined;
  readonly hint: string;
  readonly result: Dict;
}

export class ModernAgent {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(gateway: Pick<TestGateway, 'url' | 'agentHeaders'>, door = '/mcp?surface=direct') {
    this.#url = `${gateway.url}${door}`;
    this.#headers = gateway.agentHeaders;
  }

  /** The whole JSON-RPC message that answers a request. */
  async ask(method: string, params: Dict = {}): Promise<Dict> {
    const response = await postModern(this.#url, method, params, this.#headers);
    const text = await response.text();
    if (response.headers.get('content-type')?.includes('text/event-stream') !== true) return JSON.parse(text) as Dict;
    let last: Dict = {};
    const decoder = new SseDecoder((event) => {
      if (event.data !== '') last = JSON.parse(event.data) as Dict;
    }, Number.POSITIVE_INFINITY);
    decoder.push(Buffer.from(text));
    return last;
  }

  async request(method: string, params: Dict = {}): Promise<Dict> {
    const answer = await this.ask(method, params);
    assert.ok(answer.result, `${method}: ${JSON.stringify(answer).slice(0, 500)}`);
    return answer.result as Dict;
  }

  /** The names of the tools that are listed. */
  async tools(): Promise<string[]> {
    const { tools } = await this.request('tools/list');
    return (tools as { name: string }[]).map(({ name }) => name);
  }

  async call(name: string, args: Dict = {}): Promise<ToolAnswer> {
    const result = await this.request('tools/call', { name, arguments: args });
    const [block] = result.content as { text?: string }[];
    const data = (result.structuredContent ?? {}) as Dict;
    return {
      text: block?.text ?? '',
      isError: result.isError === true,
      errorType: typeof data.errorType === 'string' ? data.errorType : undefined,
      hint: String(data.hint ?? ''),
      result,
    };
  }

  /** Calls a tool that must succeed, and gives its text. */
  async say(name: string, args: Dict = {}): Promise<string> {
    const answer = await this.call(name, args);
    assert.ok(!answer.isError, `${name}: ${answer.text}`);
    return answer.text;
  }

  /** The process behind a server of the test kit. */
  async pidOf(server: string): Promise<number> {
    return (JSON.parse(await this.say(`${server}.whoami`)) as { pid: number }).pid;
  }

  /** Hears of every change of the tool list until it is closed. */
  async listen(): Promise<Listener> {
    const listener = new Listener();
    const response = await postModern(
      this.#url,
      'subscriptions/listen',
      { notifications: { toolsListChanged: true } },
      this.#headers,
    );
    assert.equal(response.status, 200);
    await listener.follow(response);
    return listener;
  }
}

/** The open stream of one agent that listens. */
export class Listener implements AsyncDisposable {
  readonly methods: string[] = [];
  readonly #news = new EventEmitter().setMaxListeners(0);
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #end: Promise<void> = Promise.resolve();

  /** Resolves when the gateway has acknowledged the wish. */
  async follow(response: Response): Promise<void> {
    this.#reader = response.body?.getReader();
    this.#end = this.#read();
    await this.#heard('notifications/subscriptions/acknowledged', 1);
  }

  get changes(): number {
    return this.#count('notifications/tools/list_changed');
  }

  /** Resolves once this many changes were announced in all. */
  async atLeast(count: number): Promise<void> {
    await this.#heard('notifications/tools/list_changed', count);
  }

  /** Resolves when the gateway has ended the stream. */
  get ended(): Promise<void> {
    return this.#end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader?.cancel();
    await this.#end;
  }

  #count(method: string): number {
    return this.methods.filter((item) => item === method).length;
  }

  async #heard(method: string, count: number): Promise<void> {
    while (this.#count(method) < count) await once(this.#news, 'message');
  }

  async #read(): Promise<void> {
    const decoder = new SseDecoder((event) => {
      if (event.data === '') return;
      this.methods.push(String((JSON.parse(event.data) as Dict).method));
      this.#news.emit('message');
    }, Number.POSITIVE_INFINITY);
    for (;;) {
      const part = await this.#reader?.read().catch(() => undefined);
      if (part === undefined || part.done) return;
      decoder.push(Buffer.from(part.value));
    }
  }
}
