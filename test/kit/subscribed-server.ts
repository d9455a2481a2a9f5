/** A remote server of both eras that records the subscriptions it receives, and their sessions. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly uri?: string; readonly notifications?: { readonly resourceSubscriptions?: string[] } };
}

const agreements: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: '2025-11-25', serverInfo: { name: 'far', version: '1' } },
  'server/discover': { supportedVersions: ['2026-07-28'] },
};

export class SubscribedServer implements AsyncDisposable {
  readonly heard: string[] = [];
  /** Every requested method. */
  readonly methods = new Set<string>();
  /** `resources/subscribe` gets its answer when this resolves. */
  answers: Promise<void> = Promise.resolve();
  readonly #http = createServer((request, response) => void this.#serve(request, response));
  #sessions = 0;

  /** Resolves with its URL. */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    if (message.id === undefined) return void response.writeHead(202).end();
    this.methods.add(message.method);
    const { uri, notifications } = message.params ?? {};
    const asked = /^resources\/(subscribe|unsubscribe)$/.exec(message.method)?.[1];
    if (asked) this.heard.push(`${request.headers['mcp-session-id']} ${asked} ${uri}`);
    if (message.method === 'subscriptions/listen') this.heard.push(`modern ${notifications?.resourceSubscriptions}`);
    if (asked === 'subscribe') await this.answers;
    const own = message.method === 'initialize' ? { 'mcp-session-id': this.#newSession() } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...own });
    const result = { ...agreements[message.method], resultType: 'complete', capabilities: {} };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  }

  #newSession(): string {
    this.#sessions += 1;
    return `s${this.#sessions}`;
  }
}
