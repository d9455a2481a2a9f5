/** Resolves a message: on whose behalf it is sent, in which project and at which endpoint. Members meant for the gateway are taken off. */

import type { IncomingMessage } from 'node:http';
import { type AccessControl, type Principal, type Project, serverRefusalOf, whyClosed } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { noProject, surfaceNames } from '../config/config.ts';
import { AgentEndpoint, type Endpoint, OwnerEndpoint, type OwnerTool, ServerEndpoint } from '../endpoint/endpoint.ts';
import { metaOf, withoutMeta } from '../protocol/eras.ts';
import { type Params, RpcError, rpcCodes } from '../protocol/messages.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { type Authenticator, type CallerIdentity, unauthenticated } from './authenticate.ts';
import { HttpError } from './exchange.ts';
import type { Route, RouteRight } from './routes.ts';

/** Members of the envelope that are meant for the gateway alone. */
const ownMembers: readonly string[] = ['token', 'projectId'];

export interface ResolvedMessage {
  readonly principal: Principal;
  readonly endpoint: Endpoint;
  readonly params: Params | undefined;
  /** The same with the rights of now: a message may have waited for others. Throws as `ResolveMessage` does. */
  readonly renewed: () => ResolvedMessage;
}

/** `before`: the project of the session that a message belongs to, which holds where the message names none. */
export type ResolveMessage = (
  params: Params | undefined,
  before?: string,
) => ResolvedMessage | Promise<ResolvedMessage>;

interface ResolveOptions {
  readonly identity: CallerIdentity;
  readonly right: RouteRight;
  readonly authenticator: Authenticator;
  readonly access: Pick<AccessControl, 'project'>;
  /** A principal with its rights of now; undefined if it has none any more. */
  readonly renew: (principal: Principal) => Principal | undefined;
  /** The project in the path or a header; it goes before the one in a message. */
  readonly project: string | undefined;
  readonly endpointFor: (principal: Principal) => Endpoint;
  /** Told of somebody who resolutions here and is not the identity. */
  readonly onOther: (principal: Principal) => void;
}

/** Waits only where a token has to be checked: this is on the path of every message. */
export function resolveMessageFor(options: ResolveOptions): ResolveMessage {
  const { identity, endpointFor, renew } = options;
  return (params, before) => {
    const meta = metaOf(params);
    const resolve = (sender: Principal): ResolvedMessage => {
      const said = typeof meta?.projectId === 'string' ? meta.projectId : undefined;
      const now = renew(sender);
      if (!now) throw unauthenticated({ error: 'invalid_token' });
      const principal = inProject(options, now, said ?? before);
      const renewed = () => resolve(sender);
      return { principal, endpoint: endpointFor(principal), params: withoutOwn(params), renewed };
    };
    const token = identity.speaksForOthers ? meta?.token : undefined;
    if (typeof token === 'string' && token !== '') return ownerOfToken(options, token).then(resolve);
    if (identity.principal) return resolve(identity.principal);
    throw unauthenticated();
  };
}

/** A wrong project of the whole request is an HTTP error, one of a message a JSON-RPC error. */
function inProject({ access, project }: ResolveOptions, principal: Principal, said: string | undefined): Principal {
  const wanted = project ?? said;
  const choice = chooseProject(access, principal, wanted);
  if ('principal' in choice) return choice.principal;
  if (project !== undefined) throw projectRefusal(project, choice);
  if (choice.fault === 'closed') throw new GatewayError('ACCESS_DENIED', whyClosed(choice.project));
  if (choice.fault === 'other') {
    throw new GatewayError('PROJECT_MISMATCH', otherProject(wanted ?? ''));
  }
  throw new RpcError(rpcCodes.invalidParams, noSuchProject(wanted ?? ''));
}

async function ownerOfToken(
  { identity, authenticator, right, onOther }: ResolveOptions,
  token: string,
): Promise<Principal> {
  const named = await authenticator.ofToken(token, identity);
  authenticator.check(named, right);
  if (named.id !== identity.principal?.id) onOther(named);
  return named;
}

function withoutOwn(params: Params | undefined): Params | undefined {
  const meta = metaOf(params);
  const isOurs = meta !== undefined && ownMembers.some((member) => Object.hasOwn(meta, member));
  return params && isOurs ? withoutMeta(params, ownMembers) : params;
}

/** The header by which an agent names its project. */
const projectHeader = 'x-toolcrib-project';

/** How a request says that it is about no project. */
const unassigned: ReadonlySet<string> = new Set(['', noProject]);

