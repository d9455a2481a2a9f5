/** How calls ended: one as a badge, many as figures and a chart. */

import { Badge, Figure } from './basic.tsx';
import { Chart } from './chart.tsx';
import { type OutcomeCounts, outcomeLines, outcomeWords, sumOutcomes } from './outcome-words.ts';
import { formatCount, formatShare } from './texts.tsx';

export function OutcomeBadge({ outcome }: { readonly outcome: string }) {
  const words = outcomeWords[outcome];
  return <Badge tone={words?.tone ?? 'plain'}>{words?.name ?? outcome}</Badge>;
}

interface OutcomeFiguresProps {
  readonly steps: readonly OutcomeCounts[];
  /** Where the calls that came to nothing are shown. */
  readonly link?: string;
}

/** Refusals and wrong arguments are no failures: nothing broke. */
export function OutcomeFigures({ steps, link }: OutcomeFiguresProps) {
  const { all, failed, refused, cancelled } = sumOutcomes(steps);
  const troubles = (
    <>
      <Figure label="failed" value={formatCount(failed)} tone={failed > 0 ? 'bad' : 'plain'} />
      <Figure label="refused or wrong arguments" value={formatCount(refused)} />
    </>
  );
  return (
    <>
      <Figure label={all === 1 ? 'call' : 'calls'} value={formatCount(all)} />
      {link === undefined ? (
        troubles
      ) : (
        <a class="figures figure-link" href={link}>
          {troubles}
        </a>
      )}
      {cancelled > 0 && <Figure label="cancelled" value={formatCount(cancelled)} />}
      {all > 0 && <Figure label="of all calls failed" value={formatShare(failed / all)} />}
    </>
  );
}

interface OutcomeChartProps {
  readonly label: string;
  readonly times: readonly number[];
  readonly stepMs: number;
  readonly steps: readonly OutcomeCounts[];
}

export function OutcomeChart({ steps, ...shape }: OutcomeChartProps) {
  return <Chart kind="bars" lines={outcomeLines(steps)} {...shape} />;
}
