/** Large results: on disk while they arrive and as long as they are kept, in memory only what is asked for. */

export { describePart } from './describe-part.ts';
export { hasLongValues, LongValue, loadLong, releaseLong } from './long-value.ts';
export { ownText } from './own-text.ts';
export { resultScheme, uriOf } from './part-facts.ts';
export { portray } from './portray.ts';
export { previewBytes, previewOf } from './preview.ts';
export { NoSuchResultError, ResultShelf } from './result-shelf.ts';
export { parseResultUri, type ResultView, readView, viewParameters } from './result-view.ts';
export { cutResult, isOver, type ShapeOptions, shapeResult } from './shape-result.ts';
export { Spool } from './spool.ts';
export { SpoolMessage } from './spool-message.ts';
