/** Large results: on disk while they arrive and as long as they are kept, in memory only what is asked for. */

export { describePart } from './describe-part.ts';
export { hasLongValues, LongValue, loadLong, releaseLong } from './long-value.ts';
export { resultScheme, uriOf } from './part-facts.ts';
export { previewBytes, previewOf } from './preview.ts';
export { NoSuchResultError } from './result-files.ts';
export { parseResultUri, type ResultView, readView, viewParameters } from './result-view.ts';
export { cutResult, isOver, ownText, type ShapeOptions, shapeResult } from './shape-result.ts';
export { Spool } from './spool.ts';
export { SpoolMessage } from './spool-message.ts';
export { StoredResults } from './stored-results.ts';
export { summarizeResult } from './summarize-result.ts';
