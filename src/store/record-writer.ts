/** Writes calls and events of the audit to the store, each before its record is done; where the store refuses, they wait in a bounded queue. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { Clock, Timer } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import type { AuditKind, AuditRecord, StoredAuditRecord } from './audit/audit.ts';
import type { CallRecord, RecordAppender } from './call/call.ts';

/** Records that wait for a store that refuses; beyond it some are dropped. */
export const mostWaitingRecords = 10_000;
/** How many are dropped then: all that wait are looked at, which is not to be done for each record. */
export const droppedAtOnce = 200;
/**
 * How long an answer waits for its row while the store is late, which other writes of ours can make it: far longer than
 * those take. Once it is over, answers leave at once until the store works again.
 */
export const recordWaitMs = 2_000;
/** Turns of the event loop in which a store that is busy is tried again: most locks are gone before a timer would fire. */
const quickTries = 20;
const firstRetryMs = 1;
export const longestRetryMs = 5_000;
/** A few milliseconds of work for the event loop. */
const recordsPerWrite = 200;

interface RecordWriterOptions {
  readonly store: RecordAppender;
  readonly clock: Clock;
  readonly log: Log;
}

/** The consequences of a refusal by the store. */
interface Gap {
  readonly waited: number;
  readonly dropped: number;
  /** The same by what they were; what was not dropped is left out. */
  readonly droppedKinds: Readonly<Partial<Record<AuditKind, number>>>;
}

interface Waiting {
  readonly record: NewRecord;
  /** Ends the wait of its record. */
  readonly done: () => void;
}

/** The records that the store did not take, and why. */
interface Refusal {
  readonly rest: readonly Waiting[];
  readonly error: GatewayError;
  readonly isBusy: boolean;
}

const nothingLost: Gap = { waited: 0, dropped: 0, droppedKinds: {} };

export class RecordWriter {
  /** Tells how many calls were committed. */
  readonly written = new Signal<number>();
  /** Tells of the events of the audit that were committed, each once, in their order and with their ids. */
  readonly writtenEvents = new Signal<readonly StoredAuditRecord[]>();
  /** Tells, once the store works again, of a refusal for which records were dropped. */
  readonly recovered = new Signal<Gap>();
  readonly #options: RecordWriterOptions;
  readonly #queue: Waiting[] = [];
  /** `late`: the store refused a moment ago. `refusing`: it did for so long that nobody waits for it any more. */
  #state: 'fine' | 'late' | 'refusing' = 'fine';
  #trouble: GatewayError | null = null;
  #writing: Promise<void> | undefined;
  #retry: Timer | undefined;
  #retryMs = firstRetryMs;
  /** Runs while records wait for what may not come; when it is over they go on. */
  #patience: Timer | undefined;
  /** Keeps the process alive while somebody waits for a store that is late: the clock's timers let it end. */
  #awake: NodeJS.Timeout | undefined;
  #holds = 0;
  #dropped = 0;
  /** The consequences of the present refusal so far. */
  #refusal: Gap = nothingLost;
  #isClosed = false;

  constructor(options: RecordWriterOptions) {
    this.#options = options;
  }

  /** Records that wait. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Records that were never written, since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  get isRefusing(): boolean {
    return this.#state === 'refusing';
  }

  /** Why the store refuses records, for so long that nobody waits for it any more; null: it takes them. */
  get trouble(): GatewayError | null {
    return this.#trouble;
  }

