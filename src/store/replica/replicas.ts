/** This gateway among the replicas that share its store: says that it is there, knows the others, and takes turns with them at work. */

import { type Clock, sleep, type Timer } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { randomId } from '../../base/ids.ts';
import { isEveryAddress } from '../../base/local-url.ts';
import type { Log } from '../../base/log.ts';
import { Signal } from '../../base/signal.ts';
import { type DutyTerm, goneAfterMs, type ReplicaFacts, type ReplicaStore, type StoredReplica } from './replica.ts';

/** How often a replica says that it is there: two of three may get lost. */
export const beatMs = 2_000;
/** Between two attempts to get a turn: short at first, because most turns are. */
const turnPauseMs = { first: 100, most: 1_000 };
/** Work that goes on as long as there are gateways: roll-ups and retention. */
const upkeep = 'upkeep';

interface ReplicasOptions {
  /** Undefined: nobody else can use the store, so that this gateway has every turn at once. */
  readonly store: ReplicaStore | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Asked again and again, because settings change. */
  readonly describe: () => Omit<ReplicaFacts, 'id'>;
  /** A mark of a text that only replicas can make, by the key that they share; left out, there are no others. */
  readonly markOf?: ((text: string) => string) | undefined;
}

/** The time in which nobody else does a work. */
export interface Turn {
  /** Aborts when it is over before its time: the others could not see this gateway any more. */
  readonly signal: AbortSignal;
  /** For writes, which are refused once it is over; undefined where there are no others. */
  readonly term: DutyTerm | undefined;
}

export interface Turns {
  /** Waits until no other replica does this work, and does it. */
  inTurn<T>(work: string, act: (turn: Turn) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** A turn from when it is asked for until it is given back. */
interface Running {
  readonly term: DutyTerm;
  readonly lost: AbortController;
  isOurs: boolean;
}

export class Replicas implements Turns {
  readonly id = randomId();
  readonly markOf: (text: string) => string;
  /** A replica has come or gone. */
  readonly changed = new Signal<void>();
  readonly #options: ReplicasOptions;
  readonly #closed = new AbortController();
  readonly #upkeep: DutyTerm;
  /** By the names of their terms. */
  readonly #turns = new Map<string, Running>();
  /** As of the last beat. */
  #present: readonly StoredReplica[] = [];
  /** Those of them that could not be reached. */
  readonly #unreachable = new Set<string>();
  #hasUpkeep = false;
  #hasLeft = false;
  /** Monotonic: until then the others see this gateway, whatever happens. */
  #seenUntil = Number.NEGATIVE_INFINITY;
  /** Monotonic: until then, another one that the store lacks from now on may only be as late as this one was. */
  #waitsUntil = Number.NEGATIVE_INFINITY;
  /** Those that the store lacks and that may only be late, by id: until when, in monotonic time. */
  #missing: ReadonlyMap<string, number> = new Map();
  #looking: Promise<readonly StoredReplica[]> | undefined;
  #joining: Promise<void> | undefined;
  #beating: Promise<void> | undefined;
  #next: Timer | undefined;
  #loss: Timer | undefined;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.markOf = options.markOf ?? (() => '');
    this.#upkeep = { work: upkeep, replica: this.id, term: randomId() };
  }

  /** Resolves once the others can see it. One for a single command joins them only for a turn. */
  async open(): Promise<void> {
    const { url } = this.#options.describe();
    if (url === null) return;
    await this.#join();
    if (this.isShared && isEveryAddress(url))
      this.#options.log.warn(
        'Other gateways on this database cannot reach this one, because it listens on every address: set "listen.advertise".',
        { url },
      );
  }

