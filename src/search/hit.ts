/** What a search is asked and what it answers, whatever way of searching is behind it. */

export interface Hit {
  readonly key: string;
  /** Comparable within one query only. */
  readonly score: number;
  /** 0 to 1: how much of the query the tool's words answer. Grows with the score; 1 only when every word is answered strongly. */
  readonly relevance: number;
  /** The words of the query that were found in the tool. */
  readonly matched: readonly string[];
}

export interface SearchOptions {
  readonly limit: number;
  /** Tools for which this is false do not exist for this search. */
  readonly filter?: ((key: string) => boolean) | undefined;
}
