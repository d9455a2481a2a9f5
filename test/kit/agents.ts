/** Agents for scenarios: the real SDK clients of both generations at a door of the gateway, with one face for all. */

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { META } from '../servers/rpc.ts';
import { type AnyClient, ELICITED, type Kind, SAMPLED } from '../servers/sdk-clients.ts';

export type { Kind } from '../servers/sdk-clients.ts';
export { ELICITED, SAMPLED } from '../servers/sdk-clients.ts';

export const KINDS: readonly Kind[] = ['v1', 'v2 legacy', 'v2 modern'];

type Dict = Record<string, unknown>;
type CallOptions = Parameters<Client['callTool']>[1];
type Level = Parameters<Client['setLoggingLevel']>[0];

/** The answer to a form. */
export type FormAnswer = {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, string>;
};

export interface AgentOptions {
  readonly headers: Record<string, string>;
  /** The capabilities of the agent; elicitation and sampling by default. */
  readonly capabilities?: { elicitation?: Record<string, never>; sampling?: Record<string, never> };
  /** The name that the agent gives when a server elicits one. */
  readonly name?: string;
  /** The answer of the agent's user to a form; the usual one by default. */
  readonly onForm?: ((params: Dict) => Promise<FormAnswer> | FormAnswer) | undefined;
  /** The answer of the agent's model when it is sampled; the usual one by default. It may refuse, by throwing. */
  readonly onSample?: ((params: Dict, signal: AbortSignal) => Promise<string> | string) | undefined;
  /** Runs before each answer to a question of a server. */
  readonly onQuestion?: (method: string, signal: AbortSignal) => Promise<void> | void;
}

export interface Agent extends AsyncDisposable {
  readonly kind: Kind;
  readonly client: AnyClient;
  readonly heard: Heard;
  /** The methods of the questions that were put to this agent. */
  readonly asked: string[];
  call(name: string, args?: Dict, options?: CallOptions): ReturnType<AnyClient['callTool']>;
  /** Calls a tool that succeeds and gives the text of its answer. */
  say(name: string, args?: Dict, options?: CallOptions): Promise<string>;
  /** From now on log messages of this level and above are wanted. */
  setLogLevel(level: Level): Promise<void>;
  /** Wants to hear of changes of lists and of these resources. */
  listen(uris?: readonly string[]): Promise<void>;
  /** Wants to hear no more of them. */
  stopListening(uris?: readonly string[]): Promise<void>;
}

/** The notifications that came, in order. */
export class Heard {
  readonly all: { readonly method: string; readonly params: Dict }[] = [];
  readonly #news = new EventEmitter().setMaxListeners(0);

  note(message: { readonly method: string; readonly params?: unknown }): void {
    this.all.push({ method: message.method, params: (message.params ?? {}) as Dict });
    this.#news.emit('heard');
  }

  /** The parameters of all that came under a method. */
  of(method: string): Dict[] {
    return this.all.filter((item) => item.method === method).map((item) => item.params);
  }

