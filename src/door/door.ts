/** The HTTP door: checks the origin, finds the route, lets the caller in, and hands the request to the handler of its kind. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Principal, RateLimit, type TokenIssuerFacts } from '../access/access.ts';
import type { AuditEvent } from '../audit/audit.ts';
import { type Clock, sleep } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { inRequest, newRequest } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { ownDashboardDir } from '../base/own-program.ts';
import { type Config, limits } from '../config/config.ts';
import type { OwnerTool } from '../endpoint/endpoint.ts';
import { metricTextType } from '../metrics/metrics.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { type Authenticate, Authenticator, type CallerIdentity, unauthenticated } from './authenticate.ts';
import { serveSignIn, serveSignOut } from './browser-sign-in.ts';
import {
  type AdmittedRequest,
  AnonymousSlots,
  CurrentRights,
  type DoorRequest,
  RequestSlots,
  Slots,
} from './connections.ts';
import { DashboardFiles } from './dashboard-files.ts';
import { HttpError, onceClosed } from './exchange.ts';
import type { HttpListener } from './http-listener.ts';
import { LegacySessions } from './legacy-session.ts';
import { claimStream, type McpOptions, serveMcp } from './mcp-leg.ts';
import { serveClientDocument, serveOauthCallback, serveResourceMetadata } from './oauth-routes.ts';
import { noOthers, type ReplicaAddresses, vouchedSender } from './pass-on.ts';
import { refuse, shuttingDown } from './refuse.ts';
import { chooseProject, EndpointSet, projectOfRequest, projectRefusal } from './resolve-message.ts';
import {
  type ApiHandler,
  type DoorFigures,
  type EventFeed,
  findRoute,
  type GuardedKind,
  isMcp,
  type MetricsPage,
  nothingHere,
  type PublicKind,
  type Route,
} from './routes.ts';
import type { SeenAgents } from './seen-agents.ts';
import { FrontEnds, isPassedOn, normalHost, originFault } from './sender.ts';
import { serveEvents } from './serve-events.ts';
import { serveApi, serveCatalogSearch } from './serve-json.ts';

export { HttpListener } from './http-listener.ts';
export {
  type ApiHandler,
  type ApiReply,
  type DoorFigures,
  type EventFeed,
  type FeedEvent,
  type OnProgress,
  routeTable,
} from './routes.ts';
export { SeenAgents } from './seen-agents.ts';
export { trustsThisMachine } from './sender.ts';

interface DoorOptions {
  /** Where it listens; the door closes it. */
  readonly listener: HttpListener;
  /** The one kind of route that there is; all of them, if left out. */
  readonly only?: GuardedKind | undefined;
  readonly context: Uses<LayerName>;
  /** The principal of a bearer token; null when the gateway asks for none. */
  readonly authenticate: Authenticate | null;
  /** Where the built files of the dashboard lie; left out, those of this program. */
  readonly dashboardDir?: string | undefined;
  readonly api: ApiHandler;
  readonly events: EventFeed;
  readonly metricsPage: MetricsPage;
  /** Tools of the owner's door that other layers bring, as they are now. */
  readonly ownerTools: () => readonly OwnerTool[];
  /** Work that goes on without a request. */
  readonly jobs: { readonly activeCount: number; readonly changed: { on(listener: () => void): () => void } };
  readonly clock: Clock;
  readonly log: Log;
  /** False while the gateway cannot write to its data folder, or lets nobody in but the owner of its folder. */
  readonly isReady: () => boolean;
  /** Told who comes. */
  readonly agents: SeenAgents;
  /** Left out, nothing is traced. */
  readonly telemetry?: McpOptions['telemetry'];
  /** The others on the same database; left out, there are none. */
  readonly replicas?: ReplicaAddresses | undefined;
  /** Called with the id of a session that has ended for good. */
  readonly onSessionEnd: (id: string) => void;
  /** Called with the number of agents whenever it may have changed. */
  readonly onAgents?: ((count: number) => void) | undefined;
}

/** How long the store may take to say for the others that this gateway stops. */
const leaveMs = 1_000;

