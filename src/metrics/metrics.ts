/** The front of metrics: what was called, how it ended, how long it took. */

export { CallBook } from './call-book.ts';
export type {
  CallRecord,
  DayMetrics,
  OutcomeKind,
  QueryMetrics,
  SequenceMetrics,
  SuggestionMetrics,
  ToolMetrics,
} from './call-record.ts';
export { DisclosureBook, type DisclosureNote, type DisclosureNotes } from './disclosure-book.ts';
export { costOf, type DisclosureCost, turnTokens } from './disclosure-cost.ts';
