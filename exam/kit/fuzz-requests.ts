/** Requests that an agent might send, by a grammar: well-formed ones, and the same with one to three mistakes. */

import { type Dict, type Era, envelope, VERSIONS, writeRequest } from './agent-requests.ts';
import { type Json, oddString, oddValue, spoil, spoilText } from './fuzz-values.ts';
import type { Random } from './random.ts';

export interface FuzzCase {
  readonly body: Buffer;
  /** Headers that say the same as the body, or do not. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where it is a request by the rules of JSON-RPC: the id that its answer must have. */
  readonly id: string | number | undefined;
  /** True if its answer may be a stream that stays open. */
  readonly isListening: boolean;
}

interface Draft {
  readonly method: string;
  readonly params: (random: Random) => Dict;
}

const call = (name: string, args: (random: Random) => Dict): Draft => ({
  method: 'tools/call',
  params: (random) => ({ name, arguments: args(random) }),
});
const drafts: readonly Draft[] = [
  call('sibling.echo', (random) => ({ text: oddString(random) })),
  call('sibling.add', (random) => ({ a: oddValue(random), b: random.whole(0, 9) })),
  call('sibling.fail', () => ({ message: 'no' })),
  call('no.such.tool', () => ({})),
  { method: 'tools/list', params: () => ({}) },
  { method: 'tools/list', params: (random) => ({ cursor: oddString(random) }) },
  { method: 'resources/list', params: () => ({}) },
  { method: 'resources/templates/list', params: () => ({}) },
  { method: 'resources/read', params: (random) => ({ uri: oddString(random) }) },
  { method: 'prompts/list', params: () => ({}) },
  { method: 'prompts/get', params: (random) => ({ name: oddString(random), arguments: {} }) },
  {
    method: 'completion/complete',
    params: (random) => ({
      ref: { type: 'ref/prompt', name: oddString(random) },
      argument: { name: 'x', value: oddString(random) },
    }),
  },
  { method: 'ping', params: () => ({}) },
  { method: 'server/discover', params: () => ({}) },
  { method: 'subscriptions/listen', params: () => ({ notifications: { toolsListChanged: true } }) },
  { method: 'logging/setLevel', params: (random) => ({ level: random.one(['debug', 'nonsense']) }) },
  { method: 'resources/subscribe', params: (random) => ({ uri: oddString(random) }) },
  { method: 'resources/unsubscribe', params: (random) => ({ uri: oddString(random) }) },
  { method: 'tasks/get', params: (random) => ({ taskId: oddString(random) }) },
  { method: 'roots/list', params: () => ({}) },
  { method: 'no/such/method', params: (random) => ({ x: oddValue(random) }) },
  { method: 'rpc.discover', params: () => ({}) },
  { method: '__proto__', params: () => ({}) },
];
const notices: readonly Draft[] = [
  { method: 'notifications/initialized', params: () => ({}) },
  // Never the id of a request that is under way.
  { method: 'notifications/cancelled', params: (random) => ({ requestId: random.one([-7, 'gone', 0.5, null]) }) },
  { method: 'notifications/progress', params: (random) => ({ progressToken: oddValue(random), progress: 1 }) },
  { method: 'notifications/roots/list_changed', params: () => ({}) },
  { method: 'notifications/no/such', params: (random) => ({ x: oddValue(random) }) },
];
const initialize: Draft = {
  method: 'initialize',
  params: (random) => ({
    protocolVersion: random.one([VERSIONS.legacy, '2024-11-05', '1999-01-01']),
    capabilities: {},
    clientInfo: { name: 'fuzz', version: '1' },
  }),
};
const mostFaults = 3;
/** Ids from here on are given once. */
export const firstId = 1_000;

/** Ids that no request of ours has. */
const oddIds: readonly Json[] = [
  ...[null, true, 0.5, -1, 1e21, '', ' ', 'x'.repeat(500), [], {}, [1], { id: 1 }, '\0', '9007199254740993', 2 ** 53],
];

export class FuzzRequests {
  readonly #random: Random;
  readonly #era: Era;
  #nextId = firstId;

