/** One server as its owner sees it: what it is, how it is, what it offers and what last went wrong. */

import type { Principal } from '../access/access.ts';
import type { ServerEntry } from '../catalog/catalog.ts';
import type { EndpointContext } from './endpoint.ts';
import { canSee } from './visible.ts';

export interface ServerReport {
  readonly name: string;
  readonly title: string;
  readonly state: string;
  readonly transport: string;
  readonly era: string | null;
  readonly origin: 'file' | 'store';
  readonly toolCount: number;
  readonly lastError: string | null;
  readonly hint: string | null;
  readonly reason: string | null;
  readonly nextRetryAt: string | null;
  readonly connectedAt: string | null;
  readonly listedAt: string | null;
  /** Set while what is shown may be out of date, because the server could not be listed again. */
  readonly staleSince: string | null;
  readonly lastChange: string | null;
  readonly callsInFlight: number;
}

export async function describeServer(context: EndpointContext, name: string): Promise<ServerReport> {
  const spec = context.registry.find(name);
  const status = context.downstream.status(name);
  const entry = context.catalog.snapshot.servers.get(name);
  const [change] = await context.store.listChanges({ server: name, limit: 1 });
  return {
    name,
    title: entry?.title ?? name,
    state: status?.state ?? 'configured',
    transport: spec.transport.kind,
    era: status?.era ?? null,
    origin: spec.origin,
    toolCount: entry?.tools.length ?? 0,
    lastError: status?.lastError ?? entry?.staleReason ?? context.catalog.trouble(name) ?? null,
    hint: status?.hint ?? null,
    reason: status?.reason ?? null,
    nextRetryAt: time(status?.nextRetryAt),
    connectedAt: time(status?.connectedAt),
    listedAt: time(entry?.listedAt),
    staleSince: time(entry?.staleSince),
    lastChange: time(change?.at),
    callsInFlight: status?.callsInFlight ?? 0,
  };
}

/** The same in short, for anybody who can see the server. What went wrong may hold what is nobody's business but the owner's. */
export async function summariseServer(
  context: EndpointContext,
  principal: Principal,
  server: ServerEntry,
): Promise<Record<string, unknown>> {
  const { name, title, state, lastChange, lastError } = await describeServer(context, server.spec.name);
  const { snapshot } = context.catalog;
  return {
    name,
    title,
    state,
    toolCount: server.tools.filter((tool) => canSee(snapshot, principal, tool)).length,
    resourceCount: server.resources.length + server.templates.length,
    promptCount: server.prompts.length,
    lastChange,
    ...(principal.scopes.has('admin') && lastError !== null && { lastError }),
  };
}

function time(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}
