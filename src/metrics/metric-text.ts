/** Figures as text in the exposition format of Prometheus, version 0.0.4. */

import { Durations } from './call-counts.ts';

export const metricTextType = 'text/plain; version=0.0.4; charset=utf-8';

/** One metric with all its series. */
export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** No two with the same labels. */
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly labels?: Labels;
  readonly value: number | Durations;
}

type Labels = Readonly<Record<string, string>>;

export function metricText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, type, help, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.flatMap(({ labels = {}, value }) =>
      value instanceof Durations ? histogramLines(name, labels, value) : [line(name, labels, value)],
    ),
  ]);
  return `${lines.join('\n')}\n`;
}

function histogramLines(name: string, labels: Labels, durations: Durations): string[] {
  const buckets = durations.upTo();
  const all = buckets.at(-1)?.count ?? 0;
  return [
    ...buckets.map(({ bound, count }) => line(`${name}_bucket`, { ...labels, le: numberText(bound) }, count)),
    line(`${name}_sum`, labels, durations.sumSeconds),
    line(`${name}_count`, labels, all),
  ];
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}`;
}

function numberText(value: number): string {
  return value === Number.POSITIVE_INFINITY ? '+Inf' : String(value);
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
