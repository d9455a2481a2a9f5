/** Many made-up servers in one process, each at an address of its own over streamable HTTP, in both eras and without sessions. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MadeUpCatalog } from './made-up-tools.ts';

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>> & { readonly _meta?: Readonly<Record<string, unknown>> };
}

/** The tool whose answer is long. */
export const longTool = { server: 'shell', name: 'read_output' };
const longLines = 50_000;

const modernVersion = '2026-07-28';
const prefix = 'io.modelcontextprotocol/';
const whole = { resultType: 'complete' };
const cacheable = { ttlMs: 60_000, cacheScope: 'public' };

export class MadeUpHost implements AsyncDisposable {
  readonly #catalogs: ReadonlyMap<string, MadeUpCatalog>;
  readonly #server: Server;

  private constructor(catalogs: ReadonlyMap<string, MadeUpCatalog>) {
    this.#catalogs = catalogs;
    this.#server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
      const catalog = this.#catalogs.get(request.url?.slice(1) ?? '');
      if (request.method !== 'POST' || !catalog) return void response.writeHead(405).end();
      const answer = answerTo(await readMessage(request), catalog);
      if (answer === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  }

  static async open(catalogs: ReadonlyMap<string, MadeUpCatalog>): Promise<MadeUpHost> {
    const host = new MadeUpHost(catalogs);
    host.#server.listen(0, '127.0.0.1');
    await once(host.#server, 'listening');
    return host;
  }

  /** As a config names them. */
  get servers(): Record<string, { url: string }> {
    const { port } = this.#server.address() as AddressInfo; // it listens on a port, not on a pipe
    return Object.fromEntries(
      [...this.#catalogs.keys()].map((name) => [name, { url: `http://127.0.0.1:${port}/${name}` }]),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function readMessage(request: IncomingMessage): Promise<Message> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  return JSON.parse(body) as Message; // only the gateway speaks to it
}

function answerTo({ id, method, params }: Message, catalog: MadeUpCatalog): Record<string, unknown> | undefined {
  if (id === undefined) return undefined;
  const result = resultOf(method, params, catalog);
  const error = { code: -32601, message: `Method not found: ${method}` };
  return { jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) };
}

function resultOf(
  method: string | undefined,
  params: Message['params'],
  { title, tools }: MadeUpCatalog,
): Record<string, unknown> | undefined {
  const isModern = params?._meta?.[`${prefix}protocolVersion`] !== undefined;
  const serverInfo = { name: title, version: '1.0.0' };
  const capabilities = { tools: {} };
  const _meta = { [`${prefix}serverInfo`]: serverInfo };
  if (method === 'tools/list') return { ...(isModern ? { ...whole, ...cacheable } : {}), tools };
  if (method === 'tools/call')
    return { ...(isModern ? whole : {}), content: [{ type: 'text', text: textOf(params?.name) }] };
  if (method === 'initialize') return { protocolVersion: params?.protocolVersion, capabilities, serverInfo };
  if (method === 'ping') return {};
  if (method !== 'server/discover') return undefined;
  return { ...whole, ...cacheable, supportedVersions: [modernVersion], capabilities, _meta };
}

function textOf(tool: unknown): string {
  if (tool !== longTool.name)
    return JSON.stringify({ id: 4711, status: 'done', url: 'https://example.com/items/4711' });
  return Array.from({ length: longLines }, (_, at) => `line ${at} of a long log`).join('\n');
}