  /** Resolves once the record is committed, or is left to the queue. Never rejects. */
  write(record: NewRecord): Promise<void> {
    if (this.#isClosed) {
      this.#dropped += 1;
      return Promise.resolve();
    }
    const { promise, resolve: done } = Promise.withResolvers<void>();
    // Through the queue in any case: records are written in their order, and those of one moment together.
    this.#queue.push({ record, done });
    if (this.#state !== 'fine') this.#refusal = { ...this.#refusal, waited: this.#refusal.waited + 1 };
    if (this.#state === 'refusing' || (this.#holds > 0 && this.#patience === undefined)) done();
    this.#limitQueue();
    if (this.#retry === undefined) this.#start();
    return promise;
  }

  /** Nothing is written from now on until `release`; resolves once nothing is under way. */
  async hold(): Promise<void> {
    this.#holds += 1;
    this.#patience ??= this.#options.clock.after(recordWaitMs, () => this.#endPatience());
    await this.#writing;
  }

  release(): void {
    this.#holds -= 1;
    this.#start();
  }

  /** The calls that wait, in their order. */
  waiting(): CallRecord[] {
    return this.#queue.flatMap(({ record: { call } }) => (call === undefined ? [] : [call]));
  }

  /** Takes these calls out of the queue; that they happened stays in the audit. */
  remove(calls: ReadonlySet<CallRecord>): void {
    for (const { record, done } of this.#queue.splice(0)) {
      const { call, event } = record;
      const isMeant = call !== undefined && calls.has(call);
      if (!isMeant) this.#queue.push({ record, done });
      else if (event !== undefined) this.#queue.push({ record: { event }, done });
      else done();
    }
  }

  /** Tries once more; what cannot be written then is lost. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#retry?.cancel();
    this.#retry = undefined;
    await this.#writing;
    this.#start();
    await this.#writing;
    this.#patience?.cancel();
    clearInterval(this.#awake);
    const lost = this.#queue.splice(0);
    for (const { done } of lost) done();
    this.#dropped += lost.length;
    if (lost.length > 0)
      this.#options.log.warn('Records were lost, because the store refuses them', { records: lost.length });
  }

  #start(): void {
    if (this.#writing !== undefined || this.#holds > 0 || this.#queue.length === 0) return;
    this.#writing = this.#writeQueue();
  }

  async #writeQueue(): Promise<void> {
    while (this.#queue.length > 0 && this.#holds === 0) {
      // Records of one turn of the event loop share one commit.
      await giveWay();
      const batch = this.#queue.splice(0, recordsPerWrite);
      // A store that neither takes nor refuses them.
      const silence = this.#options.clock.after(recordWaitMs, () => this.#notAnswered(batch));
      let refusal = await this.#append(batch);
      for (let tries = 0; refusal?.isBusy && this.#state === 'fine' && tries < quickTries; tries += 1) {
        await giveWay();
        refusal = await this.#append(refusal.rest);
      }
      silence.cancel();
      if (refusal !== undefined) {
        this.#writing = undefined;
        return this.#refused(refusal);
      }
      if (batch.length === recordsPerWrite) await giveWay();
    }
    this.#writing = undefined;
    if (this.#queue.length === 0) this.#recovered();
  }

  /** Undefined when the store took everything. */
  async #append(batch: readonly Waiting[]): Promise<Refusal | undefined> {
    const calls = batch.flatMap(({ record: { call } }) => (call === undefined ? [] : [call]));
    const events = batch.flatMap(({ record: { event } }) => (event === undefined ? [] : [event]));
    let ids: readonly number[];
    try {
      ids = await this.#options.store.appendRecords(calls, events);
    } catch (error) {
      if (!(error instanceof GatewayError)) return this.#appendSingly(batch, error);
      return { rest: batch, error, isBusy: error.code === 'STORE_BUSY' };
    }
    for (const { done } of batch) done();
    if (calls.length > 0) this.written.emit(calls.length);
    if (events.length > 0 && this.writtenEvents.size > 0)
      // The store gives one id for each event.
      this.writtenEvents.emit(events.map((event, at) => ({ ...event, id: ids[at] as number })));
  }

  /** A record that no store could take is a bug of ours, and must not hold up the others for ever. */
  async #appendSingly(batch: readonly Waiting[], error: unknown): Promise<Refusal | undefined> {
    const [first, ...others] = batch;
    if (first !== undefined && others.length === 0) {
      const { call, event } = first.record;
      // One of the two may be fine.
      if (call !== undefined && event !== undefined)
        return this.#appendSingly(
          [
            { record: { call }, done() {} },
            { ...first, record: { event } },
          ],
          error,
        );
      first.done();
      this.#dropped += 1;
      this.#options.log.error('A record cannot be written down', { error: messageOf(error) });
      return undefined;
    }
    for (const [at, one] of batch.entries()) {
      const refusal = await this.#append([one]);
      if (refusal !== undefined) return { ...refusal, rest: batch.slice(at) };
    }
    return undefined;
  }

