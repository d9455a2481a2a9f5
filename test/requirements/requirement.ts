/** A promised behaviour: an id that a scenario's title cites, one sentence, and where it is promised. */

export interface Requirement {
  readonly id: string;
  readonly sentence: string;
  readonly source: string;
}
