/** A gateway's door that does as a test says: a legacy session, ready and agreeable unless a script says otherwise. */

import { EventEmitter, once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Dict = Record<string, unknown>;

export interface DoorRequest {
  /** GET, POST or DELETE. */
  readonly verb: string;
  readonly headers: IncomingMessage['headers'];
  /** The message of a POST; empty otherwise. */
  readonly rpc: Dict;
  readonly response: ServerResponse;
}

/** Returns true when it has answered, or will. */
type Script = (request: DoorRequest) => boolean;

export class ScriptedDoor implements AsyncDisposable {
  readonly requests: DoorRequest[] = [];
  /** Looked at first; the last one set counts. */
  script: Script = () => false;
  sessions = 0;
  /** The standing stream of the newest session. */
  standing: ServerResponse | undefined;
  readonly #server = http.createServer((request, response) => void this.#onRequest(request, response));
  readonly #news = new EventEmitter().setMaxListeners(0);

  static async open(): Promise<ScriptedDoor> {
    const door = new ScriptedDoor();
    door.#server.listen(0, '127.0.0.1');
    await once(door.#server, 'listening');
    return door;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The request in short: the method of a message, else the verb. */
  get heard(): string[] {
    return this.requests.map(({ verb, rpc }) => (rpc.method === undefined ? verb : String(rpc.method)));
  }

  /** The first request that fits, made already or to come. */
  async next(fits: (request: DoorRequest) => boolean): Promise<DoorRequest> {
    for (;;) {
      const found = this.requests.find(fits);
      if (found) return found;
      await once(this.#news, 'request');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #onRequest(message: IncomingMessage, response: ServerResponse): Promise<void> {
    if (message.url === '/readyz') return void response.end('ok\n');
    let text = '';
    for await (const chunk of message.setEncoding('utf8')) text += chunk;
    const rpc = text === '' ? {} : (JSON.parse(text) as Dict);
    const request = { verb: message.method ?? '', headers: message.headers, rpc, response };
    this.requests.push(request);
    if (!this.script(request)) this.#agree(request);
    this.#news.emit('request');
  }

  #agree({ verb, rpc, response }: DoorRequest): void {
    if (verb === 'GET') {
      this.standing = openStream(response);
    } else if (rpc.method === 'initialize') {
      this.sessions += 1;
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'door', version: '1' } };
      reply(response, 200, { jsonrpc: '2.0', id: rpc.id, result }, { 'mcp-session-id': `session-${this.sessions}` });
    } else if (rpc.id === undefined || rpc.method === undefined) {
      response.writeHead(verb === 'POST' ? 202 : 200).end();
    } else reply(response, 200, { jsonrpc: '2.0', id: rpc.id, result: {} });
  }
}

export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function refuse(response: ServerResponse, status: number, message: string): void {
  reply(response, status, { jsonrpc: '2.0', id: null, error: { code: -32000, message } });
}

export function openStream(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  return response;
}

/** One message on a stream. */
export function emit(response: ServerResponse, message: Dict): boolean {
  return response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}
