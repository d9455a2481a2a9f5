/** The copies of stored results in a database that several gateways share. Pages are read from files alone: a gateway that lacks those of a result writes them from the copy. */

import type { Clock, Timer } from '../base/clock.ts';
import { isStoreAway, messageOf, systemCodeOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { FoundCopy, Replicas, ResultStore, StoreSharing } from '../store/store.ts';
import { ByteReader, collect } from './byte-source.ts';
import type { Manifest } from './part-facts.ts';
import { NoSuchResultError, type ResultFiles } from './result-files.ts';

/** One row each. */
const chunkBytes = 256 * 1_024;
/** An answer waits this long for the copy of its result; the copy is made all the same. */
const copyWaitMs = 10_000;
/** For the last copies when the gateway ends. */
const closeWaitMs = 5_000;
/** And then for the chunk that is under way, which a store that hangs may never take. */
const lastChunkWaitMs = 2_000;
/** After the store refused a copy. */
const retryMs = 2_000;
/** How often one gateway removes copies whose time is over. */
const sweepEveryMs = 60_000;

interface SharedResultsOptions {
  readonly store: ResultStore & Pick<StoreSharing, 'unheardSince'>;
  readonly replicas: Pick<Replicas, 'hasUpkeep'>;
  readonly files: ResultFiles;
  readonly clock: Clock;
  readonly log: Log;
  /** For all copies together; read when it is needed, because the config may change. */
  readonly mostBytes: () => number;
}

interface Waiting {
  readonly manifest: Manifest;
  /** Lets its answer leave. */
  readonly done: () => void;
}

export class SharedResults {
  readonly #options: SharedResultsOptions;
  readonly #closed = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** By id: those that the store has not taken yet, in the order in which they are copied. They are files too, so that their room is limited. */
  readonly #waiting = new Map<string, Waiting>();
  /** One at a time: the chunk of a copy is in memory. */
  #isCopying = false;
  /** Set while the store refuses copies. */
  #retry: Timer | undefined;
  #sweep: Timer | undefined;

  constructor(options: SharedResultsOptions) {
    this.#options = options;
  }

  open(): void {
    this.#sweep = this.#options.clock.after(sweepEveryMs, () => void this.#run(this.#removeExpired()));
  }

  /** Makes the copies that are missing, if there is time. Others, and `fetches` of results, then end with their present chunk. */
  async close(fetches: ReadonlyMap<string, Promise<unknown>>): Promise<void> {
    this.#sweep?.cancel();
    this.#retry?.cancel();
    this.#copyWaiting();
    await this.#within(closeWaitMs, Promise.all(this.#running));
    this.#closed.abort(new Error('The gateway is being closed.'));
    await this.#within(lastChunkWaitMs, Promise.allSettled([...this.#running, ...fetches.values()]));
    // They may have been set again meanwhile.
    this.#sweep?.cancel();
    this.#retry?.cancel();
    const results = this.#waiting.size;
    if (results > 0)
      this.#options.log.warn(
        'This gateway stops before the database has these large results: other gateways cannot read them. Call the tools again.',
        { results },
      );
    this.#waiting.clear();
  }

  /** How many only this gateway can read so far. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves once every gateway can read it, or when the store does not go on. Never rejects: a result that is kept here is kept. */
  async add(manifest: Manifest): Promise<void> {
    if (this.#closed.signal.aborted) return;
    const { promise: copied, resolve: done } = Promise.withResolvers<void>();
    this.#waiting.set(manifest.id, { manifest, done });
    // Nobody waits for a store that refuses copies, or is known to be unreachable.
    if (this.#retry !== undefined) return;
    if (this.#options.store.unheardSince !== null) return this.#postpone('The connection to the store is lost.');
    this.#copyWaiting();
    await this.#within(copyWaitMs, copied);
  }

  /** Its time is over, or it had to make room. */
  forget(id: string): void {
    this.#waiting.get(id)?.done();
    this.#waiting.delete(id);
  }

  find(id: string, principal: string): Promise<FoundCopy | undefined> {
    return this.#options.store.findResult(id, principal);
  }

  list(principal: string): Promise<readonly FoundCopy[]> {
    return this.#options.store.listResults(principal);
  }

  /** Throws NoSuchResultError where it is removed meanwhile. */
  async *read({ id, bytes }: FoundCopy): AsyncGenerator<Buffer> {
    for (let [number, left] = [0, bytes]; left > 0; number += 1) {
      this.#closed.signal.throwIfAborted();
      const chunk = await this.#options.store.readResultChunk(id, number);
      if (chunk === undefined) throw new NoSuchResultError(id);
      left -= chunk.length;
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    }
  }

  /** What closing has to wait for. */
  #run(work: Promise<void>): Promise<void> {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  /** Resolves with the work, or when the time is over. */
  async #within(ms: number, work: Promise<unknown>): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = this.#options.clock.after(ms, late.resolve);
    await Promise.race([work, late.promise]);
    timer.cancel();
  }

  /** Says why the store refuses for now; undefined: there is nothing left to copy. */
  async #tryToCopy(manifest: Manifest): Promise<string | undefined> {
    try {
      return await this.#copy(manifest);
    } catch (error) {
      // The end of the result, meanwhile.
      if (systemCodeOf(error) === 'ENOENT') return undefined;
      if (this.#closed.signal.aborted) return messageOf(error);
      this.#options.log.error('A large result could not be copied to the database: only this gateway can read it.', {
        error: messageOf(error),
      });
    }
    return undefined;
  }

  /** As `#tryToCopy`. Throws where a file fails: another try would fail, too. */
  async #copy(manifest: Manifest): Promise<string | undefined> {
    const { files, store, clock, mostBytes } = this.#options;
    const { id, principal, expiresAt } = manifest;
    const { bytes, manifestBytes, read } = await files.pack(manifest);
    await using reader = new ByteReader(read());
    for (let number = 0; number * chunkBytes < bytes; number += 1) {
      this.#closed.signal.throwIfAborted();
      const chunk = await collect(reader.take(chunkBytes));
      const limits = { mostBytes: mostBytes(), ttlMs: expiresAt - clock.now() };
      try {
        // It is whole already, or had to make room for others, and is as good as copied.
        if (!(await store.addResultChunk({ id, principal, bytes, manifestBytes }, number, chunk, limits))) break;
      } catch (error) {
        if (isStoreAway(error)) return messageOf(error);
        throw error;
      }
    }
    return undefined;
  }

  #postpone(error: string): void {
    const { clock, log } = this.#options;
    for (const { done } of this.#waiting.values()) done();
    if (this.#closed.signal.aborted) return;
    if (this.#retry === undefined)
      log.warn('Only this gateway can read its new large results, until the store takes them.', { error });
    this.#retry?.cancel();
    this.#retry = clock.after(retryMs, () => this.#copyWaiting());
  }

  #copyWaiting(): void {
    if (this.#isCopying) return;
    this.#isCopying = true;
    void this.#run(this.#copyAll());
  }

  async #copyAll(): Promise<void> {
    // Those that come meanwhile are copied too.
    for (const [id, waiting] of this.#waiting) {
      const refusal = await this.#tryToCopy(waiting.manifest);
      const isWanted = this.#waiting.delete(id);
      waiting.done();
      if (refusal === undefined) continue;
      // The others go before it: the store may refuse this one alone.
      if (isWanted) this.#waiting.set(id, waiting);
      this.#isCopying = false;
      return this.#postpone(refusal);
    }
    this.#isCopying = false;
    if (this.#retry === undefined) return;
    this.#retry.cancel();
    this.#retry = undefined;
    this.#options.log.info('Every gateway can read the large results of this one again.');
  }

  async #removeExpired(): Promise<void> {
    const { store, replicas, log } = this.#options;
    try {
      if (replicas.hasUpkeep) await store.removeExpiredResults();
    } catch (error) {
      log.debug('Expired large results could not be removed; the next try is in a minute.', {
        error: messageOf(error),
      });
    }
    if (!this.#closed.signal.aborted) this.open();
  }
}
