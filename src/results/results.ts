/** Large results: on disk while they arrive and as long as they are kept, in memory only what is asked for. */

export { hasLongValues, LongValue, loadLong, releaseLong } from './long-value.ts';
export { ownText } from './own-text.ts';
export { resultScheme, uriOf } from './part-facts.ts';
export { NoSuchResultError, ResultShelf } from './result-shelf.ts';
export { parseResultUri, type ResultView, readView, viewParameters } from './result-view.ts';
export { cutResult, isOver, shapeResult } from './shape-result.ts';
export { Spool } from './spool.ts';
export { SpoolMessage } from './spool-message.ts';
