/** The HTTP door: checks who knocks, finds the endpoint behind the path, and lets the right era's leg serve it. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { everybody, type Principal, type Scope } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import { sleep } from '../base/clock.ts';
import { type ErrorCode, GatewayError, systemCodeOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { http } from '../base/node-http.ts';
import { type Config, limits } from '../config/config.ts';
import type { Endpoint, EndpointContext } from '../endpoint/endpoint.ts';
import { classify, failure, type RpcMessage, type RpcRequest } from '../protocol/messages.ts';
import { serveCatalogSearch, untilClosed } from './catalog-leg.ts';
import { countOf, isLoopback, normalHost, originFault } from './check-origin.ts';
import { EndpointSet } from './endpoint-set.ts';
import { serveLegacyDelete, serveLegacyGet, serveLegacyPost } from './legacy-leg.ts';
import { claimsModern } from './modern-checks.ts';
import { serveModern } from './modern-leg.ts';
import { HttpError, readJsonBody } from './read-request.ts';
import { type ApiHandler, findRoute, isMcp, type Route } from './routes.ts';
import { SessionBook } from './session-book.ts';

export { isLoopback } from './check-origin.ts';
export { type ApiHandler, type ApiReply, routeTable } from './routes.ts';

export interface DoorOptions {
  readonly host: string;
  readonly port: number;
  readonly context: EndpointContext;
  /** The principal of a bearer token; null when the gateway was told to ask for none. */
  readonly authenticate: ((token: string) => Principal | undefined) | null;
  readonly api: ApiHandler;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when an agent comes and when the last one has gone. */
  readonly onAgents?: ((count: number) => void) | undefined;
}

/** What a bridge from stdio says of itself, so that no arguments are expected in headers: it does not know which. */
export const bridgeHeader = 'x-toolcrib-bridge';

export class Door {
  readonly #options: DoorOptions;
  readonly #endpoints: EndpointSet;
  readonly #sessions: SessionBook;
  readonly #server: Server;
  readonly #ending = new AbortController();
  #inFlight = 0;
  /** Open streams by principal. */
  readonly #streams = new Map<string, number>();
  /** The name and the address that the door listens on. */
  #ownHosts: readonly string[] = [];
  /** Made once for each config. */
  #hosts: { readonly from: readonly string[]; readonly names: ReadonlySet<string> } | undefined;

