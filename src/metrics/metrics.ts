/** The front of metrics: what was called, how it ended, how long it took. */

export { Durations, labelLimits } from './call-counts.ts';
export { CallMetrics } from './call-metrics.ts';
export type {
  CallFigures,
  CallRecord,
  DayMetrics,
  MinuteMetrics,
  OutcomeKind,
  QueryMetrics,
  SequenceMetrics,
  SuggestionMetrics,
  ToolMetrics,
} from './call-record.ts';
export { seriesSpans } from './call-series.ts';
export { costOf, type DisclosureCost, turnTokens } from './disclosure-cost.ts';
export { DisclosureMetrics, type DisclosureNote, type DisclosureNotes } from './disclosure-metrics.ts';
export { metricOtlp } from './metric-otlp.ts';
export { type Metric, metricText, metricTextType } from './metric-text.ts';
