/** The front of metrics: what was called, how it ended, how long it took. */

export { CallMetrics } from './call-metrics.ts';
export type {
  CallRecord,
  DayMetrics,
  OutcomeKind,
  QueryMetrics,
  SequenceMetrics,
  SuggestionMetrics,
  ToolMetrics,
} from './call-record.ts';
export { costOf, type DisclosureCost, turnTokens } from './disclosure-cost.ts';
export { DisclosureMetrics, type DisclosureNote, type DisclosureNotes } from './disclosure-metrics.ts';
