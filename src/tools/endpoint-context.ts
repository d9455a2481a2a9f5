/** Everything an endpoint may use, and a request to one. */

import type { AccessBook, Principal } from '../access/access.ts';
import type { AuditBook } from '../audit/audit.ts';
import type { Clock } from '../base/clock.ts';
import type { AgentSide, Caller } from '../caller/caller.ts';
import type { Catalog, Registry } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import type { Downstream } from '../downstream/downstream.ts';
import type { CallBook, DisclosureNotes } from '../metrics/metrics.ts';
import type { Params } from '../protocol/messages.ts';
import type { ResultShelf } from '../results/results.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ToolSearch } from '../search/search.ts';
import type { Store } from '../store/store.ts';

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
