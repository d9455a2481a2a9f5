/** Every route as data: its kind, its methods and the right that it takes. `door.ts` has the handler of each kind. */

import { type Principal, type Scope, scopeNames } from '../access/access.ts';
import type { JsonObject } from '../base/json.ts';
import { HttpError } from './exchange.ts';

interface ApiRequest {
  readonly method: string;
  /** The path below /api/. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly principal: Principal;
  readonly signal: AbortSignal;
  /** The program that asks, as it names itself. */
  readonly client?: string | undefined;
  /** Set where the sender can be told of progress before the answer. */
  readonly onProgress?: OnProgress | undefined;
}

/** Takes the progress of a call, as its tool reports it. */
export type OnProgress = (progress: Readonly<Record<string, unknown>>) => void;

export interface ApiReply {
  readonly status: number;
  readonly body: unknown;
  /** The scope for want of which it was refused. */
  readonly lacks?: Scope | undefined;
}

export type ApiHandler = (request: ApiRequest) => Promise<ApiReply>;

export interface FeedEvent {
  readonly id: string;
  readonly kind: string;
  readonly data: JsonObject;
}

export interface EventFeed {
  /**
   * Calls `onEvent` with the events that the principal may know: those after the one named, as far as they are kept, then each
   * as it happens. Returns the function that stops it.
   */
  follow(reading: {
    readonly after: string | undefined;
    /** The reader with its rights of now. */
    readonly principal: () => Principal | undefined;
    readonly onEvent: (event: FeedEvent) => void;
  }): () => void;
}

/** Figures that only the door knows. */
export interface DoorFigures {
  /** Open legacy sessions. */
  readonly sessions: number;
  /** Open long streams, of agents and of dashboards. */
  readonly streams: number;
}

/** The text of /metrics as it is now. */
export type MetricsPage = (figures: DoorFigures) => string;

/** Routes that are open to everybody. */
export type PublicKind =
  | 'page'
  | 'asset'
  | 'sign-in'
  | 'sign-out'
  | 'oauth-callback'
  | 'oauth-client'
  | 'oauth-resource'
  | 'healthz'
  | 'readyz';

/** Routes for callers that were let in. */
export type GuardedKind = 'agent' | 'project' | 'server' | 'owner' | 'catalog' | 'events' | 'api' | 'metrics';

type RouteKind = PublicKind | GuardedKind;

/**
 * The right that a route takes: a scope; for `operation`, the scope of the operation that is named; nothing at all for
 * public routes. Every route states one, so that none can be forgotten.
 */
type RouteNeeds = Scope | 'operation' | 'nothing';

type RouteAccess =
  | { readonly kind: PublicKind; readonly needs: 'nothing' }
  | { readonly kind: GuardedKind; readonly needs: Exclude<RouteNeeds, 'nothing'> };

type RouteRow = RouteAccess & {
  /** A segment in braces takes any one segment, `*` the whole rest. */
  readonly pattern: string;
  readonly methods: readonly string[];
  /** Another scope that is let in: the endpoint shows its bearer only what the scope is for. */
  readonly alsoFor?: Scope;
  /** True where the token of a browser lets in: it is for the page and what the page asks. */
  readonly isForBrowsers?: true;
};

const mcpMethods = ['POST', 'GET', 'DELETE'];
const reading = ['GET', 'HEAD'];

