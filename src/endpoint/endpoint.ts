/** What one agent finds behind a door. An endpoint answers requests; it knows nothing of HTTP, sessions or eras. */

import type { AccessBook, Principal } from '../access/access.ts';
import type { AuditBook } from '../audit/audit.ts';
import type { Clock } from '../base/clock.ts';
import type { AgentSide, Caller } from '../caller/caller.ts';
import type { Catalog, Registry } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import type { Downstream } from '../downstream/downstream.ts';
import type { CallBook, DisclosureNotes } from '../metrics/metrics.ts';
import type { Params, Result } from '../protocol/messages.ts';
import type { ResultShelf } from '../results/results.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ToolSearch } from '../search/search.ts';
import type { Store } from '../store/store.ts';

export { makeAdvisor } from './advisor.ts';
export { AgentEndpoint } from './agent-endpoint.ts';
export { type Act, type ActFacts, auditAct } from './audit-act.ts';
export { searchCatalog } from './catalog-search.ts';
export { chainOutcome } from './chain/answer-chain.ts';
export { findServer } from './find-server.ts';
export { readInput } from './input-mistakes.ts';
export { lastChangeOf } from './last-change.ts';
export { measureStart } from './measure-start.ts';
export { listMetrics, metricsQuestion } from './meta-tools/get-tool-metrics.ts';
export { reservedNames } from './meta-tools/meta-tools.ts';
export { recommend, recommendModes } from './meta-tools/recommend-tools.ts';
export { detailLevels, discover } from './meta-tools/tool-discovery.ts';
export { executeTool } from './meta-tools/tool-execute.ts';
export { toolInfo } from './meta-tools/tool-info.ts';
export { knownScope, type MetricScope } from './metric-scope.ts';
export { OwnerEndpoint } from './owner-endpoint.ts';
export { awaitListing, awaitTool } from './resolve-tool.ts';
export { ServerEndpoint } from './server-endpoint.ts';
export { describeServer, type ServerReport } from './server-report.ts';
export { chooseSurface, type SurfaceChoice } from './surface.ts';
export { visibleTools } from './visible.ts';

/** Everything an endpoint may use. */
export interface EndpointContext {
  readonly catalog: Catalog;
  readonly registry: Registry;
  readonly downstream: Downstream;
  readonly caller: Caller;
  readonly metrics: CallBook;
  readonly access: AccessBook;
  readonly audit: Pick<AuditBook, 'record' | 'recordRepeated'>;
  readonly disclosure: DisclosureNotes;
  readonly results: ResultShelf;
  readonly search: ToolSearch;
  readonly sandbox: Sandbox;
  readonly store: Store;
  readonly clock: Clock;
  readonly config: () => Config;
}

export interface EndpointRequest {
  readonly method: string;
  readonly params: Params;
  readonly principal: Principal;
  readonly agent: AgentSide;
}

export type EndpointChange =
  | { readonly kind: 'tools' | 'resources' | 'prompts' }
  | {
      readonly kind: 'resource';
      readonly params: Params;
      /** Set where the server is not shared: only the subscriber with this session may hear of it. */
      readonly session?: string | undefined;
    };

export interface EndpointInfo {
  readonly serverInfo: Readonly<Record<string, unknown>>;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions?: string | undefined;
}

export interface Endpoint {
  /** The methods it answers. */
  readonly methods: ReadonlySet<string>;
  describe(principal: Principal): Promise<EndpointInfo>;
  handle(request: EndpointRequest): Promise<Result>;
  /** Tells of what this principal may have read before and is now different; returns the function that stops it. */
  listen(principal: Principal, hear: (change: EndpointChange) => void): () => void;
  /** The definition of a tool by its name here, to check the headers of a modern call. */
  findTool(name: string, principal: Principal): Readonly<Record<string, unknown>> | undefined;
  subscribe(uri: string, principal: Principal, agent: AgentSide): Promise<void>;
  /** `session` is that of the agent that subscribed; without it, any subscription of the principal to this URI goes. */
  unsubscribe(uri: string, principal: Principal, session?: string): Promise<void>;
  close(): void;
}