export class Door {
  readonly #options: DoorOptions;
  readonly #endpoints: EndpointSet;
  readonly #sessions: LegacySessions;
  readonly #authenticator: Authenticator;
  readonly #frontEnds: FrontEnds;
  readonly #rights: CurrentRights;
  readonly #handlers: Handlers;
  readonly #requests: Slots;
  readonly #streams: Slots;
  readonly #anonymous = new AnonymousSlots();
  readonly #ending = new AbortController();
  readonly #stops: (() => void)[] = [];
  #inFlight = 0;
  /** Made once for each config. */
  #hosts: { readonly from: readonly string[]; readonly names: ReadonlySet<string> } | undefined;

  constructor(options: DoorOptions) {
    this.#options = options;
    const { clock, context } = options;
    this.#endpoints = new EndpointSet(context, options.ownerTools);
    this.#sessions = new LegacySessions({
      clock,
      most: () => this.#config.limits.sessions,
      mostEach: () => this.#config.limits.sessionsPerToken,
      onEnd: (id) => {
        void context.downstream.endSession(id);
        options.onSessionEnd(id);
        options.agents.end(id);
        this.#countAgents();
      },
    });
    this.#requests = new Slots(() => this.#config.limits.requestsPerToken);
    this.#rights = new CurrentRights({ context, needsToken: () => options.authenticate !== null });
    this.#frontEnds = new FrontEnds(() => this.#config.access.trustedFrontEnds);
    this.#authenticator = new Authenticator({
      authenticate: () => options.authenticate,
      failures: new RateLimit(clock, () => this.#config.limits.failedSignInsPerMinute),
      requests: new RateLimit(clock, () => this.#config.limits.callsPerMinute * limits.requestsPerCall),
      onRefused: (address) => void context.audit.recordRepeated(refusedSignIn(address), address),
    });
    this.#streams = new Slots(() => this.#config.limits.streamsPerToken);
    this.#handlers = makeHandlers({
      ...options,
      authenticator: this.#authenticator,
      rights: this.#rights,
      facts: () => this.#facts,
      figures: () => this.figures,
      endpoints: this.#endpoints,
      sessions: this.#sessions,
      replicas: this.#replicas,
      streams: this.#streams,
      subscriptions: new Slots(() => this.#config.limits.subscriptionsPerToken),
      onStreamEnd: () => this.#countAgents(),
      ending: this.#ending.signal,
    });
  }

  get #config(): Config {
    return this.#options.context.config();
  }

  get #replicas(): ReplicaAddresses {
    return this.#options.replicas ?? noOthers;
  }

  /** The issuer of tokens, if that is not the gateway itself. */
  get #facts(): TokenIssuerFacts | null {
    return this.#options.authenticate === null ? null : (this.#options.context.access.issuer?.facts() ?? null);
  }

  /** Requests under way, open sessions, and jobs: they go on for an agent that may come back. */
  get agents(): number {
    return this.#inFlight + this.#sessions.size + this.#options.jobs.activeCount;
  }

  get figures(): DoorFigures {
    return { sessions: this.#sessions.size, streams: this.#streams.size };
  }

  #countAgents(): void {
    this.#options.onAgents?.(this.agents);
  }

  /** Serves requests from now on. */
  open(): void {
    const { listener, context } = this.#options;
    const review = () => {
      this.#rights.connections.review();
      this.#sessions.review();
    };
    const { access, catalog } = context;
    this.#stops.push(this.#options.jobs.changed.on(() => this.#countAgents()));
    this.#stops.push(access.changed.on(review), catalog.renewed.on(review), catalog.configured.on(review));
    this.#countAgents();
    listener.serve((request, response) => {
      const scope = newRequest(request.headers);
      response.setHeader('x-request-id', scope.id);
      inRequest(scope, () => void this.#onRequest(request, response));
    });
  }

  /** Refuses new requests, gives running ones time to finish, then ends the rest. */
  async close(graceMs: number = limits.drainGraceMs): Promise<void> {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort(new GatewayError('CANCELLED', 'The gateway is shutting down.'));
    this.#sessions.abandonUnheard();
    const deadline = this.#options.clock.elapsed() + graceMs;
    await this.#finish(deadline);
    if (this.#replicas.own !== null) {
      await this.#sendAway();
      // A call that waited for its agent may have been taken up meanwhile.
      await this.#finish(deadline);
    }
    for (const stop of this.#stops.splice(0)) stop();
    this.#sessions.close();
    this.#endpoints.close();
    await this.#options.listener.close();
  }

  async #finish(deadline: number): Promise<void> {
    const { clock } = this.#options;
    while (this.#inFlight > 0 && clock.elapsed() < deadline) await sleep(clock, 20);
  }

  /** Refuses requests on kept-open connections for a moment, so that balancers close them and use other gateways. */
  async #sendAway(): Promise<void> {
    // Or the others would take it for one that cannot be reached.
    await this.#atMost(leaveMs, this.#replicas.leave());
    await this.#atMost(limits.keepAliveGraceMs, this.#options.listener.stopAccepting());
  }

  async #atMost(ms: number, work: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#options.clock.after(ms, resolve);
    void work.then(resolve);
    await promise;
    timer.cancel();
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let route: Route | undefined;
    try {
      const fault = originFault(request, this.#allowedHosts());
      if (fault) throw new HttpError(403, fault);
      route = findRoute(request.method ?? '', request.url ?? '/', this.#options.only);
      const vouched = isPassedOn(request) ? vouchedSender(request, this.#replicas) : undefined;
      const sender = vouched ?? this.#frontEnds.senderOf(request);
      const incoming = { route, request, response, sender };
      if (route.needs === 'nothing') return await this.#handlers.public[route.kind](incoming);
      const identity = await this.#authenticator.admit(request, route, sender);
      if (this.#ending.signal.aborted && !isMessage(incoming)) throw shuttingDown();
      await this.#serveGuarded(incoming, identity, this.#handlers.guarded[route.kind]);
    } catch (error) {
      refuse(response, error, route, this.#facts, this.#options.log);
    }
  }

  #allowedHosts(): ReadonlySet<string> {
    const { access, listen } = this.#config;
    const { allowedHosts } = access;
    if (this.#hosts?.from !== allowedHosts) {
      const advertised = listen.advertise === null ? [] : [new URL(listen.advertise).hostname];
      const names = new Set([...[...allowedHosts, ...advertised].map(normalHost), ...this.#options.listener.hosts]);
      this.#hosts = { from: allowedHosts, names };
    }
    return this.#hosts.names;
  }

  async #serveGuarded(
    incoming: DoorRequest,
    identity: CallerIdentity,
    handle: Handlers['guarded'][GuardedKind],
  ): Promise<void> {
    const slots = new RequestSlots(this.#requests, (principal) => this.#watch(incoming, principal));
    if (identity.principal) slots.take(identity.principal, isMessage(incoming));
    else slots.takeAnonymous(this.#anonymous.take(identity.sender));
    this.#inFlight += 1;
    this.#countAgents();
    try {
      await handle({ ...incoming, identity, slots });
    } finally {
      const { response } = incoming;
      // The rest of the answer may still be read, and the work may go on after its reader has gone.
      onceClosed(response, () => slots.release());
      const leave = () => {
        this.#inFlight -= 1;
        this.#countAgents();
      };
      if (response.writableEnded && !response.writableFinished) onceClosed(response, leave);
      else leave();
    }
  }

  /** Ends the request, and cancels its work, as soon as its principal loses the right to be here. */
  #watch({ route, response }: DoorRequest, principal: Principal): () => void {
    return this.#rights.connections.add({
      mayStay: () => this.#rights.mayStay(principal, route),
      end: () => {
        if (response.headersSent) response.destroy();
        else refuse(response, unauthenticated({ error: 'invalid_token' }), route, this.#facts, this.#options.log);
      },
    });
  }
}

type Handler<T> = (incoming: T) => void | Promise<void>;

interface Handlers {
  readonly public: Readonly<Record<PublicKind, Handler<DoorRequest>>>;
  readonly guarded: Readonly<Record<GuardedKind, Handler<AdmittedRequest>>>;
}

interface HandlerOptions extends McpOptions {
  readonly context: Uses<LayerName>;
  readonly dashboardDir?: string | undefined;
  readonly api: ApiHandler;
  readonly events: EventFeed;
  readonly metricsPage: MetricsPage;
  readonly figures: () => DoorFigures;
  readonly authenticator: Authenticator;
  /** The issuer of tokens, if that is not the gateway itself. */
  readonly facts: () => TokenIssuerFacts | null;
  /** False while the gateway cannot write to its data folder, or lets nobody in but the owner of its folder. */
  readonly isReady: () => boolean;
}

/** The dispatch table: the handler of each kind of route. A new page, file or event stream is a row here and one in `routes.ts`. */
function makeHandlers(options: HandlerOptions): Handlers {
  const { context, authenticator, facts, api, clock, replicas, ending } = options;
  const signIns = () => context.downstream.signIns;
  const dashboard = new DashboardFiles(options.dashboardDir ?? ownDashboardDir);
  const mcp = (incoming: AdmittedRequest) => serveMcp(incoming, options);
  const json = (incoming: AdmittedRequest) => ({ ...incoming, principal: () => inProject(incoming, options) });
  return {
    public: {
      page: ({ request, response }) => dashboard.serve('', request, response),
      asset: ({ route, request, response }) => dashboard.serve(route.name, request, response),
      'sign-in': (incoming) => serveSignIn(incoming, { ...context, replicas: options.replicas }, authenticator),
      'sign-out': (incoming) => serveSignOut(incoming, context, authenticator),
      'oauth-callback': ({ route, response }) =>
        serveOauthCallback(signIns(), { mark: route.name, parameters: route.query }, response),
      'oauth-client': ({ response }) => serveClientDocument(signIns(), response),
      'oauth-resource': ({ route, request, response }) => serveResourceMetadata(facts(), route, request, response),
      healthz: ({ response }) => serveProbe(response, true, ending),
      readyz: ({ response }) => serveProbe(response, !ending.aborted && options.isReady(), ending),
    },
    guarded: {
      agent: mcp,
      project: mcp,
      server: mcp,
      owner: mcp,
      catalog: (incoming) => serveCatalogSearch(json(incoming), context),
      events: (incoming) => {
        const reading = json(incoming);
        claimStream(reading.principal(), incoming.response, options);
        return serveEvents(reading, options);
      },
      api: (incoming) =>
        serveApi(json(incoming), { api, clock, replicas, facts: facts(), most: context.config().limits }),
      metrics: (incoming) => serveMetrics(incoming, options),
    },
  };
}

/** The principal of a request that holds no messages, with its rights of now. */
function inProject({ route, request, identity }: AdmittedRequest, { rights, context }: HandlerOptions): Principal {
  if (!identity.principal) throw unauthenticated();
  const principal = rights.renew(identity.principal, route);
  if (!principal) throw unauthenticated({ error: 'invalid_token' });
  const wanted = projectOfRequest(route, request);
  const choice = chooseProject(context.access, principal, wanted);
  if ('fault' in choice) throw projectRefusal(wanted ?? '', choice);
  return choice.principal;
}

/** The page tells of the whole gateway: a token for a part of it must not learn what else there is. */
function serveMetrics(incoming: AdmittedRequest, options: HandlerOptions): void {
  const { servers, project } = inProject(incoming, options);
  if (!options.context.config().telemetry.prometheus) throw nothingHere();
  if (servers !== undefined || project !== undefined)
    throw new HttpError(403, 'This token is limited to some servers or a project; /metrics needs one without limits.');
  const text = options.metricsPage(options.figures());
  incoming.response.writeHead(200, { 'content-type': metricTextType, 'cache-control': 'no-store' }).end(text);
}

function serveProbe(response: ServerResponse, isFine: boolean, ending: AbortSignal): void {
  // Our own programs tell by this a gateway that is ending from one that still serves them.
  const retry = ending.aborted ? { 'retry-after': '5' } : {};
  response.writeHead(isFine ? 200 : 503, { 'content-type': 'text/plain', ...retry }).end(isFine ? 'ok\n' : 'no\n');
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

/** A POST to an MCP door may belong to something that is running: that is known only after its body was read. */
function isMessage({ route, request }: DoorRequest): boolean {
  return request.method === 'POST' && isMcp(route);
}
