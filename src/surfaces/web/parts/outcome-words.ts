/** How calls end: the words and colours of each way, who is at fault, and calls over time by how they ended. */

import type { Tone } from './basic.tsx';
import type { ChartLine } from './chart-data.ts';

interface OutcomeWords {
  readonly name: string;
  /** Of all calls that ended so, in a chart. */
  readonly plural: string;
  readonly tone: Tone;
  readonly colour: string;
}

/** In the order in which charts stack them. */
export const outcomeWords: Readonly<Record<string, OutcomeWords>> = {
  ok: { name: 'ok', plural: 'Ok', tone: 'good', colour: '--data-1' },
  tool: { name: 'tool failed', plural: 'Tool failed', tone: 'bad', colour: '--data-2' },
  server: { name: 'server failed', plural: 'Server failed', tone: 'bad', colour: '--data-3' },
  timeout: { name: 'timeout', plural: 'Timeout', tone: 'bad', colour: '--data-4' },
  arguments: { name: 'wrong arguments', plural: 'Wrong arguments', tone: 'warn', colour: '--data-5' },
  refused: { name: 'refused', plural: 'Refused', tone: 'warn', colour: '--data-6' },
  cancelled: { name: 'cancelled', plural: 'Cancelled', tone: 'quiet', colour: '--data-7' },
  failed: { name: 'failed', plural: 'Failed', tone: 'bad', colour: '--data-2' },
};

export const failureOutcomes = ['tool', 'server', 'timeout', 'arguments', 'refused', 'cancelled'] as const;

/** Calls of one step, by how they ended. */
export type OutcomeCounts = Readonly<Partial<Record<'ok' | (typeof failureOutcomes)[number], number>>>;

interface OutcomeSums {
  readonly all: number;
  /** By the tool, its server, or for want of an answer. */
  readonly failed: number;
  /** By the gateway, or for their arguments. */
  readonly refused: number;
  readonly cancelled: number;
}

export function sumOutcomes(steps: readonly OutcomeCounts[]): OutcomeSums {
  const sum = (...kinds: readonly (keyof OutcomeCounts)[]) =>
    steps.reduce((total, step) => kinds.reduce((part, kind) => part + (step[kind] ?? 0), total), 0);
  return {
    all: sum('ok', ...failureOutcomes),
    failed: sum('tool', 'server', 'timeout'),
    refused: sum('arguments', 'refused'),
    cancelled: sum('cancelled'),
  };
}

/** A line for calls that worked, and one for each other way in which some ended. */
export function outcomeLines(steps: readonly OutcomeCounts[]): ChartLine[] {
  const found = failureOutcomes.filter((outcome) => steps.some((step) => (step[outcome] ?? 0) > 0));
  return (['ok', ...found] as const).map((outcome) => {
    const { plural = outcome, colour = '--data-2' } = outcomeWords[outcome] ?? {};
    return { name: plural, colour, values: steps.map((step) => step[outcome] ?? 0) };
  });
}
