/** Endpoints answer the requests of one door. They know nothing of HTTP, sessions or eras. */

import type { Principal } from '../access/access.ts';
import type { AgentSide } from '../caller/caller.ts';
import type { Params, Result } from '../protocol/messages.ts';
import type { EndpointRequest } from '../tools/tools.ts';

export { AgentEndpoint, instructionsOn, measureStart } from './agent-endpoint.ts';
export { searchCatalog } from './catalog-search.ts';
export { OwnerEndpoint, type OwnerTool } from './owner-endpoint.ts';
export { ServerEndpoint } from './server-endpoint.ts';

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