type ProjectChoice =
  | { readonly principal: Principal }
  /** `other`: the project exists, but the token is bound to another one, and its owner may know. */
  | { readonly fault: 'unknown' | 'other' }
  /** It holds nothing, and the answer says why. */
  | { readonly fault: 'closed'; readonly project: Project };

type ProjectFault = Exclude<ProjectChoice, { readonly principal: Principal }>;

/** `principal`: as its token lets it in, which may bind it to a project. */
export function chooseProject(
  access: Pick<AccessControl, 'project'>,
  principal: Principal,
  wanted: string | undefined,
): ProjectChoice {
  const bound = principal.project;
  if (wanted === undefined || unassigned.has(wanted) || bound?.name === wanted) return whereOpen(principal);
  const project = access.project(wanted);
  if (bound !== undefined) return { fault: project && principal.scopes.has('admin') ? 'other' : 'unknown' };
  return project ? whereOpen({ ...principal, project }) : { fault: 'unknown' };
}

function whereOpen(principal: Principal): ProjectChoice {
  const { project } = principal;
  return project?.isClosed ? { fault: 'closed', project } : { principal };
}

/** The project of the whole request: the path goes before the header. */
export function projectOfRequest(route: Route, request: IncomingMessage): string | undefined {
  if (route.kind === 'project') return route.name;
  const header = request.headers[projectHeader];
  return typeof header === 'string' ? header.trim() : undefined;
}

export function projectRefusal(name: string, choice: ProjectFault): HttpError {
  if (choice.fault === 'closed') return new HttpError(403, whyClosed(choice.project));
  return choice.fault === 'other' ? new HttpError(403, otherProject(name)) : new HttpError(404, noSuchProject(name));
}

function otherProject(name: string): string {
  return `This token belongs to another project than "${name}".`;
}

function noSuchProject(name: string): string {
  return `There is no project "${name}".`;
}

export class EndpointSet {
  readonly #context: Uses<LayerName>;
  readonly #ownerTools: () => readonly OwnerTool[];
  readonly #made = new Map<string, Endpoint>();

  /** `ownerTools`: tools of the owner's door that other layers bring, as they are now. */
  constructor(context: Uses<LayerName>, ownerTools: () => readonly OwnerTool[]) {
    this.#context = context;
    this.#ownerTools = ownerTools;
  }

  find(route: Route, principal: Principal): Endpoint {
    if (route.kind === 'owner') return this.#once('owner', () => new OwnerEndpoint(this.#context, this.#ownerTools));
    if (route.kind === 'server') return this.#server(route.name, route.query, principal);
    return this.#agent(route.query, principal.project?.name);
  }

  /** `project` is undefined where the endpoint has all servers. */
  #agent(query: URLSearchParams, project: string | undefined): Endpoint {
    const wanted = query.get('surface');
    const surface = surfaceNames.find((name) => name === wanted);
    if (wanted !== null && !surface) {
      const [near] = nearest(wanted, surfaceNames, 1);
      const advice = near === undefined ? `there are ${surfaceNames.join(', ')}.` : `did you mean "${near}"?`;
      throw new HttpError(400, `There is no surface "${wanted}"; ${advice}`);
    }
    const make = () => new AgentEndpoint(this.#context, surface);
    return this.#once(`agent ${surface ?? ''} ${project ?? ''}`, make);
  }

  /** A server that the principal may not see reads like one that does not exist. */
  #server(name: string, query: URLSearchParams, principal: Principal): Endpoint {
    const names = query.get('names') ?? 'namespaced';
    if (names !== 'plain' && names !== 'namespaced')
      throw new HttpError(400, '"names" must be "plain" or "namespaced".');
    if (query.has('surface'))
      throw new HttpError(
        400,
        'A server door shows the tools of its server and takes no "surface"; use that on /mcp or a project.',
      );
    const spec = this.#context.downstream.spec(name);
    if (!spec || serverRefusalOf(principal, spec) !== null) throw new HttpError(404, `There is no server "${name}".`);
    return this.#once(`server ${names} ${name}`, () => new ServerEndpoint(this.#context, name, names === 'plain'));
  }

  close(): void {
    for (const endpoint of this.#made.values()) endpoint.close();
  }

  #once(key: string, make: () => Endpoint): Endpoint {
    let endpoint = this.#made.get(key);
    if (!endpoint) {
      endpoint = make();
      this.#made.set(key, endpoint);
    }
    return endpoint;
  }
}
