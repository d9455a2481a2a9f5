/** The door's dispatch table: the handler of each kind of route. A new page, file or event stream is a row here and one in `routes.ts`. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal, TokenIssuerFacts } from '../access/access.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { type Authenticator, type CallerIdentity, unauthenticated } from './authenticate.ts';
import { chooseProject, projectOfRequest, projectRefusal } from './choose-project.ts';
import { type McpOptions, serveMcp } from './mcp-leg.ts';
import { serveClientDocument, serveOauthCallback, serveResourceMetadata } from './oauth-routes.ts';
import type { ApiHandler, GuardedKind, PublicKind, Route } from './routes.ts';
import type { Sender } from './sender.ts';
import { serveApi, serveCatalogSearch } from './serve-json.ts';
import { serveHome, serveSignIn, serveSignOut } from './serve-pages.ts';
import type { RequestSlots } from './slots.ts';

/** One request on its way through the door. */
export interface DoorRequest {
  readonly route: Route;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly sender: Sender;
}

/** A request whose caller was let in. Its slots are held until the response closes, so that a stream is an ordinary answer. */
export interface AdmittedRequest extends DoorRequest {
  readonly identity: CallerIdentity;
  readonly slots: RequestSlots;
}

type Handler<T> = (visit: T) => void | Promise<void>;

export interface Handlers {
  readonly public: Readonly<Record<PublicKind, Handler<DoorRequest>>>;
  readonly guarded: Readonly<Record<GuardedKind, Handler<AdmittedRequest>>>;
}

export interface HandlerOptions extends McpOptions {
  readonly context: Uses<LayerName>;
  readonly api: ApiHandler;
  readonly authenticator: Authenticator;
  /** The issuer of tokens, if that is not the gateway itself. */
  readonly facts: () => TokenIssuerFacts | null;
  /** False while the gateway cannot save anything. */
  readonly isWritable: () => boolean;
}

export function makeHandlers(options: HandlerOptions): Handlers {
  const { context, authenticator, facts, api, clock, ending } = options;
  const signIns = () => context.downstream.signIns;
  const mcp = (visit: AdmittedRequest) => serveMcp(visit, options);
  const json = (visit: AdmittedRequest) => ({ ...visit, principal: () => inProject(visit, options) });
  return {
    public: {
      'sign-in': (visit) => serveSignIn({ ...visit, ...context }, authenticator),
      'oauth-callback': ({ route, response }) =>
        serveOauthCallback(signIns(), { mark: route.name, parameters: route.query }, response),
      'oauth-client': ({ response }) => serveClientDocument(signIns(), response),
      'oauth-resource': ({ route, request, response }) => serveResourceMetadata(facts(), route, request, response),
      healthz: ({ response }) => serveProbe(response, true, ending),
      readyz: ({ response }) => serveProbe(response, !ending.aborted && options.isWritable(), ending),
    },
    guarded: {
      agent: mcp,
      project: mcp,
      server: mcp,
      owner: mcp,
      home: (visit) => serveHome(visit, visit.identity),
      'sign-out': (visit) => serveSignOut({ ...visit, ...context }, visit.identity),
      catalog: (visit) => serveCatalogSearch(json(visit), context),
      api: (visit) => serveApi(json(visit), { api, clock, facts: facts(), most: context.config().limits }),
    },
  };
}

/** The principal of a request that holds no messages, with its rights of now. */
function inProject({ route, request, identity }: AdmittedRequest, { rights, context }: HandlerOptions): Principal {
  if (!identity.principal) throw unauthenticated();
  const principal = rights.renew(identity.principal, route);
  if (!principal) throw unauthenticated({ error: 'invalid_token' });
  const wished = projectOfRequest(route, request);
  const choice = chooseProject(context.access, principal, wished);
  if ('fault' in choice) throw projectRefusal(wished ?? '', choice);
  return choice.principal;
}

function serveProbe(response: ServerResponse, isFine: boolean, ending: AbortSignal): void {
  // Our own programs tell by this a gateway that is ending from one that cannot save, and still serves.
  const retry = ending.aborted ? { 'retry-after': '5' } : {};
  response.writeHead(isFine ? 200 : 503, { 'content-type': 'text/plain', ...retry }).end(isFine ? 'ok\n' : 'no\n');
}
