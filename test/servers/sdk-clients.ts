/** One face for the SDK clients of both generations, so that a test can be run with each of them. */

import { EventEmitter, once } from 'node:events';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as OldSseTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { newJournal, type ServerSpec, serverCommand, startServer } from './launch.ts';

/** SDK 2.4 in either era, and SDK 1.32, which knows only the legacy one. */
export type Kind = 'v2 legacy' | 'v2 modern' | 'v1';

type Common = 'callTool' | 'close' | 'complete' | 'getInstructions' | 'getPrompt' | 'getServerVersion';
type Lists = 'listPrompts' | 'listResources' | 'listResourceTemplates' | 'listTools' | 'readResource';
export type AnyClient = Pick<Client, Common | Lists>;

export interface Connected {
  readonly client: AnyClient;
  /** Present when the client is of SDK 2.4, for what only that one can do. */
  readonly modern: Client | undefined;
  readonly journalPath: string;
  readonly changes: Changes;
  /** The process of a stdio server. */
  readonly pid: number | null;
  subscribe(uri: string): Promise<unknown>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The methods of the notifications about changes, in the order they came. */
export class Changes {
  readonly methods: string[] = [];
  readonly #news = new EventEmitter();

  note(method: string): void {
    this.methods.push(method);
    this.#news.emit('change');
  }

  async atLeast(count: number): Promise<readonly string[]> {
    while (this.methods.length < count) await once(this.#news, 'change');
    return this.methods;
  }
}

const INFO = { name: 'test-client', version: '1.0.0' };
const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };

export const ELICITED = { action: 'accept' as const, content: { name: 'Ada' } };
export const SAMPLED = {
  role: 'assistant' as const,
  content: { type: 'text' as const, text: 'four' },
  model: 'fake',
  stopReason: 'endTurn',
};
export const ROOTS = { roots: [{ uri: 'file:///projects/work', name: 'work' }] };

/** Starts the server that the spec describes and connects a client of the given kind to it. */
export async function connect(kind: Kind, spec: ServerSpec, env?: Record<string, string>): Promise<Connected> {
  const journal = spec.journal ?? newJournal();
  const full = { ...spec, journal };
  if ((spec.transport ?? 'stdio') === 'stdio') {
    const command = { ...serverCommand(full), stderr: 'ignore' as const, ...(env !== undefined && { env }) };
    return kind === 'v1'
      ? connectOld(new OldStdioTransport(command), journal, async () => {})
      : connectNew(kind, new StdioClientTransport(command), journal, async () => {});
  }
  const server = await startServer(full, env === undefined ? {} : { env });
  const url = new URL(server.url);
  const isSse = spec.transport === 'sse';
  if (kind === 'v1') {
    return connectOld(isSse ? new OldSseTransport(url) : new OldHttpTransport(url), journal, () => server.stop());
  }
  const transport = isSse ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
  return connectNew(kind, transport, journal, () => server.stop());
}

async function connectNew(
  kind: Kind,
  transport: StdioClientTransport | SSEClientTransport | StreamableHTTPClientTransport,
  journalPath: string,
  stop: () => Promise<void>,
): Promise<Connected> {
  const mode = kind === 'v2 modern' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  const changes = new Changes();
  client.setRequestHandler('elicitation/create', () => ELICITED);
  client.setRequestHandler('sampling/createMessage', () => SAMPLED);
  client.setRequestHandler('roots/list', () => ROOTS);
  client.setNotificationHandler('notifications/tools/list_changed', ({ method }) => changes.note(method));
  client.setNotificationHandler('notifications/resources/updated', ({ method }) => changes.note(method));
  await client.connect(transport).catch(async (error) => {
    await stop();
    throw error;
  });
  const pid = 'pid' in transport ? transport.pid : null;
  const subscribe = (uri: string) =>
    kind === 'v2 modern'
      ? client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] })
      : client.subscribeResource({ uri });
  const dispose = async () => {
    await client.close();
    await stop();
  };
  return { client, modern: client, journalPath, changes, pid, subscribe, [Symbol.asyncDispose]: dispose };
}

async function connectOld(
  transport: OldStdioTransport | OldSseTransport | OldHttpTransport,
  journalPath: string,
  stop: () => Promise<void>,
): Promise<Connected> {
  const client = new OldClient(INFO, { capabilities: CAPABILITIES });
  const changes = new Changes();
  client.setRequestHandler(ElicitRequestSchema, () => ELICITED);
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLED);
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => changes.note(method));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ method }) => changes.note(method));
  // The old SDK's transports were not written for exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<OldClient['connect']>[0]).catch(async (error) => {
    await stop();
    throw error;
  });
  const pid = 'pid' in transport ? transport.pid : null;
  const dispose = async () => {
    await client.close();
    await stop();
  };
  // Of the methods in AnyClient only this one takes other parameters: a result schema comes before the options.
  const common = client as unknown as { -readonly [Name in keyof AnyClient]: AnyClient[Name] };
  const callTool = client.callTool.bind(client);
  common.callTool = ((params: Parameters<typeof callTool>[0], options: Parameters<typeof callTool>[2]) =>
    callTool(params, undefined, options)) as AnyClient['callTool'];
  return {
    client: common,
    modern: undefined,
    journalPath,
    changes,
    pid,
    subscribe: (uri) => client.subscribeResource({ uri }),
    [Symbol.asyncDispose]: dispose,
  };
}
