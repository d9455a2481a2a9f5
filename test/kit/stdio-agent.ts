/** Agents that launch the stdio bridge: the SDK clients of both generations, and a bare one that sees every line. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { META, MODERN_VERSION } from '../servers/rpc.ts';
import { type AnyClient, ELICITED, type Kind, SAMPLED } from '../servers/sdk-clients.ts';
import { type FormAnswer, Heard, textOf } from './agents.ts';
import { HANG_MS } from './processes.ts';

type Dict = Record<string, unknown>;

const PROGRAM = join(import.meta.dirname, 'bridge-program.ts');
const BIN = join(import.meta.dirname, '../../bin/toolcrib.js');

/** The environment that a program needs to start quickly. */
const programEnv = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
);

/** How a bridge is launched. */
export interface Launch {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/** The bridge as agents launch it: it finds the gateway of a data folder, or starts one. */
export function toolcribStdio(dataDir: string, env: Record<string, string> = {}): Launch {
  const all = { ...programEnv, HOME: dataDir, TOOLCRIB_SURFACE: 'direct', ...env };
  return { command: process.execPath, args: [BIN, 'stdio', '--data', dataDir], env: all };
}

/** Says where the gateway is, to bridges that look there for it. */
export class PlaceFile implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'toolcrib-bridge-'));
  readonly path = join(this.#folder, 'place.json');

  set(url: string, headers: Record<string, string>): void {
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    writeFileSync(this.path, JSON.stringify({ url, token }));
  }

  /** A bridge that looks here. */
  launch(env: Record<string, string> = {}): Launch {
    const all = { ...programEnv, TOOLCRIB_SURFACE: 'direct', BRIDGE_PLACE: this.path, ...env };
    return { command: process.execPath, args: [PROGRAM], env: all };
  }

  clear(): void {
    rmSync(this.path, { force: true });
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

type CallOptions = Parameters<Client['callTool']>[1];

export interface StdioAgent extends AsyncDisposable {
  readonly client: AnyClient;
  /** Present for SDK 2.4. */
  readonly modern: Client | undefined;
  readonly heard: Heard;
  /** Every message as it came, before the SDK has a say. */
  readonly arrived: readonly Dict[];
  readonly asked: string[];
  readonly pid: number;
  setLogLevel(level: 'debug' | 'warning'): Promise<unknown>;
  subscribe(uri: string): Promise<unknown>;
  say(name: string, args?: Dict, options?: CallOptions): Promise<string>;
}

const INFO = { name: 'stdio-agent', version: '1.0.0' };
const CAPABILITIES = { elicitation: {}, sampling: {} };

const usualAnswer = (): FormAnswer => ELICITED;

/** Connects an agent of a kind through a bridge of its own; `onForm` is what its user answers to a form. */
export function connectStdio(kind: Kind, launch: Launch, onForm = usualAnswer): Promise<StdioAgent> {
  return kind === 'v1' ? connectOld(launch, onForm) : connectNew(kind, launch, onForm);
}

async function connectNew(kind: Kind, launch: Launch, onForm: typeof usualAnswer): Promise<StdioAgent> {
  const mode = kind === 'v2 modern' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
  const [heard, asked] = [new Heard(), [] as string[]];
  client.setRequestHandler('elicitation/create', ({ method }) => {
    asked.push(method);
    return { ...onForm() };
  });
  client.setRequestHandler('sampling/createMessage', ({ method }) => {
    asked.push(method);
    return SAMPLED;
  });
  client.fallbackNotificationHandler = async (message) => heard.note(message);
  const transport = new StdioClientTransport({ ...launch, stderr: 'ignore' });
  await client.connect(transport);
  return {
    client,
    modern: client,
    heard,
    arrived: arrivalsAt(transport),
    asked,
    pid: transport.pid ?? 0,
    setLogLevel: (level) => client.setLoggingLevel(level),
    subscribe: (uri) => client.subscribeResource({ uri }),
    say: async (name, args = {}, options) => textOf(await client.callTool({ name, arguments: args }, options)),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function connectOld(launch: Launch, onForm: typeof usualAnswer): Promise<StdioAgent> {
  const client = new OldClient(INFO, { capabilities: CAPABILITIES });
  const [heard, asked] = [new Heard(), [] as string[]];
  client.setRequestHandler(ElicitRequestSchema, ({ method }) => {
    asked.push(method);
    return { ...onForm() };
  });
  client.setRequestHandler(CreateMessageRequestSchema, ({ method }) => {
    asked.push(method);
    return SAMPLED;
  });
  client.fallbackNotificationHandler = async (message) => heard.note(message);
  const transport = new OldStdioTransport({ ...launch, stderr: 'ignore' });
  await client.connect(transport as Parameters<OldClient['connect']>[0]);
  // In this SDK a result schema comes before the options.
  const call = (name: string, args: Dict, options: unknown) =>
    client.callTool({ name, arguments: args }, undefined, options as Parameters<OldClient['callTool']>[2]);
  return {
    client: client as unknown as AnyClient,
    modern: undefined,
    heard,
    arrived: arrivalsAt(transport),
    asked,
    pid: transport.pid ?? 0,
    setLogLevel: (level) => client.setLoggingLevel(level),
    subscribe: (uri) => client.subscribeResource({ uri }),
    say: async (name, args = {}, options) =>
      textOf((await call(name, args, options)) as Awaited<ReturnType<AnyClient['callTool']>>),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The two SDKs have a type of message each, of which nothing is asked here. */
function arrivalsAt(transport: { onmessage?: unknown }): readonly Dict[] {
  const arrived: Dict[] = [];
  const deliver = transport.onmessage as (message: Dict) => void;
  transport.onmessage = (message: Dict) => {
    arrived.push(message);
    deliver(message);
  };
  return arrived;
}

/** A bridge with nothing in front of it. */
export class RawBridge implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly messages: Dict[] = [];
  /** Lines of stdout that are no messages: there must be none. */
  readonly strays: string[] = [];
  readonly exited: Promise<number | NodeJS.Signals>;
  stderr = '';
  readonly #news = new EventEmitter().setMaxListeners(0);
  #nextId = 1;

  constructor({ command, args, env }: Launch) {
    this.child = spawn(command, args, { env });
    this.exited = once(this.child, 'exit').then(([code, signal]) => code ?? signal);
    this.child.stdin.on('error', () => {});
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
      this.#news.emit('news');
    });
    createInterface(this.child.stdout).on('line', (line) => this.#take(line));
  }

  write(text: string | Buffer): void {
    this.child.stdin.write(text);
  }

  send(message: Dict): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Sends a request and does not wait. */
  ask(method: string, params: Dict = {}): number {
    const id = this.#nextId++;
    this.send({ id, method, params });
    return id;
  }

  askModern(method: string, params: Dict = {}): number {
    const _meta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {} };
    return this.ask(method, { _meta, ...params });
  }

  request(method: string, params: Dict = {}): Promise<Dict> {
    return this.answerTo(this.ask(method, params));
  }

  answerTo(id: unknown): Promise<Dict> {
    return this.next((message) => message.id === id && message.method === undefined);
  }

  /** Shakes hands in the legacy era. */
  async open(): Promise<void> {
    const capabilities = { elicitation: {} };
    const answer = await this.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: INFO });
    if (!answer.result) throw new Error(JSON.stringify(answer));
    this.send({ method: 'notifications/initialized' });
  }

  /** The first message that fits, already here or still to come. */
  async next(fits: (message: Dict) => boolean): Promise<Dict> {
    const gone = this.exited.then((how) => Promise.reject(new Error(`The bridge ended (${how}). ${this.stderr}`)));
    gone.catch(() => {});
    for (;;) {
      const found = this.messages.find(fits);
      if (found !== undefined) return found;
      await Promise.race([once(this.#news, 'news'), gone]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.stdin.end();
    const force = setTimeout(() => this.child.kill('SIGKILL'), HANG_MS);
    await this.exited;
    clearTimeout(force);
  }

  #take(line: string): void {
    const message: unknown = (() => {
      try {
        return JSON.parse(line);
      } catch {
        return undefined;
      }
    })();
    if ((message as Dict | undefined)?.jsonrpc === '2.0') this.messages.push(message as Dict);
    else this.strays.push(line);
    this.#news.emit('news');
  }
}