/** Everything else is not found. */
export const routeTable: readonly RouteRow[] = [
  { pattern: '/mcp', kind: 'agent', methods: mcpMethods, needs: 'use' },
  { pattern: '/projects/{project}/mcp', kind: 'project', methods: mcpMethods, needs: 'use' },
  { pattern: '/servers/{server}/mcp', kind: 'server', methods: mcpMethods, needs: 'use' },
  { pattern: '/s/{server}/mcp', kind: 'server', methods: mcpMethods, needs: 'use' },
  { pattern: '/gateway/mcp', kind: 'owner', methods: mcpMethods, needs: 'admin', alsoFor: 'optimize' },
  { pattern: '/g/mcp', kind: 'owner', methods: mcpMethods, needs: 'admin', alsoFor: 'optimize' },
  { pattern: '/catalog/search', kind: 'catalog', methods: ['POST'], needs: 'use' },
  {
    pattern: '/api/events',
    kind: 'events',
    methods: ['GET'],
    needs: 'admin',
    alsoFor: 'optimize',
    isForBrowsers: true,
  },
  { pattern: '/api/*', kind: 'api', methods: ['GET', 'POST', 'DELETE'], needs: 'operation', isForBrowsers: true },
  { pattern: '/metrics', kind: 'metrics', methods: reading, needs: 'metrics' },
  // The files of the dashboard hold no secret and are the same for everybody.
  { pattern: '/', kind: 'page', methods: reading, needs: 'nothing' },
  { pattern: '/assets/{file}', kind: 'asset', methods: reading, needs: 'nothing' },
  // The code in its body is what lets somebody in.
  { pattern: '/sign-in', kind: 'sign-in', methods: ['POST'], needs: 'nothing' },
  // It asks for the token that it ends, and for nothing more.
  { pattern: '/sign-out', kind: 'sign-out', methods: ['POST'], needs: 'nothing', isForBrowsers: true },
  // The state in its query is what a sign-in to a server goes on with.
  { pattern: '/oauth/callback', kind: 'oauth-callback', methods: ['GET'], needs: 'nothing' },
  { pattern: '/oauth/callback/{issuer}', kind: 'oauth-callback', methods: ['GET'], needs: 'nothing' },
  { pattern: '/oauth/client.json', kind: 'oauth-client', methods: ['GET'], needs: 'nothing' },
  // Names the issuer of tokens for a door; not found while the gateway is the issuer.
  { pattern: '/.well-known/oauth-protected-resource', kind: 'oauth-resource', methods: reading, needs: 'nothing' },
  { pattern: '/.well-known/oauth-protected-resource/*', kind: 'oauth-resource', methods: reading, needs: 'nothing' },
  { pattern: '/healthz', kind: 'healthz', methods: reading, needs: 'nothing' },
  { pattern: '/readyz', kind: 'readyz', methods: reading, needs: 'nothing' },
];

/** Kinds that speak the protocol; the others speak plain JSON. */
const mcpKinds: ReadonlySet<RouteKind> = new Set<RouteKind>(['agent', 'project', 'server', 'owner']);

export function isMcp(route: Route): boolean {
  return mcpKinds.has(route.kind);
}

export function isScope(needs: RouteNeeds): needs is Scope {
  return (scopeNames as readonly string[]).includes(needs);
}

/** The part of a route that says who may use it. */
export type RouteRight = Pick<RouteRow, 'needs' | 'alsoFor'>;

/** The scope that a principal lacks for a route; undefined: none. */
export function lackedScope({ needs, alsoFor }: RouteRight, { scopes }: Principal): Scope | undefined {
  if (!isScope(needs) || scopes.has(needs)) return undefined;
  return alsoFor !== undefined && scopes.has(alsoFor) ? undefined : needs;
}

/** The path of a door in the characters that a header can hold between quotes; empty for everything that is no door. */
export function doorOf(route: Route): string {
  return isMcp(route) ? route.path.replaceAll(/[^\x21\x23-\x5b\x5d-\x7e]/g, encodeURIComponent) : '';
}

/** The row that a request found, with what its URL says. */
export type Route = RouteRow & {
  /** As it was asked for, without the query. */
  readonly path: string;
  /** The variable part of the path. */
  readonly name: string;
  readonly query: URLSearchParams;
};

/** `only`: the one kind that there is; all of them, if left out. */
export function findRoute(method: string, url: string, only?: RouteKind): Route {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  for (const row of routeTable) {
    const name = match(row.pattern, path);
    if (name === undefined || row.kind !== (only ?? row.kind)) continue;
    if (!row.methods.includes(method))
      throw new HttpError(405, `${method} is not allowed here.`, { headers: { allow: row.methods.join(', ') } });
    const query = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
    return { ...row, path, name, query };
  }
  throw nothingHere();
}

export function nothingHere(): HttpError {
  return new HttpError(404, 'There is nothing at this path.');
}

/** The variable part of the path (empty where there is none), or undefined when the path does not fit. */
function match(pattern: string, path: string): string | undefined {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1)) ? path.slice(pattern.length - 1) : undefined;
  const open = pattern.indexOf('{');
  if (open === -1) return pattern === path ? '' : undefined;
  const after = pattern.slice(pattern.indexOf('}') + 1);
  if (!path.startsWith(pattern.slice(0, open)) || !path.endsWith(after)) return undefined;
  const segment = path.slice(open, path.length - after.length);
  return segment !== '' && !segment.includes('/') ? decode(segment) : undefined;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpError(400, 'The path is not properly encoded.');
  }
}