  /** Waits until this many have come under a method. */
  async atLeast(method: string, count: number): Promise<Dict[]> {
    while (this.of(method).length < count) await once(this.#news, 'heard');
    return this.of(method);
  }
}

/** Connects an agent of a kind to a door. */
export async function connectAgent(kind: Kind, url: string, options: AgentOptions): Promise<Agent> {
  const heard = new Heard();
  const asked: string[] = [];
  const answer = async <Answer>(method: string, signal: AbortSignal, value: Answer): Promise<Answer> => {
    asked.push(method);
    await options.onQuestion?.(method, signal);
    return value;
  };
  return kind === 'v1'
    ? connectOld(url, options, { heard, asked, answer })
    : connectNew(kind, url, options, { heard, asked, answer });
}

interface Ears {
  readonly heard: Heard;
  readonly asked: string[];
  answer<Answer>(method: string, signal: AbortSignal, value: Answer): Promise<Answer>;
}

const INFO = { name: 'scenario-agent', version: '1.0.0' };
const CAPABILITIES = { elicitation: {}, sampling: {} };

async function elicitedOf({ name, onForm }: AgentOptions, params: unknown): Promise<FormAnswer> {
  if (onForm) return onForm(params as Dict);
  return name === undefined ? ELICITED : { ...ELICITED, content: { name } };
}

async function sampledOf({ onSample }: AgentOptions, params: unknown, signal: AbortSignal): Promise<typeof SAMPLED> {
  if (!onSample) return SAMPLED;
  return { ...SAMPLED, content: { ...SAMPLED.content, text: await onSample(params as Dict, signal) } };
}

async function connectNew(kind: Kind, url: string, options: AgentOptions, ears: Ears): Promise<Agent> {
  const isModern = kind === 'v2 modern';
  const capabilities = options.capabilities ?? CAPABILITIES;
  const mode = isModern ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client(INFO, { capabilities, versionNegotiation: { mode } });
  if (capabilities.elicitation)
    client.setRequestHandler('elicitation/create', async ({ method, params }, { mcpReq }) =>
      ears.answer(method, mcpReq.signal, await elicitedOf(options, params)),
    );
  if (capabilities.sampling)
    client.setRequestHandler('sampling/createMessage', async ({ method, params }, { mcpReq }) =>
      ears.answer(method, mcpReq.signal, await sampledOf(options, params, mcpReq.signal)),
    );
  client.fallbackNotificationHandler = async (message) => ears.heard.note(message);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: options.headers } }));
  let logLevel: Level | undefined;
  const call: Agent['call'] = (name, args = {}, callOptions) => {
    const meta = logLevel === undefined ? {} : { _meta: { [META.logLevel]: logLevel } };
    return client.callTool({ name, arguments: args, ...meta }, callOptions);
  };
  let subscription: Awaited<ReturnType<Client['listen']>> | undefined;
  const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  return {
    ...faceOf(kind, client, ears, call),
    setLogLevel: async (level) => {
      if (isModern) logLevel = level;
      else await client.setLoggingLevel(level);
    },
    listen: async (uris = []) => {
      if (isModern) subscription = await client.listen({ ...lists, resourceSubscriptions: [...uris] });
      else for (const uri of uris) await client.subscribeResource({ uri });
    },
    stopListening: async (uris = []) => {
      await subscription?.close();
      if (!isModern) for (const uri of uris) await client.unsubscribeResource({ uri });
    },
  };
}

async function connectOld(url: string, options: AgentOptions, ears: Ears): Promise<Agent> {
  const capabilities = options.capabilities ?? CAPABILITIES;
  const client = new OldClient(INFO, { capabilities });
  if (capabilities.elicitation)
    client.setRequestHandler(ElicitRequestSchema, async ({ method, params }, { signal }) =>
      ears.answer(method, signal, await elicitedOf(options, params)),
    );
  if (capabilities.sampling)
    client.setRequestHandler(CreateMessageRequestSchema, async ({ method, params }, { signal }) =>
      ears.answer(method, signal, await sampledOf(options, params, signal)),
    );
  client.fallbackNotificationHandler = async (message) => ears.heard.note(message);
  const transport = new OldTransport(new URL(url), { requestInit: { headers: options.headers } });
  // The old SDK's transports were not written for exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<OldClient['connect']>[0]);
  // In this SDK a result schema comes before the options.
  const call = ((name: string, args: Dict = {}, callOptions: Parameters<OldClient['callTool']>[2]) =>
    client.callTool({ name, arguments: args }, undefined, callOptions)) as Agent['call'];
  return {
    ...faceOf('v1', client as unknown as AnyClient, ears, call),
    setLogLevel: async (level) => void (await client.setLoggingLevel(level)),
    listen: async (uris = []) => {
      for (const uri of uris) await client.subscribeResource({ uri });
    },
    stopListening: async (uris = []) => {
      for (const uri of uris) await client.unsubscribeResource({ uri });
    },
  };
}

type Face = Omit<Agent, 'setLogLevel' | 'listen' | 'stopListening'>;

function faceOf(kind: Kind, client: AnyClient, { heard, asked }: Ears, call: Agent['call']): Face {
  const say: Agent['say'] = async (name, args, options) => textOf(await call(name, args, options));
  return { kind, client, heard, asked, call, say, [Symbol.asyncDispose]: () => client.close() };
}

/** The text of a result that must be a success. */
export function textOf(result: Awaited<ReturnType<Agent['call']>>): string {
  const block = result.content[0];
  assert.ok(block?.type === 'text' && result.isError !== true, JSON.stringify(result));
  return block.text;
}
