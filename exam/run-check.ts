/** One check with one seed: plays it, judges every setup it opened, and keeps the verdict beside the record. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../src/base/errors.ts';
import { type Check, INVARIANTS, type Invariant, type Size } from './check.ts';
import { VERSIONS } from './kit/agent-requests.ts';
import { History } from './kit/history.ts';
import { judge, replyFault } from './kit/invariants.ts';
import { Rig, type RigOptions } from './kit/rig.ts';

export interface RunOptions extends Omit<RigOptions, 'history'> {
  /** Where histories are kept. */
  readonly history: string;
}

export interface Verdict {
  readonly id: string;
  readonly title: string;
  readonly seed: number;
  readonly size: Size;
  readonly isPass: boolean;
  readonly faults: readonly string[];
  readonly figures: Readonly<Record<string, number | string>>;
  /** Parts of the check that were not tried. */
  readonly open: readonly string[];
  readonly requests: number;
  readonly tookMs: number;
  readonly folder: string;
}

/** A check that has not ended by then has failed. */
const limitMs: Readonly<Record<Size, number>> = { quick: 480_000, full: 3_600_000 };

export async function runCheck(check: Check, options: RunOptions): Promise<Verdict> {
  const { seed, size } = options;
  const startedAt = performance.now();
  const history = new History(join(options.history, check.id, `seed-${seed}-${size}`));
  const rig = new Rig({ ...options, history });
  history.note('check', { id: check.id, seed, size, title: check.title, passes: check.passes });
  try {
    await Promise.race([check.run(rig, size), tooLate(limitMs[size])]);
  } catch (error) {
    rig.fault(`It broke off: ${messageOf(error).slice(0, 1_000)}`);
  }
  await judgeAll(check, rig);
  const verdict: Verdict = {
    id: check.id,
    title: check.title,
    seed,
    size,
    isPass: rig.faults.length === 0,
    faults: rig.faults,
    figures: rig.figures,
    open: check.open ?? [],
    requests: history.exchanges.length,
    tookMs: Math.round(performance.now() - startedAt),
    folder: history.folder,
  };
  history.note('verdict', { ...verdict });
  history.close();
  writeFileSync(join(history.folder, 'verdict.json'), `${JSON.stringify(verdict, null, 2)}\n`);
  return verdict;
}

async function tooLate(ms: number): Promise<never> {
  await pause(ms, undefined, { ref: false });
  throw new Error(`It was not over after ${ms / 1000} s.`);
}

async function judgeAll(check: Check, rig: Rig): Promise<void> {
  const exempt = check.exempt ?? {};
  if (rig.setups.length === 0) rig.fault('It opened no setup, so nothing was examined.');
  for (const setup of rig.setups) {
    try {
      const broken = await judge(setup, exempt, (tookMs, limitMs) => rig.isInTime(tookMs, limitMs));
      for (const [id, fault] of Object.entries(broken)) rig.fault(broke(id as Invariant, fault));
    } catch (error) {
      rig.fault(`It could not be judged: ${messageOf(error)}`);
    } finally {
      await setup.close();
    }
  }
  const reply = replyFault(rig.history);
  if (reply !== undefined && exempt.I3 === undefined) rig.fault(broke('I3', reply));
  for (const era of check.eras) {
    const isSeen = rig.history.exchanges.some((one) => one.era === era && one.what.startsWith('tools/call'));
    rig.expect(isSeen, `No call was made by an agent of ${VERSIONS[era]}.`);
  }
}

function broke(id: Invariant, fault: string): string {
  return `${id} (${INVARIANTS[id]}): ${fault}`;
}
