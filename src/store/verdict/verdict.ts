/** The protocol eras that a server was seen to speak. */

import type { JsonObject } from '../../base/json.ts';

/** Keyed by the command line or URL, not by the name of the server. */
export interface EraVerdict {
  readonly key: string;
  readonly modern: boolean;
  /** null: not tried yet. */
  readonly legacy: boolean | null;
  /** The answer to `server/discover`, for modern servers. */
  readonly discover: JsonObject | null;
  readonly decidedAt: number;
}

export interface VerdictStore {
  findVerdict(key: string): Promise<EraVerdict | undefined>;
  saveVerdict(verdict: EraVerdict): Promise<void>;
  removeVerdict(key: string): Promise<void>;
}
