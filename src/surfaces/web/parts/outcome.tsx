/** How calls end, in words and colours. */

import { Badge, type Tone } from './basic.tsx';

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

export function OutcomeBadge({ outcome }: { readonly outcome: string }) {
  const words = outcomeWords[outcome];
  return <Badge tone={words?.tone ?? 'plain'}>{words?.name ?? outcome}</Badge>;
}
