/** A gate in front of a test server: lets through who has a token of the right issuer, for this resource, with the right scopes. */

import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestIssuer } from './oauth-issuer.ts';

export interface GateOptions {
  /** The URL of the server behind it. */
  readonly upstream: string;
  readonly issuer: () => TestIssuer;
  /** The scopes that everybody needs. */
  readonly scope: string;
  /** The scopes that calls of a tool need besides. */
  readonly toolScopes?: Readonly<Record<string, string>>;
}

export interface Gate extends AsyncDisposable {
  readonly url: string;
  /** The Authorization headers of all requests, in order. */
  readonly seen: readonly (string | undefined)[];
  /** Requests that were refused for want of a good token. */
  readonly refused: number;
  /** Tokens that were let in until now are refused from now on, as if they had expired. */
  expire(): void;
}

export async function startGate(options: GateOptions): Promise<Gate> {
  const seen: (string | undefined)[] = [];
  const admitted = new Set<string>();
  const expired = new Set<string>();
  let refused = 0;
  const server = createServer(async (request, response) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      const facts = { resource: `${origin}/mcp`, authorization_servers: [options.issuer().url] };
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(facts));
    }
    if (request.url !== '/mcp') return response.writeHead(404).end();
    seen.push(request.headers.authorization);
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const found = token === '' || expired.has(token) ? undefined : await options.issuer().check(token);
    if (found === undefined || found.audience !== `${origin}/mcp`) {
      refused += 1;
      return refuse(response, 401, `Bearer resource_metadata="${metadata}", scope="${options.scope}"`);
    }
    admitted.add(token);
    const wanted = [options.scope, ...lackable(options, body)].filter((scope) => !found.scopes.includes(scope));
    if (wanted.length > 0) {
      const what = `scope="${wanted.join(' ')}", resource_metadata="${metadata}"`;
      return refuse(response, 403, `Bearer error="insufficient_scope", ${what}`);
    }
    pass(options.upstream, request, body, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    get refused() {
      return refused;
    },
    expire: () => {
      for (const token of admitted) expired.add(token);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refuse(response: ServerResponse, status: number, challenge: string): void {
  response.writeHead(status, { 'www-authenticate': challenge }).end();
}

function lackable({ toolScopes = {} }: GateOptions, body: string): string[] {
  const message = body === '' ? {} : (JSON.parse(body) as { method?: string; params?: { name?: string } });
  const scope = message.method === 'tools/call' ? toolScopes[message.params?.name ?? ''] : undefined;
  return scope === undefined ? [] : [scope];
}

function pass(upstream: string, request: IncomingMessage, body: string, response: ServerResponse): void {
  const { host, connection, authorization, 'content-length': _length, ...headers } = request.headers;
  const sent = forward(upstream, { method: request.method ?? 'GET', headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  sent.once('error', () => response.destroy());
  response.once('close', () => sent.destroy());
  sent.end(body);
}
