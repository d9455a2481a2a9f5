/** The record of who did what. It is only ever added to; each event is one record, whatever it holds. */

import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type {
  AuditFilter,
  AuditPage,
  AuditQuery,
  AuditRecord,
  AuditStore,
  RecordWriter,
  StoredAuditRecord,
} from '../store/store.ts';
import type { AuditEvent } from './audit-event.ts';
import { RepeatedEvents } from './repeated-events.ts';
import { RetentionSweep } from './retention-sweep.ts';
import { tidyEvent } from './tidy-event.ts';

interface AuditLogOptions {
  readonly store: AuditStore;
  /** The same that writes the calls: a call and its event are committed together. */
  readonly writer: RecordWriter;
  readonly clock: Clock;
  readonly log: Log;
  /** Read for each event, because the config may change. */
  readonly settings: () => {
    readonly arguments: boolean;
    readonly retentionDays: number;
    readonly maxRecords: number;
  };
}

interface AuditQuestion extends AuditFilter {
  /** Only records with a smaller id: pages backwards. */
  readonly before?: number | undefined;
  readonly limit: number;
}

interface AuditTail extends AuditFilter {
  /** Only records with a greater id. */
  readonly after: number;
  readonly limit: number;
}

/** Events of the gateway itself have nobody else who did them. */
const gateway = { id: 'gateway', name: 'gateway' };

export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #sweep: RetentionSweep;
  readonly #repeated: RepeatedEvents;
  #stopHearing: (() => void) | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    const { store, clock, log } = options;
    this.#repeated = new RepeatedEvents(clock, (event) => this.record(event));
    this.#sweep = new RetentionSweep({
      store,
      clock,
      log,
      retentionDays: () => options.settings().retentionDays,
      mostRecords: () => options.settings().maxRecords,
      // As any hole in the record.
      onTrimmed: (removed) =>
        void this.record({
          kind: 'administration',
          action: 'audit.trimmed',
          principal: gateway,
          requestId: null,
          outcome: 'ok',
          detail: { removed, most: options.settings().maxRecords },
        }),
    });
  }

  /** Idempotent. */
  open(): void {
    this.#stopHearing ??= this.#options.writer.recovered.on(
      // A hole in the record must be seen in the record.
      ({ waited, dropped, droppedKinds }) =>
        void this.record({
          kind: 'administration',
          action: 'audit.gap',
          principal: gateway,
          requestId: null,
          outcome: 'failed',
          detail: { waited, dropped, kinds: { ...droppedKinds } },
        }),
    );
    this.#sweep.open();
  }

  close(): void {
    this.#stopHearing?.();
    this.#stopHearing = undefined;
    this.#repeated.tell();
    this.#sweep.close();
  }

  /** Resolves once the event is committed, or is left to the bounded queue of a store that refuses. Never rejects. */
  record(event: AuditEvent): Promise<void> {
    return this.#options.writer.write({ event: this.recordOf(event) });
  }

  /**
   * The same for an event that somebody can cause as often as they like, such as a refusal: of those with the same `by` and
   * action, the first is a record of its own, and those that follow are one a minute with their number.
   */
  recordRepeated(event: AuditEvent, by: string): Promise<void> {
    return this.#repeated.note(event, by);
  }

  /** The event as it will be kept, for who writes it together with something else. */
  recordOf(event: AuditEvent): AuditRecord {
    this.#sweep.noteWritten();
    const keepsArguments = this.#options.settings().arguments;
    return tidyEvent(event, { now: this.#options.clock.now(), keepsArguments });
  }

  /** Newest first. */
  async list({ before, limit, ...filter }: AuditQuestion, signal?: AbortSignal): Promise<AuditPage> {
    return this.#look({ filter, order: 'newest', from: before, limit }, signal);
  }

  /** In the order in which they were written: for exports, and to follow what happens. */
  async tail({ after, limit, ...filter }: AuditTail, signal?: AbortSignal): Promise<AuditPage> {
    return this.#look({ filter, order: 'oldest', from: after, limit }, signal);
  }

  /** The id of the last record; 0 where there is none. */
  last(): Promise<number> {
    return this.#options.store.lastAudit();
  }

  /** Until there are enough records or none is left. */
  async #look(query: AuditQuery, signal: AbortSignal | undefined): Promise<AuditPage> {
    const records: StoredAuditRecord[] = [];
    for (let from = query.from; ; ) {
      signal?.throwIfAborted();
      const page = await this.#options.store.listAudit({ ...query, from, limit: query.limit - records.length });
      records.push(...page.records);
      if (!page.isMore || records.length >= query.limit) return { ...page, records };
      from = page.upto;
    }
  }
}
