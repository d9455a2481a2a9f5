/** The layers that functions take by name: each asks for those that it uses. */

import type { AccessControl } from '../access/access.ts';
import type { AuditLog } from '../audit/audit.ts';
import type { Clock } from '../base/clock.ts';
import type { Caller } from '../caller/caller.ts';
import type { Catalog, Registry } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import type { Downstream } from '../downstream/downstream.ts';
import type { CallMetrics, DisclosureNotes } from '../metrics/metrics.ts';
import type { StoredResults } from '../results/results.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ToolSearch } from '../search/search.ts';
import type { ListingStore, PinStore, StoreSharing } from '../store/store.ts';

/** Of a layer that others can stand in for, its part that doors use. */
interface Layers {
  readonly catalog: Pick<
    Catalog,
    | 'snapshot'
    | 'settle'
    | 'refresh'
    | 'relist'
    | 'failing'
    | 'trouble'
    | 'renewed'
    | 'configured'
    | 'pins'
    | 'isBeingListed'
  >;
  readonly registry: Registry;
  readonly downstream: Pick<
    Downstream,
    'spec' | 'status' | 'subscribe' | 'unsubscribe' | 'endSession' | 'resourceUpdated' | 'signIns' | 'reset' | 'hurry'
  >;
  readonly caller: Pick<Caller, 'execute' | 'forward' | 'converse'>;
  readonly metrics: CallMetrics;
  readonly access: Pick<AccessControl, 'renew' | 'changed' | 'project' | 'issuer' | 'signIns'>;
  readonly audit: Pick<AuditLog, 'record' | 'recordRepeated'>;
  readonly disclosure: DisclosureNotes;
  readonly results: StoredResults;
  readonly search: ToolSearch;
  readonly sandbox: Sandbox;
  readonly store: ListingStore & PinStore & Pick<StoreSharing, 'isShared'>;
  readonly clock: Clock;
  readonly config: () => Config;
}

export type LayerName = keyof Layers;

export type Uses<K extends LayerName> = Pick<Layers, K>;

/** Those that finding, describing and naming tools use. */
export type FindLayer = 'catalog' | 'downstream' | 'metrics' | 'search' | 'clock' | 'config';
/** Those that advice on a failed call uses. */
export type AdviceLayer = Exclude<FindLayer, 'clock'> | 'access';
