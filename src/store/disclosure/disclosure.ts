/** Sums of what agents were shown, by day, project, surface and kind. */

export const disclosureKinds = ['list', 'find', 'execute', 'chain', 'direct'] as const;
export type DisclosureKind = (typeof disclosureKinds)[number];

/** One day (since 1970, in UTC) of one surface, of one kind; tokens are estimates. */
export interface DisclosureSum {
  readonly day: number;
  /** null: at doors that are of no project. */
  readonly project: string | null;
  readonly surface: string;
  readonly kind: DisclosureKind;
  readonly count: number;
  /** Written and read by models. */
  readonly tokens: number;
  /** Tools that were called inside of chains. */
  readonly calls: number;
  /** The tokens that models would have read on the surface `direct` instead. */
  readonly directTokens: number;
}

export interface DisclosureStore {
  /** Adds to what is there for the same day, project, surface and kind; kept for ever. All or none. */
  addDisclosure(sums: readonly DisclosureSum[]): Promise<void>;
  /** The sums of each day from `since` on. In no order. */
  listDisclosure(since: number): Promise<DisclosureSum[]>;
}
