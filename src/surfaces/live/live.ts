/** The front of the live state: one view of a running gateway for every surface, whether it runs in a terminal or a browser. */

export { followLive, type LiveSource, type LiveState } from './follow-live.ts';
export {
  FreshAnswer,
  type FreshState,
  type FreshTopic,
  noAnswer,
  watchTopics,
} from './fresh-answer.ts';
export { gatherEvents } from './gather-events.ts';
export { LiveStore } from './live-store.ts';
export { foldEvents, type LiveMinute, type LiveView, viewOf } from './live-view.ts';
export { stayWithTrial } from './stay-with-trial.ts';
