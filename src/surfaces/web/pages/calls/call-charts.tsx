/** Calls over an hour, a day or a month: how many, how fast, and how they failed. */

import type { MetricSeries, StepFigures } from '../../../../admin/admin.ts';
import { Button, Empty, WhenFetched } from '../../parts/basic.tsx';
import { Chart } from '../../parts/chart.tsx';
import { OutcomeChart, OutcomeFigures } from '../../parts/outcome.tsx';
import { outcomeLines } from '../../parts/outcome-words.ts';
import { formatMs } from '../../parts/texts.tsx';
import { setQuery } from '../../router.ts';
import { useOperation } from '../../state.ts';
import type { CallFilter } from './call-filter.ts';

const spans = { hour: 'Last hour', day: 'Last day', month: 'Last month' } as const;
type Span = keyof typeof spans;
const stepMs: Readonly<Record<Span, number>> = { hour: 60_000, day: 3_600_000, month: 86_400_000 };

interface CallChartsProps {
  readonly filter: CallFilter;
  /** From the address. */
  readonly span: string | null;
}

export function CallCharts({ filter: { server, tool, ...others }, span: wanted }: CallChartsProps) {
  const span = wanted !== null && wanted in spans ? (wanted as Span) : 'day';
  const series = useOperation('metrics.series', { span, server, tool: server && tool }, ['calls']);
  return (
    <>
      <fieldset class="tools" aria-label="Span">
        {Object.entries(spans).map(([value, title]) => (
          <Button key={value} label={title} aria-pressed={value === span} onClick={() => setQuery({ span: value })} />
        ))}
        <small>
          {scopeText(server, tool)}{' '}
          {Object.keys(others).length > 0 && 'The other filters of the timeline do not count here.'}
        </small>
      </fieldset>
      <WhenFetched answer={series}>{(data) => <SeriesCharts series={data} stepMs={stepMs[span]} />}</WhenFetched>
    </>
  );
}

/** A tool is known by the name of its server alone. */
function scopeText(server: string | undefined, tool: string | undefined): string {
  if (server === undefined) return tool === undefined ? '' : 'All servers. For one tool, choose its server too.';
  return `Only ${tool === undefined ? server : `${server}:${tool}`}.`;
}

interface SeriesProps {
  readonly series: MetricSeries;
  readonly stepMs: number;
}

function SeriesCharts({ series: { steps, isComplete }, stepMs }: SeriesProps) {
  if (steps.every(({ callCount }) => callCount === 0)) return <Empty title="No calls in this time" />;
  const outcomes = steps.map(({ successCount, failures }) => ({ ...failures, ok: successCount }));
  const failures = outcomeLines(steps.map((step) => step.failures)).slice(1);
  const line = (name: string, colour: string, value: (step: StepFigures) => number | null) => ({
    ...{ name, colour, values: steps.map(value) },
  });
  const axis = { times: steps.map(({ start }) => Date.parse(start)), stepMs };
  return (
    <>
      {!isComplete && <p class="notice warn">Too many calls to count them all: the earliest steps are incomplete.</p>}
      <div class="figures">
        <OutcomeFigures steps={outcomes} />
      </div>
      <div class="grid charts">
        <OutcomeChart label="Calls" steps={outcomes} {...axis} />
        <Chart
          {...{ label: 'Latency', kind: 'lines', format: formatMs, ...axis }}
          lines={[
            line('p50', '--data-1', ({ latencyMs }) => latencyMs.p50),
            line('p95', '--data-4', ({ latencyMs }) => latencyMs.p95),
            line('p99', '--data-2', ({ latencyMs }) => latencyMs.p99),
          ]}
        />
        {failures.length === 0 ? (
          <Empty title="Nothing failed in this time" />
        ) : (
          <Chart {...{ label: 'Failures by kind', kind: 'bars', ...axis }} lines={failures} />
        )}
      </div>
    </>
  );
}
