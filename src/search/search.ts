/** Finding tools: what other folders may use of search. */

export { effectOf, onlyReads } from './alternatives/effect-of.ts';
export { doubtIn } from './alternatives/worth.ts';
export { categories } from './categories.ts';
export { documentFromTool, type SearchDocument } from './document.ts';
export {
  type Hit,
  type LocalMode,
  localModes,
  type PreparedQuery,
  type ScorePart,
  type SearchView,
  type WordMatch,
} from './hit.ts';
export type { SearchTrial } from './search-trial.ts';
export { mostNeeds, ToolIndex } from './tool-index.ts';
export { type SearchAnswer, type SearchMode, type SearchStatus, searchModes, ToolSearch } from './tool-search.ts';
