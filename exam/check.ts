/** One check of the scoreboard: data, and one function that runs it and reports every fault it finds. */

import type { Era } from './kit/agent-requests.ts';
import type { Rig } from './kit/rig.ts';

export type Kind = 'faults' | 'bad inputs' | 'load' | 'own';
export type Size = 'quick' | 'full';

export const INVARIANTS = {
  I1: 'the gateway is the same process',
  I2: 'a healthy sibling answered at least 99 % of its probes, p99 within 2 s',
  I3: 'every request got exactly one reply or a closed stream before its deadline',
  I4: 'memory is back within 1.25 times its baseline and 50 MB',
  I5: 'its children are those expected, and none is a zombie',
  I6: 'open files are at most 10 above their baseline',
  I7: 'no canary leaked',
  I8: '/healthz answered within 500 ms throughout',
  I9: 'no rejection or exception was left uncaught',
  I10: 'the database is intact',
} as const;
export type Invariant = keyof typeof INVARIANTS;

export interface Check {
  /** As on the public scoreboard; those of our own begin with X. */
  readonly id: string;
  readonly kind: Kind;
  readonly title: string;
  /** The condition of a pass. */
  readonly passes: string;
  /** The check fails where no request was made in one of them. */
  readonly eras: readonly Era[];
  /** Parts of it that are not tried here, each with the reason: named in the report, never counted as passed. */
  readonly open?: readonly string[];
  /** Its subject is what the store keeps: `--store postgres` examines it there, too. */
  readonly isAboutStore?: true;
  /** Invariants that cannot hold here, each with the reason. */
  readonly exempt?: Readonly<Partial<Record<Invariant, string>>>;
  run(rig: Rig, size: Size): Promise<void>;
}