  constructor(options: DoorOptions) {
    this.#options = options;
    this.#endpoints = new EndpointSet(options.context);
    this.#sessions = new SessionBook(
      options.clock,
      () => this.#config.limits.sessions,
      (id) => {
        void options.context.downstream.endSession(id);
        options.onAgents?.(this.agents);
      },
    );
    this.#server = http.createServer(
      {
        maxHeaderSize: limits.maxHeaderBytes,
        headersTimeout: limits.headersTimeoutMs,
        requestTimeout: limits.requestBodyTimeoutMs,
        // Node looks at these two times only so often, and by default twice a minute.
        connectionsCheckingInterval: limits.headersTimeoutMs / 5,
        keepAliveTimeout: 60_000,
      },
      (request, response) => void this.#onRequest(request, response),
    );
  }

  get #config(): Config {
    return this.#options.context.config();
  }

  /** Requests and sessions that are there now. */
  get agents(): number {
    return this.#inFlight + this.#sessions.size;
  }

  /** Listens; resolves with the URL of the gateway. */
  async open(): Promise<string> {
    const { port } = this.#options;
    const host = normalHost(this.#options.host);
    if (host === '') {
      throw new GatewayError('USAGE', 'The host to listen on is empty, which would mean every address.', {
        hint: 'Name one with --host, for example 127.0.0.1.',
      });
    }
    if (!isLoopback(host) && this.#options.authenticate === null) {
      throw new GatewayError(
        'USAGE',
        `Without authentication the gateway listens on loopback only, not on "${host}".`,
        {
          hint: 'Leave out --no-auth, or use --host 127.0.0.1.',
        },
      );
    }
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => reject(listenTrouble(host, port, error)));
      this.#server.listen(port, host.replace(/^\[|\]$/g, ''), resolve);
    });
    const address = this.#server.address() as AddressInfo;
    const name = normalHost(address.address);
    this.#ownHosts = [host, name];
    return `http://${name}:${address.port}`;
  }

  /** Lets what is running finish for a while, with a clear no to everything new, then ends what is left. */
  async close(graceMs: number = limits.drainGraceMs): Promise<void> {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort(new GatewayError('CANCELLED', 'The gateway is shutting down.'));
    this.#sessions.abandonUnheard();
    const deadline = this.#options.clock.elapsed() + graceMs;
    while (this.#inFlight > 0 && this.#options.clock.elapsed() < deadline) await sleep(this.#options.clock, 20);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#sessions.close();
    this.#endpoints.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let route: Route | undefined;
    try {
      const fault = originFault(request, this.#allowedHosts());
      if (fault) throw new HttpError(403, fault);
      route = findRoute(request.method ?? '', request.url ?? '/');
      if (route.isPublic) return this.#serveProbe(route, response);
      const principal = this.#authenticate(request, route.scope);
      // What a POST at a door says has to be read first: it may belong to a call that is still running.
      const isMessage = request.method === 'POST' && isMcp(route);
      if (this.#ending.signal.aborted && !isMessage) throw shuttingDown();
      await this.#serve(route, principal, request, response);
    } catch (error) {
      this.#refuse(error, route, response);
    }
  }

  #allowedHosts(): ReadonlySet<string> {
    const { allowedHosts } = this.#config.access;
    if (this.#hosts?.from !== allowedHosts) {
      const names = new Set([...allowedHosts.map(normalHost), ...this.#ownHosts]);
      this.#hosts = { from: allowedHosts, names };
    }
    return this.#hosts.names;
  }

  #authenticate(request: IncomingMessage, scope: Scope): Principal {
    if (this.#options.authenticate === null) return everybody;
    const header = request.headers.authorization;
    const token =
      countOf(request, 'authorization') === 1 ? /^Bearer +(\S{1,512})$/i.exec(header ?? '')?.[1] : undefined;
    const principal = token === undefined ? undefined : this.#options.authenticate(token);
    if (!principal) {
      throw new HttpError(401, 'A valid token is needed: send "Authorization: Bearer TOKEN".', {
        headers: { 'www-authenticate': 'Bearer realm="toolcrib"' },
        rpcCode: -32000,
      });
    }
    if (!principal.scopes.has(scope)) throw new HttpError(403, lacking(scope));
    return principal;
  }

  #serveProbe(route: Route, response: ServerResponse): void {
    const isFine = route.kind === 'healthz' || !this.#ending.signal.aborted;
    response.writeHead(isFine ? 200 : 503, { 'content-type': 'text/plain' }).end(isFine ? 'ok\n' : 'no\n');
  }

  async #serve(route: Route, principal: Principal, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#inFlight += 1;
    this.#options.onAgents?.(this.agents);
    try {
      if (route.kind === 'api') await this.#serveApi(route, principal, request, response);
      else if (route.kind === 'catalog')
        await serveCatalogSearch({ context: this.#options.context, principal, request, response });
      else await this.#serveMcp(this.#endpointOf(route), withProject(principal, route), request, response);
    } finally {
      this.#inFlight -= 1;
      this.#options.onAgents?.(this.agents);
    }
  }

  #endpointOf(route: Route): Endpoint {
    if (route.kind === 'agent') return this.#endpoints.agent(route.query, undefined);
    if (route.kind === 'project') return this.#endpoints.agent(route.query, route.name);
    if (route.kind === 'owner') return this.#endpoints.owner();
    return this.#endpoints.server(route.name, route.query);
  }

  async #serveMcp(
    endpoint: Endpoint,
    principal: Principal,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { clock, log } = this.#options;
    const shared = { endpoint, principal, request, response, clock, log };
    const legacy = { ...shared, sessions: this.#sessions };
    const claimStream = () => this.#claimStream(principal, response);
    if (request.method === 'GET') {
      claimStream();
      return serveLegacyGet(legacy);
    }
    if (request.method === 'DELETE') return serveLegacyDelete(legacy);
    const body = await readJsonBody(request, this.#config.limits.bodyBytes);
    const versionHeader = request.headers['mcp-protocol-version'];
    const kind = Array.isArray(body) ? 'batch' : classify(body);
    if (kind === undefined) throw new HttpError(400, 'The body is not a JSON-RPC message.', { rpcCode: -32600 });
    if (this.#ending.signal.aborted && !isPartOfRunning(body)) throw shuttingDown();
    const message = body as RpcRequest;
    const isModern =
      kind !== 'batch' &&
      kind !== 'response' &&
      claimsModern(message.params, typeof versionHeader === 'string' ? versionHeader : undefined);
    if (!isModern) return serveLegacyPost(legacy, body);
    if (kind === 'notification') return void response.writeHead(202).end();
    const isBridge = request.headers[bridgeHeader] === 'stdio';
    await serveModern({ ...shared, isBridge, claimStream, ending: this.#ending.signal }, message);
  }

  /** One agent must not take all streams; a place is free again when its stream closes. */
  #claimStream(principal: Principal, response: ServerResponse): void {
    const open = this.#streams.get(principal.id) ?? 0;
    const most = this.#config.limits.streamsPerToken;
    if (open >= most) {
      throw new HttpError(429, `This token has ${open} streams open; ${most} are allowed.`, {
        headers: { 'retry-after': '10' },
        rpcCode: -32000,
      });
    }
    this.#streams.set(principal.id, open + 1);
    response.once('close', () => {
      this.#streams.set(principal.id, (this.#streams.get(principal.id) ?? 1) - 1);
      this.#options.onAgents?.(this.agents);
    });
  }

  async #serveApi(
    route: Route,
    principal: Principal,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const hasBody = request.method !== 'GET' && request.method !== 'DELETE';
    const body = hasBody ? await readJsonBody(request, this.#config.limits.bodyBytes) : undefined;
    const reply = await this.#options.api({
      method: request.method ?? '',
      path: route.name,
      query: route.query,
      body,
      principal,
      signal: untilClosed(response),
    });
    const text = JSON.stringify(reply.body);
    if (!response.destroyed) response.writeHead(reply.status, { 'content-type': 'application/json' }).end(text);
  }

  #refuse(error: unknown, route: Route | undefined, response: ServerResponse): void {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const known = error instanceof HttpError ? error : undefined;
    if (!known)
      this.#options.log.error('A request failed in a way that should not happen', {
        error,
        stack: error instanceof Error ? error.stack : undefined,
      });
    const status = known?.status ?? 500;
    const message = known?.message ?? 'Internal error.';
    const body =
      route === undefined || !isMcp(route)
        ? { error: { code: errorCodes[status], message } }
        : failure(null, { code: known?.rpcCode ?? -32603, message });
    response.writeHead(status, { 'content-type': 'application/json', ...known?.headers }).end(JSON.stringify(body));
  }
}

