/** The replicas of tests of one layer. */

import { type Clock, systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Replicas, type Store } from '../../src/store/store.ts';

const describe = () => ({ url: null, version: '1.0.0', startedAt: 0, keyMark: '', configMark: '' });

/** Nobody else has its store. */
export function soleReplica(clock: Clock): Replicas {
  return new Replicas({ store: undefined, clock, log: silentLog, describe });
}

/** It takes turns with the others on this store. */
export function replicaOn(store: Store): Replicas {
  return new Replicas({ store, clock: systemClock, log: silentLog, describe });
}