  /** Serves no agents any more: the others call its sessions unknown. It still works, and counts as there. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    // What it says last counts.
    await this.#beating?.catch(() => {});
    if (this.#joining === undefined || this.#closed.signal.aborted) return;
    this.#beating = this.#say();
    await this.#beating.catch((error) => this.#sayTrouble(error));
  }

  /** Its work is free for the others at once. */
  async close(): Promise<void> {
    this.#closed.abort(new Error('The gateway is being closed.'));
    this.#next?.cancel();
    this.#loss?.cancel();
    // It would be there again after it was removed.
    await this.#beating?.catch(() => {});
    this.#lose();
    // One that cannot say so is gone for the others a little later.
    if (this.#joining) await this.#options.store?.removeReplica(this.id).catch(() => {});
  }

  /** True while this gateway is the one that rolls up and removes what is old. */
  get hasUpkeep(): boolean {
    return this.#options.store === undefined || (this.#hasUpkeep && this.#isSeen);
  }

  /** False: nobody else can use the store. */
  get isShared(): boolean {
    return this.#options.store !== undefined;
  }

  /** This one. */
  get facts(): ReplicaFacts {
    return { ...this.#options.describe(), id: this.id, ...(this.#hasLeft && { url: null }) };
  }

  /** How many serve agents, as of a moment ago. */
  get count(): number {
    return Math.max(1, serving(this.#present).length);
  }

  /** Its id, for ids that the others may get; null: there are no others. */
  get own(): string | null {
    return this.isShared ? this.id : null;
  }

  /**
   * Where another one is reached; undefined: it is gone, or does not say where it is. One that has just come is looked for in the
   * store: throws where that cannot be read.
   */
  async urlOf(id: string): Promise<string | undefined> {
    const isMeant = (one: StoredReplica) => one.id === id;
    const found = this.#present.find(isMeant) ?? (await this.#stored()).find(isMeant);
    const url = found?.url ?? undefined;
    // A request that is sent there comes back to this machine.
    return url !== undefined && isEveryAddress(url) ? undefined : url;
  }

  /** True if it is there as the store has it now: throws where that cannot be read. */
  async isStored(id: string): Promise<boolean> {
    return (await this.#stored()).some((one) => one.id === id);
  }

  /** Logs once that a replica is in the store and does not answer this gateway. */
  reportUnreachable(id: string, url: string): void {
    if (this.#unreachable.has(id)) return;
    this.#unreachable.add(id);
    this.#options.log.warn(
      'Another gateway cannot be reached, so requests for its sessions fail here: see "toolcrib doctor".',
      { url },
    );
  }

  #stored(): Promise<readonly StoredReplica[]> {
    // Anybody can name a replica, so that one look has to do for all who ask at once.
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<readonly StoredReplica[]> {
    try {
      return (await this.list()).replicas;
    } catch (error) {
      this.#sayTrouble(error);
      throw error;
    }
  }

  /** True if it is there, as of a moment ago. */
  isPresent(id: string): boolean {
    return id === this.id || this.#present.some((one) => one.id === id);
  }

  /** True if the others are known, and it is not there. */
  isGone(id: string): boolean {
    return this.#present.length > 0 && !this.isPresent(id);
  }

  /** Those that serve agents now, the oldest first, with the time of the database. */
  async list(): Promise<{ readonly replicas: readonly StoredReplica[]; readonly now: number }> {
    const { store, clock } = this.#options;
    if (store === undefined) {
      const now = clock.now();
      return { replicas: serving([{ ...this.facts, seenAt: now, clockAheadMs: null }]), now };
    }
    const { replicas, now } = await store.listReplicas();
    return { replicas: serving(replicas), now };
  }

  async inTurn<T>(work: string, act: (turn: Turn) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { store } = this.#options;
    if (store === undefined) return act({ signal: this.#closed.signal, term: undefined });
    await this.#join();
    const term = { work, replica: this.id, term: randomId() };
    const turn = { term, lost: new AbortController(), isOurs: false };
    this.#turns.set(term.term, turn);
    try {
      await this.#awaitTurn(store, turn, signal);
      return await act({ signal: turn.lost.signal, term });
    } finally {
      this.#turns.delete(term.term);
      // A beat gives back what could not be given back now.
      if (turn.isOurs) await store.dropDuty(term).catch((error) => this.#sayTrouble(error));
    }
  }

  async #awaitTurn(store: ReplicaStore, turn: Running, signal: AbortSignal | undefined): Promise<void> {
    const within = signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal;
    for (let pauseMs = turnPauseMs.first; !turn.isOurs; pauseMs = Math.min(2 * pauseMs, turnPauseMs.most)) {
      within.throwIfAborted();
      turn.isOurs = await store.takeDuty(turn.term);
      if (!turn.isOurs) await sleep(this.#options.clock, pauseMs, within);
    }
  }

  get #isSeen(): boolean {
    return this.#options.clock.elapsed() < this.#seenUntil;
  }

  #join(): Promise<void> {
    this.#joining ??= this.#beat().catch((error) => {
      this.#joining = undefined;
      this.#next?.cancel();
      throw error;
    });
    return this.#joining;
  }

  async #beat(): Promise<void> {
    const { clock } = this.#options;
    try {
      this.#beating = this.#say();
      await this.#beating;
    } finally {
      if (!this.#closed.signal.aborted)
        this.#next = clock.after(beatMs, () => void this.#beat().catch((error) => this.#sayTrouble(error)));
    }
  }

  async #say(): Promise<void> {
    const { store, clock } = this.#options;
    if (store === undefined) return;
    const begunAt = clock.elapsed();
    const ours = [...this.#turns.values()].filter(({ isOurs }) => isOurs);
    const { facts } = this;
    const isLate = this.#present.length > 0 && begunAt > this.#seenUntil - beatMs;
    const wanted = facts.url === null ? [] : [this.#upkeep];
    const { replicas, terms } = await store.beatReplica(facts, wanted, () => clock.now());
    const held = new Set(terms.map(({ term }) => term));
    this.#hasUpkeep = held.has(this.#upkeep.term);
    for (const { term, lost } of ours) if (!held.has(term.term)) lost.abort(turnLost());
    this.#seen(begunAt);
    // While the store was away, nobody could say that it is there: none has to end what it does for another for that.
    if (isLate) this.#waitsUntil = clock.elapsed() + goneAfterMs;
    this.#know([...replicas, ...this.#awaited(replicas)]);
    const left = terms.filter(({ work, term }) => work !== upkeep && !this.#turns.has(term));
    for (const term of left) await store.dropDuty(term);
  }

  /** Those that may only be late, for a time that is set once for each: every beat may be late, where the store is slow. */
  #awaited(replicas: readonly StoredReplica[]): StoredReplica[] {
    const untilOf = ({ id }: StoredReplica) => this.#missing.get(id) ?? this.#waitsUntil;
    const missing = missingIn(replicas, this.#present);
    const awaited = missing.filter((one) => this.#options.clock.elapsed() < untilOf(one));
    this.#missing = new Map(awaited.map((one) => [one.id, untilOf(one)]));
    return awaited;
  }

  /** Others count from when the database heard of it, which is later than when it was said. */
  #seen(begunAt: number): void {
    const { clock } = this.#options;
    this.#seenUntil = begunAt + goneAfterMs;
    this.#loss?.cancel();
    if (!this.#closed.signal.aborted)
      this.#loss = clock.after(Math.max(0, this.#seenUntil - clock.elapsed()), () => this.#lose());
  }

  #know(replicas: readonly StoredReplica[]): void {
    const ids = (all: readonly StoredReplica[]) => all.map(({ id }) => id).join();
    const isOther = ids(this.#present) !== ids(replicas);
    this.#present = replicas;
    for (const id of this.#unreachable) if (!this.isPresent(id)) this.#unreachable.delete(id);
    if (isOther) this.changed.emit();
  }

  #lose(): void {
    this.#hasUpkeep = false;
    for (const { lost } of this.#turns.values()) lost.abort(turnLost());
  }

  #sayTrouble(error: unknown): void {
    if (this.#closed.signal.aborted) return;
    this.#options.log.debug('The list of gateways in the store cannot be read or updated.', {
      error: messageOf(error),
    });
  }
}

function missingIn(replicas: readonly StoredReplica[], earlier: readonly StoredReplica[]): StoredReplica[] {
  const ids = new Set(replicas.map(({ id }) => id));
  return earlier.filter(({ id }) => !ids.has(id));
}

function serving(replicas: readonly StoredReplica[]): StoredReplica[] {
  return replicas.filter(({ url }) => url !== null);
}

function turnLost(): Error {
  return new Error('Another gateway does this work now.');
}
