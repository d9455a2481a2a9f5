/** As many remote servers as are wanted, at one address each, with the tools they are given; what they are called for is counted. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { META, MODERN_VERSION } from '../../test/servers/rpc.ts';
import type { Dict } from './agent-requests.ts';

export interface ManyServers extends AsyncDisposable {
  /** The URL of a new one. */
  add(tools: readonly Dict[]): string;
  /** Calls of tools so far, of all of them. */
  calls(): number;
}

interface Request {
  readonly id?: unknown;
  readonly method?: string;
}

export async function openManyServers(): Promise<ManyServers> {
  const tools = new Map<string, readonly Dict[]>();
  let calls = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const message = body === '' ? {} : (JSON.parse(body) as Request);
    if (message.method === 'tools/call') calls += 1;
    answer(response, message, tools.get(request.url ?? '') ?? []);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    add: (offered) => {
      const path = `/${tools.size}/mcp`;
      tools.set(path, offered);
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    },
    calls: () => calls,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, { id, method }: Request, tools: readonly Dict[]): void {
  if (id === undefined) return void response.writeHead(202).end();
  const results: Readonly<Record<string, Dict>> = {
    'server/discover': { supportedVersions: [MODERN_VERSION], capabilities: { tools: {} } },
    'tools/list': { tools },
    'tools/call': { content: [{ type: 'text', text: 'ran' }] },
  };
  const found = method !== undefined && Object.hasOwn(results, method) ? results[method] : undefined;
  const more = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' };
  const _meta = { [META.serverInfo]: { name: 'one of many', version: '1' } };
  const outcome =
    found === undefined
      ? { error: { code: -32_601, message: 'Method not found' } }
      : { result: { ...more, ...found, _meta } };
  response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
}
