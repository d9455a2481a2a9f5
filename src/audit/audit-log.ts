/** The record of who did what. It is only ever added to; each event is one record, whatever it holds. Events that anybody can cause without end are counted, and old records are removed a little at a time. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { Clock, Timer } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Signal } from '../base/signal.ts';
import type {
  AuditFilter,
  AuditPage,
  AuditQuery,
  AuditRecord,
  AuditRemoval,
  AuditStore,
  RecordWriter,
  Replicas,
  StoredAuditRecord,
} from '../store/store.ts';
import type { AuditEvent } from './audit-event.ts';
import { tidyEvent } from './tidy-event.ts';

interface AuditLogOptions {
  readonly store: AuditStore;
  /** The same that writes the calls: a call and its event are committed together. */
  readonly writer: RecordWriter;
  readonly clock: Clock;
  readonly log: Log;
  /** One of them removes what is old. */
  readonly replicas: Pick<Replicas, 'hasUpkeep'>;
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
  /** Tells of each record once it is committed, in order and as a listing shows it; those of one commit together. */
  readonly written: Signal<readonly StoredAuditRecord[]>;
  readonly #options: AuditLogOptions;
  readonly #sweep: RetentionSweep;
  readonly #repeated: RepeatedEvents;
  #stopHearing: (() => void) | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    const { store, writer, clock, log, replicas } = options;
    this.written = writer.writtenEvents;
    this.#repeated = new RepeatedEvents(clock, (event) => this.record(event));
    this.#sweep = new RetentionSweep({
      store,
      clock,
      log,
      replicas,
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

/** Not at once: a machine that has just woken up may have its clock wrong. */
export const firstSweepMs = 10 * 60 * 1_000;
export const sweepEveryMs = 60 * 60 * 1_000;
const dayMs = 24 * 60 * 60 * 1_000;
/** By what share the number of records may be passed before it is looked at out of turn. */
const overrun = 0.1;

interface RetentionSweepOptions {
  readonly store: Pick<AuditStore, 'removeAudit' | 'removeAuditUpto' | 'lastAudit'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly replicas: Pick<Replicas, 'hasUpkeep'>;
  readonly retentionDays: () => number;
  readonly mostRecords: () => number;
  /** Records had to go before their time. */
  readonly onTrimmed: (count: number) => void;
}

class RetentionSweep {
  readonly #options: RetentionSweepOptions;
  #timer: Timer | undefined;
  #isClosed = false;
  #isFailing = false;
  #isRunning = false;
  #writtenSince = 0;

  constructor(options: RetentionSweepOptions) {
    this.#options = options;
  }

  open(): void {
    this.#timer ??= this.#options.clock.after(firstSweepMs, () => void this.run());
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** One more was written. */
  noteWritten(): void {
    this.#writtenSince += 1;
    if (this.#writtenSince > this.#options.mostRecords() * overrun) void this.run();
  }

  /** Says how many records were removed. Never rejects: what is left is removed the next time. */
  async run(): Promise<number> {
    if (this.#isRunning || this.#isClosed) return 0;
    this.#isRunning = true;
    this.#writtenSince = 0;
    const { clock, log, replicas } = this.#options;
    let removed = 0;
    try {
      if (replicas.hasUpkeep) removed = (await this.#removeOld()) + (await this.#trim());
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing && !this.#isClosed)
        log.warn('Old records of the audit could not be removed; this is tried again', { error: messageOf(error) });
      this.#isFailing = true;
    }
    this.#isRunning = false;
    this.#timer?.cancel();
    if (!this.#isClosed) this.#timer = clock.after(sweepEveryMs, () => void this.run());
    return removed;
  }

  async #removeOld(): Promise<number> {
    const { store, clock, retentionDays } = this.#options;
    const before = Math.floor(clock.now() - retentionDays() * dayMs);
    let removed = 0;
    for (let after: number | null = 0; after !== null && !this.#isClosed; await giveWay()) {
      const step: AuditRemoval = await store.removeAudit(before, after);
      removed += step.removed;
      after = step.next;
    }
    return removed;
  }

  /** Ids are given one after the other, so that they tell how many records there are at most. */
  async #trim(): Promise<number> {
    const { store, log, mostRecords, onTrimmed } = this.#options;
    const most = mostRecords();
    const upto = (await store.lastAudit()) - most;
    let removed = 0;
    for (let step = upto > 0 ? 1 : 0; step > 0 && !this.#isClosed; await giveWay()) {
      step = await store.removeAuditUpto(upto);
      removed += step;
    }
    if (removed > 0) {
      log.warn('The audit had too many records: the oldest were removed', { removed, most });
      onTrimmed(removed);
    }
    return removed;
  }
}

const minuteMs = 60_000;
/** Events that are distinguished in one minute; of those beyond, each action is counted as one. */
const mostKeys = 1_000;
const others = { id: 'others', name: 'others' };

interface Count {
  readonly event: AuditEvent;
  /** How many are still to be recorded. */
  left: number;
}

export class RepeatedEvents {
  readonly #clock: Clock;
  readonly #record: (event: AuditEvent) => Promise<void>;
  #counts = new Map<string, Count>();
  #timer: Timer | undefined;

  constructor(clock: Clock, record: (event: AuditEvent) => Promise<void>) {
    this.#clock = clock;
    this.#record = record;
  }

  /** Resolves when its record is committed. `by`: whose events of this action are counted as one. */
  async note(event: AuditEvent, by: string): Promise<void> {
    this.#timer ??= this.#clock.after(minuteMs, () => this.tell());
    const key = JSON.stringify([event.action, by]);
    const known = this.#counts.get(key);
    if (known) {
      known.left += 1;
      return;
    }
    if (this.#counts.size >= mostKeys) return this.#noteOther(event);
    this.#counts.set(key, { event, left: 0 });
    await this.#record(withCount(event, 1));
  }

  /** Writes down what was counted so far; to be called at the end. */
  tell(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const counts = this.#counts;
    this.#counts = new Map();
    // Many requests caused these, none of them alone.
    for (const { event, left } of counts.values())
      if (left > 0) void this.#record({ ...withCount(event, left), requestId: null });
  }

  /** There are as many of these as there are actions, which are ours. */
  #noteOther({ kind, action, outcome, errorType }: AuditEvent): void {
    const known = this.#counts.get(action);
    if (known) known.left += 1;
    else this.#counts.set(action, { event: { kind, action, principal: others, outcome, errorType }, left: 1 });
  }
}

function withCount(event: AuditEvent, count: number): AuditEvent {
  return { ...event, detail: { ...event.detail, count } };
}
