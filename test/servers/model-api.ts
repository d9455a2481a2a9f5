/** A stand-in for model services on loopback: embeddings, chat completions, messages and catalog search, with faults to switch on. */

import { EventEmitter, once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { countTokens } from 'gpt-tokenizer';

type Dict = Record<string, unknown>;

export interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Dict;
}

export interface ModelCall {
  readonly name: string;
  /** A text stands as it is in place of the JSON of arguments, where the dialect allows for it. */
  readonly arguments: unknown;
}

/** A request that offers tools, in whichever dialect. */
export interface ToolChoiceRequest {
  readonly text: string;
  readonly tools: readonly { readonly name: string; readonly description: string; readonly inputSchema: unknown }[];
}

export const modelDialects = ['openai-compatible', 'anthropic'] as const;
export type ModelDialect = (typeof modelDialects)[number];

/** A fault instead of a good answer. */
export type ModelFault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: unknown;
    }
  /** The answer waits for the promise. */
  | { readonly kind: 'delay'; readonly until: Promise<unknown> }
  | { readonly kind: 'dimensions'; readonly dimensions: number }
  /** HTTP 200 and a page for people. */
  | { readonly kind: 'garbage' }
  /** The connection ends before an answer, or in the middle of one. */
  | { readonly kind: 'cut'; readonly where: 'before' | 'inside' }
  /** Blanks without end, until this many bytes are sent. */
  | { readonly kind: 'huge'; readonly bytes: number }
  /** Any other answer, as JSON. */
  | { readonly kind: 'answer'; readonly body: unknown };

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export class ModelApi implements AsyncDisposable {
  readonly requests: ModelRequest[] = [];
  /** Holds for every request until it is switched off. */
  fault: ModelFault | undefined;
  /** Each holds for one request, before `fault` is looked at. */
  readonly nextFaults: ModelFault[] = [];
  /** When set, requests without this key are refused, with a message that repeats what was sent. */
  key: string | undefined;
  /** The calls that it would make; as it stands, of the tool that shares most words with the request, if any. */
  chooseCalls: (request: ToolChoiceRequest) => readonly ModelCall[] = ({ text, tools }) => {
    const need = new Set(wordsIn(text));
    const ranked = tools.map((tool) => ({ tool, overlap: overlapOf(`${tool.name} ${tool.description}`, need) }));
    const [best] = ranked.toSorted((a, b) => b.overlap - a.overlap);
    return best && best.overlap > 0 ? [{ name: best.tool.name, arguments: {} }] : [];
  };
  /** Length of the vectors of models that cannot shorten theirs. */
  dimensions = 256;
  /** The most requests that were being answered at once. */
  mostAtOnce = 0;
  readonly #open = new Set<ModelRequest>();
  readonly #server = http.createServer((request, response) => void this.#onRequest(request, response));
  readonly #news = new EventEmitter().setMaxListeners(0);

  static async open(): Promise<ModelApi> {
    const api = new ModelApi();
    api.#server.listen(0, '127.0.0.1');
    await once(api.#server, 'listening');
    return api;
  }

  /** The origin. The OpenAI API is below `/v1`, as is the path of Anthropic's messages. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get host(): string {
    return new URL(this.url).host;
  }

  /** Resolves once this many requests have arrived. */
  async arrived(count: number): Promise<void> {
    while (this.requests.length < count) await once(this.#news, 'request');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const path = new URL(request.url ?? '', this.url).pathname;
    const asked = { path, headers: request.headers, body: JSON.parse(text) as Dict };
    this.#open.add(asked);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#open.size);
    response.once('close', () => this.#open.delete(asked));
    const fault = this.nextFaults.shift() ?? this.fault;
    this.requests.push(asked);
    this.#news.emit('request');
    if (fault?.kind === 'delay') await fault.until;
    // Before the answer leaves: its reader may ask again at once.
    this.#open.delete(asked);
    if (fault === undefined || fault.kind === 'delay' || fault.kind === 'dimensions') {
      this.#answer(asked, response, fault?.kind === 'dimensions' ? fault.dimensions : undefined);
    } else misbehave(fault, response);
  }

  #answer(asked: ModelRequest, response: ServerResponse, dimensions: number | undefined): void {
    try {
      reply(response, 200, this.#bodyFor(asked, dimensions));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      reply(response, error.status, { error: { message: error.message, type: 'invalid_request_error' } });
    }
  }

  /** undefined where no tools are offered. */
  #chosen(dialect: ModelDialect, body: Dict): unknown {
    if (!Array.isArray(body.tools)) return undefined;
    const tools = (body.tools as Dict[]).map((tool) => {
      const { name, description, parameters, input_schema } = (tool.function ?? tool) as Dict;
      return { name: String(name), description: String(description), inputSchema: parameters ?? input_schema };
    });
    const asked = (body.messages as Dict[]).at(-1)?.content;
    const calls = this.chooseCalls({ text: String(asked), tools });
    return answerWith(dialect, calls, undefined, countTokens(JSON.stringify(body)) + 20);
  }

  #bodyFor({ path, headers, body }: ModelRequest, dimensions: number | undefined): unknown {
    const sent = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
    if (this.key !== undefined && sent !== this.key) throw new Refusal(401, `Incorrect API key provided: ${sent}.`);
    if (path === '/v1/embeddings') return embeddings(body, dimensions, this.dimensions);
    if (path === '/v1/chat/completions') return this.#chosen('openai-compatible', body) ?? chatCompletion(body);
    if (path === '/v1/messages') return this.#chosen('anthropic', body) ?? anthropicMessage(body, headers);
    if (path === '/catalog/search') return catalogSearch(body);
    throw new Refusal(404, `Unknown path ${path}.`);
  }
}

/** An answer of either service that says a few words and makes these calls. */
export function answerWith(dialect: ModelDialect, calls: readonly ModelCall[], ended?: string, tokens = 120): unknown {
  const text = 'Let me look.';
  if (dialect === 'anthropic') {
    const used = calls.map(({ name, arguments: input }) => ({ type: 'tool_use', id: 'toolu_1', name, input }));
    const usage = { input_tokens: tokens - 30, cache_read_input_tokens: 10, output_tokens: 20 };
    const stop = ended ?? (calls.length > 0 ? 'tool_use' : 'end_turn');
    return { content: [{ type: 'text', text }, ...used], stop_reason: stop, usage };
  }
  const called = calls.map(({ name, arguments: given }) => ({
    id: 'call_1',
    type: 'function',
    function: { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
  }));
  const message = { role: 'assistant', content: text, ...(called.length > 0 ? { tool_calls: called } : {}) };
  const usage = { prompt_tokens: tokens - 20, completion_tokens: 20, total_tokens: tokens };
  const finish = ended ?? (called.length > 0 ? 'tool_calls' : 'stop');
  return { choices: [{ message, finish_reason: finish }], usage };
}

function misbehave(fault: Exclude<ModelFault, { kind: 'delay' | 'dimensions' }>, response: ServerResponse): void {
  if (fault.kind === 'status') {
    const body = fault.body ?? { error: { message: `The stand-in was told to answer ${fault.status}.` } };
    reply(response, fault.status, body, fault.headers);
  } else if (fault.kind === 'garbage') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Welcome!</body></html>');
  } else if (fault.kind === 'answer') reply(response, 200, fault.body);
  else if (fault.kind === 'huge') void flood(response, fault.bytes);
  else if (fault.where === 'before') response.destroy();
  else response.write('{"data": [', () => response.destroy());
}

function reply(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

async function flood(response: ServerResponse, bytes: number): Promise<void> {
  const blanks = Buffer.alloc(65_536, ' ');
  const chunks = function* () {
    for (let sent = 0; sent < bytes; sent += blanks.length) yield blanks;
  };
  // Clients that have had enough hang up.
  await pipeline(chunks, response).catch(() => {});
}

/** The vectors come in reverse order: `index` counts, not the place. */
function embeddings(body: Dict, wrong: number | undefined, usual: number): unknown {
  const { model, input, dimensions } = body;
  if (!Array.isArray(input) || input.length === 0 || input.length > 2_048) throw new Refusal(400, 'Bad input.');
  if (input.some((text) => typeof text !== 'string' || text === '')) throw new Refusal(400, 'Empty input.');
  const canShorten = String(model).startsWith('text-embedding-3');
  if (dimensions !== undefined && !canShorten) throw new Refusal(400, 'This model does not take dimensions.');
  const width = wrong ?? (typeof dimensions === 'number' ? dimensions : usual);
  const data = input.map((text, index) => ({ object: 'embedding', index, embedding: bagOfWords(String(text), width) }));
  return { object: 'list', model, data: data.reverse(), usage: { prompt_tokens: 1, total_tokens: 1 } };
}

/** Each word adds to one number that its hash picks: texts with the same words point the same way. */
function bagOfWords(text: string, width: number): number[] {
  const sum = new Array<number>(width).fill(0);
  for (const word of wordsIn(text)) {
    const at = hashOf(word) % width;
    sum[at] = (sum[at] ?? 0) + 1;
  }
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}

function hashOf(word: string): number {
  let hash = 2_166_136_261;
  for (const character of word) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return hash;
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function chatCompletion(body: Dict): unknown {
  const message = { role: 'assistant', content: rankingOf(body.messages) };
  return { id: 'chat-1', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] };
}

function anthropicMessage(body: Dict, headers: IncomingHttpHeaders): unknown {
  if (headers['anthropic-version'] === undefined) throw new Refusal(400, 'anthropic-version: header is required');
  if (typeof body.max_tokens !== 'number') throw new Refusal(400, 'max_tokens: Field required');
  const content = [{ type: 'text', text: rankingOf(body.messages) }];
  return { id: 'msg-1', type: 'message', role: 'assistant', content, stop_reason: 'end_turn' };
}

/** Lines that are JSON objects with a number are candidates, all other lines of the last message are the need. */
function rankingOf(messages: unknown): string {
  const last = Array.isArray(messages) ? (messages.at(-1) as Dict | undefined) : undefined;
  const candidates: { number: number; text: string }[] = [];
  const need = new Set<string>();
  for (const line of String(last?.content).split('\n')) {
    const candidate = line.startsWith('{"number":') ? (JSON.parse(line) as Dict) : undefined;
    if (candidate) candidates.push({ number: Number(candidate.number), text: line });
    else for (const word of wordsIn(line)) need.add(word);
  }
  const ranked = candidates.map(({ number, text }) => ({ number, overlap: overlapOf(text, need) }));
  ranked.sort((a, b) => b.overlap - a.overlap || a.number - b.number);
  const numbers = ranked.map(({ number }) => number);
  return `These fit best:\n\`\`\`json\n${JSON.stringify(numbers)}\n\`\`\``;
}

function overlapOf(text: string, need: ReadonlySet<string>): number {
  return new Set(wordsIn(text)).intersection(need).size;
}

function catalogSearch({ query, tools, maxResults }: Dict): unknown {
  const need = new Set(wordsIn((query as string[]).join(' ')));
  const results = (tools as Dict[]).map((tool) => ({
    toolKey: tool.toolKey,
    toolName: tool.toolName,
    serverName: tool.serverName,
    description: tool.description,
    relevance: overlapOf(`${tool.toolName} ${tool.description}`, need) / need.size,
  }));
  const found = results.filter(({ relevance }) => relevance > 0).sort((a, b) => b.relevance - a.relevance);
  return { results: found.slice(0, Number(maxResults)) };
}
