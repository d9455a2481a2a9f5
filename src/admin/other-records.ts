/** Records of the audit that other gateways wrote, for whoever reads events: the newest are looked at when the store tells of some. */

import type { AuditLog } from '../audit/audit.ts';
import type { StoredAuditRecord } from '../store/store.ts';
import { mostLiveRecords } from './live-events.ts';

/** Twice as many as one look reads: some of ours are noted before older ones of others are read. */
const mostTold = 2 * mostLiveRecords;

export class OtherRecords {
  readonly #audit: Pick<AuditLog, 'list'>;
  readonly #tell: (record: StoredAuditRecord) => void;
  /** Ids of those that were told, the oldest first. */
  readonly #told = new Set<number>();
  #looking: Promise<void>;
  #isWaiting = false;

  /** Those that are there now are not told: readers begin with them. */
  constructor(audit: Pick<AuditLog, 'list'>, tell: (record: StoredAuditRecord) => void) {
    this.#audit = audit;
    this.#tell = tell;
    this.#looking = this.#latest().then(
      (records) => {
        for (const record of records) this.note(record);
      },
      // Then some may be told that readers know, which does no harm.
      () => {},
    );
  }

  /** One that was told: this gateway wrote it, or has read it. */
  note({ id }: StoredAuditRecord): void {
    this.#told.add(id);
    const [oldest] = this.#told;
    if (this.#told.size > mostTold && oldest !== undefined) this.#told.delete(oldest);
  }

  /** One look at a time, and one more for all that asked meanwhile. */
  look(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#looking = this.#looking.then(() => {
      this.#isWaiting = false;
      return this.#look();
    });
  }

  async #look(): Promise<void> {
    // Records that cannot be read now are told with the next ones.
    const records = await this.#latest().catch(() => []);
    for (const record of records) {
      if (this.#told.has(record.id)) continue;
      this.note(record);
      this.#tell(record);
    }
  }

  /** The oldest first. */
  async #latest(): Promise<StoredAuditRecord[]> {
    return [...(await this.#audit.list({ limit: mostLiveRecords })).records].reverse();
  }
}
