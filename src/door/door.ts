/** The HTTP door: checks who knocks, finds the endpoint behind the path, and lets the right era's leg serve it. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { everybody, type Principal, RateLimit, type ResourceFacts, serverRefusalOf } from '../access/access.ts';
import type { AuditEvent } from '../audit/audit.ts';
import { type Clock, sleep } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { http } from '../base/node-http.ts';
import { inRequest, newRequest } from '../base/request-scope.ts';
import { type Config, limits } from '../config/config.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { classify, type RpcMessage } from '../protocol/messages.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { actFor, projectRefusal } from './act-for.ts';
import { Allowance } from './allowance.ts';
import { serveApi } from './api-leg.ts';
import { type Authenticate, Authenticator, unauthenticated, type Visitor } from './authenticate.ts';
import { serveCatalogSearch } from './catalog-leg.ts';
import { normalHost, originFault } from './check-origin.ts';
import { chooseProject, projectHeader } from './choose-project.ts';
import { EndpointSet } from './endpoint-set.ts';
import { checkHost, listenTrouble } from './listen-trouble.ts';
import { type McpVisit, serveMcp } from './mcp-leg.ts';
import { serveClientDocument, serveOauthCallback } from './oauth-callback.ts';
import { serveResourceMetadata } from './oauth-metadata.ts';
import { Presence } from './presence.ts';
import { HttpError, readJsonBody } from './read-request.ts';
import { refuse, shuttingDown } from './refuse.ts';
import { onceClosed, RequestPlaces } from './request-places.ts';
import { type ApiHandler, findRoute, isMcp, type Needs, type Route } from './routes.ts';
import { FrontEnds, type Sender } from './sender.ts';
import { serveHome, serveSignIn, serveSignOut } from './serve-pages.ts';
import { SessionBook } from './session-book.ts';
import { StrangerPlaces } from './stranger-places.ts';

export { isLoopback } from './check-origin.ts';
export { type ApiHandler, type ApiReply, routeTable } from './routes.ts';
export { trustsThisMachine } from './sender.ts';

export interface DoorOptions {
  readonly host: string;
  readonly port: number;
  readonly context: Uses<LayerName>;
  /** The principal of a bearer token; null when the gateway was told to ask for none. */
  readonly authenticate: Authenticate | null;
  readonly api: ApiHandler;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether what happens can be saved. */
  readonly isWritable: () => boolean;
  /** Told the id of a session that has ended: nobody can come back to it. */
  readonly onSessionEnd: (id: string) => void;
  /** Called when an agent comes and when the last one has gone. */
  readonly onAgents?: ((count: number) => void) | undefined;
}

