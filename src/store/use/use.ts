/** The tools that were executed after a query, and how they did. */

/** Names one use; unique. */
export interface UseKey {
  readonly query: string;
  readonly toolKey: string;
}

/** How often a tool that was executed after a query did well or badly; good and bad have faded up to `at`. */
export interface StoredUse extends UseKey {
  readonly good: number;
  readonly bad: number;
  /** The time of the last use. */
  readonly at: number;
}

export interface UseStore {
  /** In no order. */
  listUses(): Promise<StoredUse[]>;
  /** Adds or replaces, in one transaction; of a use that is given twice the last one counts. */
  saveUses(uses: readonly StoredUse[]): Promise<void>;
  removeUses(uses: readonly UseKey[]): Promise<void>;
}