  #refused({ rest, error }: Refusal): void {
    this.#queue.unshift(...rest);
    this.#limitQueue();
    if (this.#isClosed) return;
    const { clock } = this.#options;
    if (this.#state === 'refusing') this.#trouble = error;
    if (this.#state === 'fine') {
      this.#state = 'late';
      this.#refusal = { ...this.#refusal, waited: this.#queue.length };
      this.#patience?.cancel();
      this.#patience = clock.after(recordWaitMs, () => this.#giveUp(error));
      this.#awake ??= setInterval(() => {}, recordWaitMs);
    }
    this.#retry = clock.after(this.#retryMs, () => {
      this.#retry = undefined;
      this.#start();
    });
    this.#retryMs = Math.min(2 * this.#retryMs, longestRetryMs);
  }

  #notAnswered(batch: readonly Waiting[]): void {
    if (this.#state === 'fine') {
      this.#refusal = { ...this.#refusal, waited: batch.length + this.#queue.length };
      this.#giveUp(new GatewayError('STORE_BUSY', 'The store does not answer.'));
    }
    for (const { done } of batch) done();
  }

  #giveUp(error: GatewayError): void {
    this.#state = 'refusing';
    this.#trouble = error;
    this.#endPatience();
    this.#options.log.warn('Records of calls and of the audit wait in memory', { error: error.message });
  }

  #endPatience(): void {
    this.#patience = undefined;
    clearInterval(this.#awake);
    this.#awake = undefined;
    for (const { done } of this.#queue) done();
  }

  #recovered(): void {
    if (this.#state === 'refusing')
      this.#options.log.info('Records of calls and of the audit are written again', { ...this.#refusal });
    const gap = this.#refusal;
    this.#refusal = nothingLost;
    this.#trouble = null;
    this.#state = 'fine';
    this.#retryMs = firstRetryMs;
    this.#patience?.cancel();
    this.#patience = undefined;
    clearInterval(this.#awake);
    this.#awake = undefined;
    if (gap.dropped > 0) this.recovered.emit(gap);
  }

  /** A store that works empties the queue by itself, however much ends in one moment. */
  #limitQueue(): void {
    const isEmptying = this.#state === 'fine' && this.#holds === 0;
    if (isEmptying || this.#queue.length <= mostWaitingRecords) return;
    const chosen = chooseDropped(this.#queue, this.#queue.length - mostWaitingRecords + droppedAtOnce);
    for (const waiting of this.#queue.splice(0)) {
      if (chosen.has(waiting)) this.#drop(waiting);
      else this.#queue.push(waiting);
    }
  }

  #drop({ record, done }: Waiting): void {
    done();
    this.#dropped += 1;
    const { droppedKinds, ...rest } = this.#refusal;
    const kind = kindOf(record);
    const kinds = { ...droppedKinds, [kind]: (droppedKinds[kind] ?? 0) + 1 };
    this.#refusal = { ...rest, dropped: rest.dropped + 1, droppedKinds: kinds };
  }
}

/** Committed together: a call with its event, or an event of something else. */
export interface NewRecord {
  readonly call?: CallRecord | undefined;
  readonly event?: AuditRecord | undefined;
}

interface Candidate<T> {
  readonly item: T;
  /** Somebody only looked around, which costs nothing and says least. */
  readonly isCheap: boolean;
  /** Which one of its principal it is, among those that are as cheap: the greatest is the newest of who has most. */
  readonly turn: number;
}

/**
 * First what is cheap, then the rest, and of both always the newest of the principal that has most: whoever causes a flood
 * loses the flood, and neither what was done before it nor the records of others. `items` in their order.
 */
export function chooseDropped<T extends { readonly record: NewRecord }>(items: readonly T[], count: number): Set<T> {
  const counts = new Map<string, number>();
  const candidates = items.map((item): Candidate<T> => {
    const isCheap = kindOf(item.record) === 'discovery';
    const key = `${isCheap} ${principalOf(item.record)}`;
    const turn = counts.get(key) ?? 0;
    counts.set(key, turn + 1);
    return { item, isCheap, turn };
  });
  // Of equal ones the newest: the sort keeps their order.
  candidates.reverse().sort((a, b) => Number(b.isCheap) - Number(a.isCheap) || b.turn - a.turn);
  return new Set(candidates.slice(0, count).map(({ item }) => item));
}

/** A call without an event is an execution as well. */
function kindOf({ event }: NewRecord): AuditKind {
  return event?.kind ?? 'execution';
}

function principalOf({ call, event }: NewRecord): string {
  return event?.principal ?? call?.principal ?? '';
}
