/** Clients without manners, for stdio and HTTP: they see bytes as they come and hide no answer that is wrong. */

import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { newJournal, type ServerSpec, serverCommand, waitForEntry } from './launch.ts';
import { type Dict, META, type Message, MODERN_VERSION, notification, parseMessage } from './rpc.ts';

const LEGACY_HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: { elicitation: {} },
  clientInfo: { name: 'raw', version: '1' },
};

export class RawClient {
  readonly child: ChildProcess;
  readonly journalPath: string;
  /** Every chunk of standard output as it arrived. */
  readonly chunks: Buffer[] = [];
  readonly messages: Message[] = [];
  readonly exited: Promise<number | NodeJS.Signals>;
  stderr = '';
  readonly #news = new EventEmitter();
  #nextId = 1;
  #held: Buffer[] = [];

  constructor(spec: ServerSpec, env: Record<string, string> = {}) {
    this.journalPath = spec.journal ?? newJournal();
    const { command, args } = serverCommand({ ...spec, journal: this.journalPath });
    // In a group of its own, as a careful gateway would start it.
    this.child = spawn(command, args, { env: { PATH: process.env.PATH, ...env }, detached: true });
    this.#news.setMaxListeners(0);
    this.exited = once(this.child, 'exit').then(([code, signal]) => code ?? signal);
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.child.stdin?.on('error', () => {});
    this.child.stdout?.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  /** Shakes hands in the legacy era. */
  async open(): Promise<void> {
    await this.request('initialize', LEGACY_HELLO);
    this.write(notification('notifications/initialized'));
  }

  write(message: Message): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** Sends a request and does not wait. */
  ask(method: string, params: Dict = {}): number {
    const id = this.#nextId++;
    this.write({ jsonrpc: '2.0', id, method, params });
    return id;
  }

  async request(method: string, params: Dict = {}): Promise<Message> {
    const id = this.ask(method, params);
    return this.next((message) => message.id === id && message.method === undefined);
  }

  /** The first message that fits, already here or still to come; rejects when the server ends without it. */
  async next(fits: (message: Message) => boolean): Promise<Message> {
    const gone = this.exited.then((how) => {
      throw new Error(`The server ended (${how}) without the message. ${this.stderr}`);
    });
    const arrival = async () => {
      for (;;) {
        const found = this.messages.find(fits);
        if (found !== undefined) return found;
        await once(this.#news, 'message');
      }
    };
    return Promise.race([arrival(), gone]);
  }

  /** Waits for an entry of this kind in the server's journal. */
  async noted(event: string): Promise<Dict> {
    return waitForEntry(this.journalPath, (entry) => entry.event === event);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  #take(chunk: Buffer): void {
    this.chunks.push(chunk);
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...this.#held, chunk.subarray(start, end)]);
      this.#held = [];
      start = end + 1;
      const message = parseMessage(line.toString('utf8'));
      if (message?.jsonrpc !== '2.0') continue;
      this.messages.push(message);
      this.#news.emit('message');
    }
    if (start < chunk.length) this.#held.push(chunk.subarray(start));
  }
}

/** One modern POST over HTTP, correct unless `params` or `headers` make it wrong. */
export async function postModern(
  url: string,
  method: string,
  params: Dict = {},
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
): Promise<Response> {
  const _meta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {} };
  return fetch(url, {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN_VERSION,
      'mcp-method': method,
      ...nameHeader(params),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta, ...params } }),
  });
}

/** A header repeats the subject of a request: a name, or the URI of a resource. */
function nameHeader({ name, uri }: Dict): Record<string, string> {
  const about = name ?? uri;
  return typeof about === 'string' ? { 'mcp-name': about } : {};
}
