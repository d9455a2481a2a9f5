/** The replica of tests of one layer: nobody else has its store. */

import type { Clock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Replicas } from '../../src/store/store.ts';

export function soleReplica(clock: Clock): Replicas {
  const facts = { url: null, version: '1.0.0', startedAt: 0, keyMark: '', configMark: '' };
  return new Replicas({ store: undefined, clock, log: silentLog, describe: () => facts });
}
