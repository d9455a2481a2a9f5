/** Finding tools: what other folders may use of search. */

export { documentFromTool, type SearchDocument } from './document.ts';
export type { Hit } from './hit.ts';
export { LexicalIndex } from './lexical-index.ts';
export { ToolFinder } from './tool-finder.ts';
