/** Every route there is, as data: what it leads to, which methods it takes and which scope it needs. */

import type { Principal, Scope } from '../access/access.ts';
import { HttpError } from './read-request.ts';

export interface ApiRequest {
  readonly method: string;
  /** The path below /api/. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly principal: Principal;
  readonly signal: AbortSignal;
}

export interface ApiReply {
  readonly status: number;
  readonly body: unknown;
}

export type ApiHandler = (request: ApiRequest) => Promise<ApiReply>;

type RouteKind = 'agent' | 'project' | 'server' | 'owner' | 'catalog' | 'api' | 'healthz' | 'readyz';

interface RouteRow {
  /** A segment in braces takes any one segment, `*` the whole rest. */
  readonly pattern: string;
  readonly kind: RouteKind;
  readonly methods: readonly string[];
  readonly scope: Scope;
  readonly isPublic: boolean;
}

const mcpMethods = ['POST', 'GET', 'DELETE'];

/** Everything else is not found. */
export const routeTable: readonly RouteRow[] = [
  { pattern: '/mcp', kind: 'agent', methods: mcpMethods, scope: 'use', isPublic: false },
  { pattern: '/projects/{project}/mcp', kind: 'project', methods: mcpMethods, scope: 'use', isPublic: false },
  { pattern: '/servers/{server}/mcp', kind: 'server', methods: mcpMethods, scope: 'use', isPublic: false },
  { pattern: '/s/{server}/mcp', kind: 'server', methods: mcpMethods, scope: 'use', isPublic: false },
  { pattern: '/gateway/mcp', kind: 'owner', methods: mcpMethods, scope: 'admin', isPublic: false },
  { pattern: '/g/mcp', kind: 'owner', methods: mcpMethods, scope: 'admin', isPublic: false },
  { pattern: '/catalog/search', kind: 'catalog', methods: ['POST'], scope: 'use', isPublic: false },
  { pattern: '/api/*', kind: 'api', methods: ['GET', 'POST', 'DELETE'], scope: 'admin', isPublic: false },
  { pattern: '/healthz', kind: 'healthz', methods: ['GET', 'HEAD'], scope: 'use', isPublic: true },
  { pattern: '/readyz', kind: 'readyz', methods: ['GET', 'HEAD'], scope: 'use', isPublic: true },
];

/** Kinds that speak the protocol; the others speak plain JSON. */
const mcpKinds: ReadonlySet<RouteKind> = new Set<RouteKind>(['agent', 'project', 'server', 'owner']);

export function isMcp(route: Route): boolean {
  return mcpKinds.has(route.kind);
}

export interface Route {
  readonly kind: RouteKind;
  readonly scope: Scope;
  readonly isPublic: boolean;
  /** What the variable part of the path says. */
  readonly name: string;
  readonly query: URLSearchParams;
}

export function findRoute(method: string, url: string): Route {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  for (const row of routeTable) {
    const name = match(row.pattern, path);
    if (name === undefined) continue;
    if (!row.methods.includes(method))
      throw new HttpError(405, `${method} is not possible here.`, { headers: { allow: row.methods.join(', ') } });
    const query = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
    return { kind: row.kind, scope: row.scope, isPublic: row.isPublic, name, query };
  }
  throw new HttpError(404, 'There is nothing at this path.');
}

/** The variable part of the path (empty where there is none), or undefined when the path does not fit. */
function match(pattern: string, path: string): string | undefined {
  if (pattern === path) return '';
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1)) ? path.slice(pattern.length - 1) : undefined;
  const open = pattern.indexOf('{');
  if (open === -1) return undefined;
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
