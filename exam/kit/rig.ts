/** The tools of a check: a seed, a history, setups, and a record of faults and figures. */

import { messageOf } from '../../src/base/errors.ts';
import { HANG_MS } from '../../test/kit/processes.ts';
import type { Size } from '../check.ts';
import type { History } from './history.ts';
import { Random } from './random.ts';
import { Setup, type SetupOptions, type SetupPlan } from './setup.ts';

export interface RigOptions extends SetupOptions {
  readonly seed: number;
}

/** This many of one kind are reported in full; the others are counted, and in the history. */
const mostOfOneSort = 3;

export class Rig {
  readonly seed: number;
  readonly size: Size;
  readonly history: History;
  readonly random: Random;
  readonly setups: Setup[] = [];
  readonly #faults = new Map<string, string[]>();
  readonly figures: Record<string, number | string> = {};
  readonly #options: RigOptions;

  constructor(options: RigOptions) {
    this.#options = options;
    this.seed = options.seed;
    this.size = options.size;
    this.history = options.history;
    this.random = new Random(options.seed);
  }

  /** A row of its own for one of several that work at once: what it draws does not depend on who is faster. */
  draw(purpose: string): Random {
    return Random.for(this.seed, purpose);
  }

  /** A gateway that has listed its servers, with a healthy sibling and a thread that watches both. */
  async open(plan: SetupPlan): Promise<Setup> {
    const canaries = { serverSecret: this.random.word('canary-server'), argument: this.random.word('canary-argument') };
    const setup = await Setup.open(this.#options, plan, canaries);
    this.setups.push(setup);
    await setup.start();
    return setup;
  }

  /** Writes a fault down unless the claim holds; the check goes on. */
  expect(holds: boolean, fault: string | (() => string)): void {
    if (!holds) this.fault(typeof fault === 'string' ? fault : fault());
  }

  /** True if something came in time. Only a full examination judges times: a quick one runs on any machine beside any load. */
  isInTime(tookMs: number, limitMs: number): boolean {
    return this.size === 'quick' ? Number.isFinite(tookMs) : tookMs <= limitMs;
  }

  /** How long to wait for what should come within a limit. */
  patience(limitMs: number): number {
    return this.size === 'quick' ? Math.max(limitMs, HANG_MS) : limitMs;
  }

  fault(sentence: string): void {
    this.history.note('fault', { sentence });
    // Sentences that differ in their figures, or only far behind, are of one sort.
    const sort = sentence.replaceAll(/\d+/g, '0').slice(0, 24);
    this.#faults.set(sort, [...(this.#faults.get(sort) ?? []), sentence]);
  }

  /** The findings, in the words of a report. */
  get faults(): string[] {
    return [...this.#faults.values()].flatMap((all) => {
      const left = all.length - mostOfOneSort;
      return left > 0 ? [...all.slice(0, mostOfOneSort), `… and ${left} more of this sort.`] : all;
    });
  }

  /** Does one part of a check; when it breaks off, that is a fault and the other parts go on. */
  async part(name: string, run: () => Promise<void>): Promise<void> {
    this.history.note('part', { name });
    try {
      await run();
    } catch (error) {
      this.fault(`${name}: ${messageOf(error).slice(0, 500)}`);
    }
  }

  /** A figure for the report; of several under one name the greatest counts. */
  figure(name: string, value: number): void {
    const before = this.figures[name];
    this.figures[name] = Math.max(Math.round(value * 10) / 10, typeof before === 'number' ? before : 0);
  }
}