/** One request on its way through the door. */
interface Knock {
  readonly route: Route;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export class Door {
  readonly #options: DoorOptions;
  readonly #endpoints: EndpointSet;
  readonly #sessions: SessionBook;
  readonly #server: Server;
  readonly #authenticator: Authenticator;
  readonly #frontEnds: FrontEnds;
  readonly #presence = new Presence();
  readonly #requests: Allowance;
  readonly #strangers = new StrangerPlaces();
  readonly #streams: Allowance;
  readonly #subscriptions: Allowance;
  readonly #ending = new AbortController();
  readonly #stops: (() => void)[] = [];
  #inFlight = 0;
  /** The name and the address that the door listens on. */
  #ownHosts: readonly string[] = [];
  /** Made once for each config. */
  #hosts: { readonly from: readonly string[]; readonly names: ReadonlySet<string> } | undefined;

  constructor(options: DoorOptions) {
    this.#options = options;
    const { clock, context } = options;
    this.#endpoints = new EndpointSet(context);
    this.#sessions = new SessionBook({
      clock,
      most: () => this.#config.limits.sessions,
      mostEach: () => this.#config.limits.sessionsPerToken,
      onEnd: (id) => {
        void context.downstream.endSession(id);
        options.onSessionEnd(id);
        options.onAgents?.(this.agents);
      },
    });
    this.#requests = new Allowance(() => this.#config.limits.requestsPerToken);
    this.#streams = new Allowance(() => this.#config.limits.streamsPerToken);
    this.#subscriptions = new Allowance(() => this.#config.limits.subscriptionsPerToken);
    this.#frontEnds = new FrontEnds(() => this.#config.access.trustedFrontEnds);
    this.#authenticator = new Authenticator({
      authenticate: () => options.authenticate,
      browser: (cookie) => context.access.signIns.find(cookie),
      failures: new RateLimit(clock, () => this.#config.limits.failedSignInsPerMinute),
      requests: new RateLimit(clock, () => this.#config.limits.callsPerMinute * limits.requestsPerCall),
      onRefused: (address) => void context.audit.recordRepeated(refusedSignIn(address), address),
    });
    this.#server = this.#makeServer();
  }

  #makeServer(): Server {
    return http.createServer(
      {
        maxHeaderSize: limits.maxHeaderBytes,
        headersTimeout: limits.headersTimeoutMs,
        requestTimeout: limits.requestBodyTimeoutMs,
        // Node looks at these two times only so often, and by default twice a minute.
        connectionsCheckingInterval: limits.headersTimeoutMs / 5,
        keepAliveTimeout: 60_000,
      },
      (request, response) => {
        const scope = newRequest(request.headers);
        response.setHeader('x-request-id', scope.id);
        inRequest(scope, () => void this.#onRequest(request, response));
      },
    );
  }

  get #config(): Config {
    return this.#options.context.config();
  }

  /** Who gives tokens, if that is not the gateway itself. */
  get #facts(): ResourceFacts | null {
    return this.#options.authenticate === null ? null : (this.#options.context.access.issuer?.facts() ?? null);
  }

  /** Requests and sessions that are there now. */
  get agents(): number {
    return this.#inFlight + this.#sessions.size;
  }

  /** Listens; resolves with the URL of the gateway. */
  async open(): Promise<string> {
    const { port, context } = this.#options;
    const host = normalHost(this.#options.host);
    checkHost(host, this.#options.authenticate === null);
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => reject(listenTrouble(host, port, error)));
      this.#server.listen(port, host.replace(/^\[|\]$/g, ''), resolve);
    });
    const review = () => this.#review();
    const { access, catalog } = context;
    this.#stops.push(access.changed.on(review), catalog.renewed.on(review), catalog.configured.on(review));
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
    for (const stop of this.#stops.splice(0)) stop();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#sessions.close();
    this.#endpoints.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** Whoever may not be here any more is shown out: requests and streams that are open, and sessions between requests. */
  #review(): void {
    this.#presence.review();
    this.#sessions.review();
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let route: Route | undefined;
    try {
      const fault = originFault(request, this.#allowedHosts());
      if (fault) throw new HttpError(403, fault);
      route = findRoute(request.method ?? '', request.url ?? '/');
      const sender = this.#frontEnds.senderOf(request);
      if (route.needs === 'nothing') return await this.#servePublic({ route, request, response }, sender);
      const visitor = await this.#authenticator.admit(request, route, sender);
      if (this.#ending.signal.aborted && !isMessage(route, request)) throw shuttingDown();
      await this.#serve({ route, request, response }, visitor);
    } catch (error) {
      refuse(response, error, route, this.#facts, this.#options.log);
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

  async #servePublic(knock: Knock, sender: Sender): Promise<void> {
    const { route, response } = knock;
    if (route.kind === 'sign-in')
      return serveSignIn({ ...knock, ...this.#options.context }, sender, this.#authenticator);
    const { signIns } = this.#options.context.downstream;
    const visit = { mark: route.name, parameters: route.query };
    if (route.kind === 'oauth-callback') return serveOauthCallback(signIns, visit, response);
    if (route.kind === 'oauth-client') return serveClientDocument(signIns, response);
    if (route.kind === 'oauth-resource') return serveResourceMetadata(this.#facts, route, knock.request, response);
    const isEnding = this.#ending.signal.aborted;
    const isFine = route.kind === 'healthz' || (!isEnding && this.#options.isWritable());
    // By this, programs of ours tell a gateway that goes from one that cannot save anything, and still serves.
    const going = isEnding ? { 'retry-after': '5' } : {};
    response.writeHead(isFine ? 200 : 503, { 'content-type': 'text/plain', ...going }).end(isFine ? 'ok\n' : 'no\n');
  }

  async #serve(knock: Knock, visitor: Visitor): Promise<void> {
    const places = new RequestPlaces(this.#requests, (principal) => this.#watch(knock, principal));
    if (visitor.principal) places.take(visitor.principal, isMessage(knock.route, knock.request));
    else places.takeAsStranger(this.#strangers.take(visitor.sender));
    this.#inFlight += 1;
    this.#options.onAgents?.(this.agents);
    try {
      await this.#lead(knock, visitor, places);
    } finally {
      // What was left of it may still be read, and what was begun may go on after its reader has gone.
      onceClosed(knock.response, () => places.release());
      this.#inFlight -= 1;
      this.#options.onAgents?.(this.agents);
    }
  }

  async #lead(knock: Knock, visitor: Visitor, places: RequestPlaces): Promise<void> {
    const { route } = knock;
    const { context } = this.#options;
    if (route.kind === 'home') return serveHome({ ...knock, ...context }, visitor);
    if (route.kind === 'sign-out') return serveSignOut({ ...knock, ...context }, visitor);
    if (isMcp(route)) return serveMcp(this.#mcpVisit(knock, visitor, places), knock.request, knock.response);
    const principal = () => this.#inProject(knock, visitor);
    // Who may not come in need not send a body first.
    principal();
    if (route.kind === 'catalog') return serveCatalogSearch({ ...knock, context, principal });
    const { api, clock } = this.#options;
    await serveApi({ ...knock, api, clock, facts: this.#facts, most: this.#config.limits, principal });
  }

  /** The principal of a request that has no messages in it, as it is now. */
  #inProject(knock: Knock, visitor: Visitor): Principal {
    if (!visitor.principal) throw unauthenticated();
    const principal = this.#renew(visitor.principal, knock.route);
    if (!principal) throw unauthenticated({ error: 'invalid_token' });
    const wished = wishedProject(knock);
    const choice = chooseProject(this.#options.context.access, principal, wished);
    if ('fault' in choice) throw projectRefusal(wished ?? '', choice);
    return choice.principal;
  }

  #mcpVisit(knock: Knock, visitor: Visitor, places: RequestPlaces): McpVisit {
    const { context, clock, log } = this.#options;
    const { route, response } = knock;
    const project = wishedProject(knock);
    return {
      visitor,
      isAlwaysThere: project === undefined && route.kind !== 'server',
      act: actFor({
        visitor,
        needs: route.needs,
        authenticator: this.#authenticator,
        access: context.access,
        renew: (principal) => this.#renew(principal, route),
        project,
        endpointFor: (principal) => this.#endpointFor(route, principal),
        onOther: (principal) => places.take(principal, true),
      }),
      home: `${route.kind} ${route.name} ${route.query.size === 0 ? '' : route.query}`,
      mayStay: (principal) => this.#mayStay(principal, route),
      sessions: this.#sessions,
      claimStream: (principal) => this.#claimStream(principal, response),
      subscriptions: this.#subscriptions,
      readBody: () => this.#readBody(knock, visitor),
      refuseNew: (body) => {
        if (isPartOfRunning(body)) return;
        if (this.#ending.signal.aborted) throw shuttingDown();
        if (visitor.principal) places.checkRoom(visitor.principal);
      },
      ending: this.#ending.signal,
      clock,
      log,
    };
  }

  /** A body can come long after its head, and whoever may not be here any more by then has said nothing. */
  async #readBody({ request, route }: Knock, { principal }: Visitor): Promise<unknown> {
    const body = await readJsonBody(request, this.#config.limits, this.#options.clock);
    if (principal && !this.#renew(principal, route)) throw unauthenticated({ error: 'invalid_token' });
    return body;
  }

  #endpointFor(route: Route, principal: Principal): Endpoint {
    if (route.kind === 'owner') return this.#endpoints.owner();
    if (route.kind === 'server') return this.#endpoints.server(route.name, route.query, principal);
    return this.#endpoints.agent(route.query, principal.project?.name);
  }

  /** Somebody who came in, as they are now; undefined where they would not be let in again. */
  #renew(principal: Principal, { needs }: Route): Principal | undefined {
    if (principal.id === everybody.id && this.#options.authenticate !== null) return undefined;
    const now = this.#options.context.access.renew(principal);
    return now && hasScope(now, needs) ? now : undefined;
  }

  /** Whether somebody who came in by a route would find what it leads to. */
  #mayStay(principal: Principal, route: Route): boolean {
    const now = this.#renew(principal, route);
    if (!now || route.kind !== 'server') return now !== undefined;
    const spec = this.#options.context.downstream.spec(route.name);
    return spec !== undefined && serverRefusalOf(now, spec) === null;
  }

  /** Ends the request as soon as its principal may not be here any more; what it was doing is cancelled with it. */
  #watch({ route, response }: Knock, principal: Principal): () => void {
    return this.#presence.add({
      mayStay: () => this.#mayStay(principal, route),
      end: () => {
        if (response.headersSent) response.destroy();
        else refuse(response, unauthenticated({ error: 'invalid_token' }), route, this.#facts, this.#options.log);
      },
    });
  }

  /** One agent must not take all streams; a place is free again when its stream closes. */
  #claimStream(principal: Principal, response: ServerResponse): void {
    const release = this.#streams.take(principal.id);
    if (!release) {
      const { most } = this.#streams;
      throw new HttpError(429, `This token has ${most} streams open; ${most} are allowed.`, {
        headers: { 'retry-after': '10' },
        rpcCode: -32000,
      });
    }
    onceClosed(response, () => {
      release();
      this.#options.onAgents?.(this.agents);
    });
  }
}

function refusedSignIn(address: string): AuditEvent {
  return {
    kind: 'access',
    action: 'sign-in.refused',
    principal: { id: 'nobody', name: 'nobody' },
    outcome: 'refused',
    errorType: 'UNAUTHENTICATED',
    detail: { address },
  };
}

/** The project that is of the whole request: the one in the path goes before the one in the header. */
function wishedProject({ route, request }: Knock): string | undefined {
  if (route.kind === 'project') return route.name;
  const header = request.headers[projectHeader];
  return typeof header === 'string' ? header.trim() : undefined;
}

/** What a POST at a door says is known only when it was read: it may belong to something that is running. */
function isMessage(route: Route, request: IncomingMessage): boolean {
  return request.method === 'POST' && isMcp(route);
}

function hasScope(principal: Principal, needs: Needs): boolean {
  return needs === 'operation' || needs === 'browser' || needs === 'nothing' || principal.scopes.has(needs);
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
