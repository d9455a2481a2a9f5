/** A remote server that wants a sign-in, or redirects its callers, with any metadata that the check wants. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Lies {
  /** Where every request is sent on to. */
  readonly redirect?: string;
  /** Where messages go, by an old server. */
  readonly endpoint?: string;
  /** In the challenge; the usual address by default. */
  readonly metadata?: string;
  /** Where a request for that document is sent on to. */
  readonly metadataRedirect?: string;
  readonly issuer?: string;
  /** Members of the metadata of the authorization server, which is the server itself. */
  readonly members?: Readonly<Record<string, unknown>>;
}

export interface LyingServer extends AsyncDisposable {
  readonly url: string;
  lie(lies: Lies): void;
  /** Requests so far. */
  requests(): number;
}

export async function openLyingServer(): Promise<LyingServer> {
  let lies: Lies = {};
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    answer(lies, originOf(), request.url ?? '', response);
  });
  const originOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${originOf()}/mcp`,
    lie: (next) => {
      lies = next;
    },
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(lies: Lies, origin: string, path: string, response: ServerResponse): void {
  const sendOn = (location: string) => void response.writeHead(302, { location }).end('canary of a private place');
  const json = (body: unknown) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (path === '/metadata') {
    if (lies.metadataRedirect !== undefined) return sendOn(lies.metadataRedirect);
    return json({ resource: `${origin}/mcp`, authorization_servers: [lies.issuer ?? origin] });
  }
  if (path.startsWith('/.well-known/oauth-authorization-server')) {
    const facts = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` };
    const more = { registration_endpoint: `${origin}/register`, code_challenge_methods_supported: ['S256'] };
    return json({ issuer: origin, ...facts, ...more, ...lies.members });
  }
  if (path === '/register') return void registered(response);
  if (lies.redirect !== undefined) return sendOn(lies.redirect);
  if (lies.endpoint !== undefined) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return void response.write(`event: endpoint\ndata: ${lies.endpoint}\n\n`);
  }
  const metadata = lies.metadata ?? `${origin}/metadata`;
  response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
}

function registered(response: ServerResponse): void {
  const body = { client_id: 'exam', redirect_uris: [], token_endpoint_auth_method: 'none' };
  response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
