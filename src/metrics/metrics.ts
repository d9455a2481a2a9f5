/** The front of metrics: what was called, how it ended, how long it took. */

export { CallBook } from './call-book.ts';
export {
  type CallRecord,
  type DayMetrics,
  type OutcomeKind,
  type QueryMetrics,
  type SequenceMetrics,
  type SuggestionMetrics,
  type ToolMetrics,
} from './call-record.ts';