  constructor(random: Random, era: Era) {
    this.#random = random;
    this.#era = era;
  }

  next(): FuzzCase {
    const random = this.#random;
    const what = random.share();
    const message = this.#message();
    if (what < 0.12) return this.#asBytes(spoilText(random, JSON.stringify(message)));
    if (what < 0.18) return this.#asBytes(Buffer.from(JSON.stringify(this.#batch(message))));
    if (what < 0.22) return this.#asBytes(Buffer.from(JSON.stringify(oddValue(random))));
    if (what < 0.3) return this.#written(message);
    let spoilt: Json = message;
    for (let left = random.whole(1, mostFaults); left > 0; left -= 1) spoilt = spoil(random, spoilt);
    return this.#written(spoilt);
  }

  /** A request, a notification with or without an id, or the answer to a question that nobody asked. */
  #message(): Json {
    const random = this.#random;
    const what = random.share();
    const id = random.share() < 0.06 ? random.one(oddIds) : this.#nextId++;
    if (what < 0.1)
      return { jsonrpc: '2.0', id, ...(random.share() < 0.5 ? { result: {} } : { error: oddValue(random) }) };
    const isNotice = what < 0.2;
    const isOpening = !isNotice && what > 0.985;
    const draft = isOpening ? initialize : random.one(isNotice ? notices : drafts);
    const meta = this.#era === 'modern' ? { _meta: envelope() } : {};
    const params = { ...draft.params(random), ...meta } as Json;
    const isNumbered = isNotice ? random.share() < 0.3 : random.share() < 0.97;
    return { jsonrpc: '2.0', ...(isNumbered && { id }), method: draft.method, params };
  }

  #batch(message: Json): Json {
    const random = this.#random;
    return Array.from({ length: random.whole(0, 4) }, (_, at) => (at === 0 ? message : this.#message()));
  }

  #asBytes(body: Buffer): FuzzCase {
    const { headers } = writeRequest(this.#era, { method: 'tools/call', params: { name: 'sibling.echo' } }, {});
    return { body, headers, id: undefined, isListening: isListening(body) };
  }

  /** With headers that fit the body, mostly. */
  #written(message: Json): FuzzCase {
    const random = this.#random;
    const body = Buffer.from(JSON.stringify(message) ?? 'null');
    const { method, params } = asDict(message);
    const isPlain = typeof method === 'string' && /^[\x21-\x7e]+$/.test(method);
    const named = { method: isPlain ? method : 'tools/call', params: asDict(params) };
    const { headers } = writeRequest(this.#era, named, {});
    if (random.share() < 0.05) return { body, headers: this.#spoiltHeaders(headers), ...factsOf(body) };
    return { body, headers, ...factsOf(body) };
  }

  #spoiltHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
    const random = this.#random;
    const name = random.one(Object.keys(headers));
    const value = random.one([
      '',
      'x',
      '=?base64?%%%?=',
      '2025-03-26',
      '1999-01-01',
      'text/plain',
      'tools/list',
      '\u00e9',
    ]);
    return { ...headers, [name]: value };
  }
}

/** The expected form of an answer, read from the bytes themselves. */
function factsOf(body: Buffer): Pick<FuzzCase, 'id' | 'isListening'> {
  const message = asDict(parsed(body));
  const { id, method, jsonrpc, params } = message;
  const isRequest = jsonrpc === '2.0' && typeof method === 'string' && !('result' in message) && !('error' in message);
  const isParams = params === undefined || (typeof params === 'object' && params !== null && !Array.isArray(params));
  const isId = (typeof id === 'string' && id !== '') || (Number.isSafeInteger(id) && !Object.is(id, -0));
  const isNotice = typeof method === 'string' && method.startsWith('notifications/');
  const isAnswered = isRequest && isParams && isId && !isNotice;
  return { id: isAnswered ? (id as string | number) : undefined, isListening: isListening(body) };
}

function isListening(body: Buffer): boolean {
  return body.includes('subscriptions/listen');
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return undefined;
  }
}

function asDict(value: unknown): Dict {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Dict) : {};
}