/** What a status means where the answer is plain JSON. */
const errorCodes: Readonly<Record<number, ErrorCode>> = {
  400: 'USAGE',
  401: 'UNAUTHENTICATED',
  403: 'ACCESS_DENIED',
  404: 'USAGE',
  405: 'USAGE',
  413: 'TOO_LARGE',
  415: 'USAGE',
  429: 'RATE_LIMITED',
  503: 'UNREACHABLE',
};

function lacking(scope: Scope): string {
  const advice = scope === 'use' ? '' : ": use the owner's token, kept in owner-token in the data folder";
  return `This token lacks the scope "${scope}"${advice}.`;
}

function shuttingDown(): HttpError {
  return new HttpError(503, 'The gateway is shutting down.', {
    headers: { 'retry-after': '5', connection: 'close' },
    rpcCode: -32000,
  });
}

/** At the door of a project only its servers are there, for whoever comes in. */
function withProject(principal: Principal, route: Route): Principal {
  return route.kind === 'project' ? { ...principal, project: route.name } : principal;
}

/** What calls that are running need to end: answers to what was asked, cancellations, and calls that are taken up again. */
function isPartOfRunning(body: unknown): boolean {
  const messages = (Array.isArray(body) ? body : [body]) as RpcMessage[];
  return messages.every((message) => {
    if (classify(message) === 'response') return true;
    if (classify(message) === undefined || !('method' in message)) return false;
    return message.method === 'notifications/cancelled' || message.params?.requestState !== undefined;
  });
}

function listenTrouble(host: string, port: number, error: Error): GatewayError {
  const code = systemCodeOf(error);
  if (code === 'EADDRINUSE') {
    return new GatewayError('PORT_TAKEN', `Port ${port} on ${host} is already in use.`, {
      hint: 'Choose another one with --port, or 0 for any.',
      cause: error,
    });
  }
  if (code === 'EACCES') {
    return new GatewayError('PORT_TAKEN', `Port ${port} on ${host} may not be used.`, {
      hint: 'Choose one above 1023 with --port.',
      cause: error,
    });
  }
  return new GatewayError('USAGE', `The gateway cannot listen on ${host}:${port}: ${error.message}.`, { cause: error });
}
