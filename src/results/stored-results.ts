/** Stored results: large results on disk, each for the principal who made the call, until its time is over or room is needed. On a shared store, every gateway can read them. */

import { join } from 'node:path';
import { abortable, type Clock, type Timer } from '../base/clock.ts';
import { GatewayError, messageOf, systemCodeOf } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Result } from '../protocol/messages.ts';
import type { Replicas, ResultStore, StoreSharing } from '../store/store.ts';
import { type LoadOptions, loadValue } from './load-value.ts';
import { OpenResult } from './open-result.ts';
import { jsonChunks, sentBytes } from './part-chunks.ts';
import { type Manifest, type PartFacts, type StoredResult, sizeText, uriOf } from './part-facts.ts';
import { onlyText, planParts, type ResultPlan } from './plan-parts.ts';
import { previewBytes } from './preview.ts';
import { isResultId, NoSuchResultError, partFile, ResultFiles } from './result-files.ts';
import type { ResultView } from './result-view.ts';
import { isSameJson } from './same-json.ts';
import { SharedResults } from './shared-results.ts';
import { type ResultAnswer, viewResult } from './view-result.ts';
import type { StorageRoom } from './write-chunks.ts';
import { writePart } from './write-part.ts';

/** A start does not wait for a look at what an earlier run has left; it comes a little later. */
const firstLookMs = 10_000;
const minuteMs = 60_000;

interface StoredResultsOptions {
  /** The folder `kept` inside it belongs to stored results alone. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Read when they are needed, because the config may change. */
  readonly settings: () => StorageSettings;
  /** Where other gateways read them too. */
  readonly shared?:
    | {
        readonly store: ResultStore & Pick<StoreSharing, 'unheardSince'>;
        readonly replicas: Pick<Replicas, 'hasUpkeep'>;
      }
    | undefined;
}

/** The members of `calls` in the config that have to do with large results. */
interface StorageSettings {
  readonly maxResultBytes: number;
  readonly resultTtlMinutes: number;
  readonly resultStoreBytes: number;
}

interface ResultOwner {
  /** The id of a principal. */
  readonly principal: string;
  readonly toolKey: string;
}

/** The room that a result has taken so far. */
interface CountedRoom extends StorageRoom {
  bytes: number;
}

interface Writing {
  readonly id: string;
  readonly result: Result;
  readonly owner: ResultOwner;
  /** Of the result as it was sent. */
  readonly bytes: number;
  readonly room: CountedRoom;
}

export class StoredResults {
  readonly #options: StoredResultsOptions;
  readonly #files: ResultFiles;
  readonly #shared: SharedResults | undefined;
  readonly #use = new StorageUse();
  /** By id and principal: one fetch for everybody who waits. */
  readonly #fetches = new Map<string, Promise<Manifest | undefined>>();
  #loading: Promise<void> | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: StoredResultsOptions) {
    this.#options = options;
    const { folder, clock, log, shared } = options;
    const files = new ResultFiles(folder);
    const mostBytes = () => options.settings().resultStoreBytes;
    this.#files = files;
    this.#shared = shared && new SharedResults({ ...shared, files, clock, log, mostBytes });
  }

  open(): void {
    this.#timer = this.#options.clock.after(firstLookMs, () => void this.#load().catch((error) => this.#warn(error)));
    this.#shared?.open();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#shared?.close(this.#fetches);
  }

  /** How many only this gateway can read, although the store is shared. */
  get unshared(): number {
    return this.#shared?.waiting ?? 0;
  }

  /** Throws TOO_LARGE where it can never be kept, STORE_BROKEN where the disk does not take it; nothing is left then. */
  async keep(result: Result, owner: ResultOwner): Promise<StoredResult> {
    const id = randomId();
    try {
      await this.#load();
      const bytes = await sentBytes(result);
      const { kept, manifest } = await this.#inRoom(owner, bytes, (room) =>
        this.#write({ id, result, owner, bytes, room }),
      );
      await this.#shared?.add(manifest);
      return kept;
    } catch (error) {
      // The next start removes it if this fails.
      await this.#files.abandon(id).catch((failure) => this.#warn(failure));
      throw asTrouble(error);
    }
  }

  /** Throws NoSuchResultError, or ARGUMENTS_INVALID for a view that the result does not have, or CANCELLED by the signal. */
  read(id: string, principal: string, view: ResultView, signal?: AbortSignal): Promise<ResultAnswer> {
    return this.#open(id, principal, signal, (opened) => viewResult(opened, view));
  }

  /** The value itself as JSON text, for a program. Throws as `read` does, and TOO_LARGE for what is over the limit. */
  load(id: string, principal: string, view: ResultView, options: LoadOptions, signal?: AbortSignal): Promise<string> {
    return this.#open(id, principal, signal, (opened) => loadValue(opened, view, options));
  }

  async #open<T>(
    id: string,
    principal: string,
    signal: AbortSignal | undefined,
    work: (opened: OpenResult) => Promise<T>,
  ): Promise<T> {
    if (!isResultId(id)) throw new NoSuchResultError(id);
    try {
      const manifest = await this.#find(id, principal, signal);
      if (!manifest) throw new NoSuchResultError(id);
      const limit = this.#options.settings().maxResultBytes;
      const opened = new OpenResult({ manifest, files: this.#files, limit, signal });
      try {
        return await work(opened);
      } finally {
        if (opened.hasGrown) await this.#measure(id);
      }
    } catch (error) {
      if (signal?.aborted) throw new GatewayError('CANCELLED', 'The request to read the result was cancelled.');
      // It went while it was read.
      if (systemCodeOf(error) === 'ENOENT') throw new NoSuchResultError(id);
      throw asTrouble(error);
    }
  }

  /** Somebody else's is looked for like one that never was, so that the two cannot be told apart while the store is unreachable. */
  async #find(id: string, principal: string, signal: AbortSignal | undefined): Promise<Manifest | undefined> {
    const here = await this.#findHere(id, principal);
    if (here || !this.#shared) return here;
    const key = JSON.stringify([id, principal]);
    let fetching = this.#fetches.get(key);
    if (!fetching) {
      fetching = this.#fetch(this.#shared, id, principal).finally(() => this.#fetches.delete(key));
      this.#fetches.set(key, fetching);
    }
    return signal ? abortable(fetching, signal) : fetching;
  }

  async #findHere(id: string, principal: string): Promise<Manifest | undefined> {
    const manifest = await this.#files.readManifest(id);
    const isTheirs = manifest?.principal === principal && manifest.expiresAt > this.#options.clock.now();
    return isTheirs ? manifest : undefined;
  }

  /** Writes the files of a result that another gateway kept. */
  async #fetch(shared: SharedResults, id: string, principal: string): Promise<Manifest | undefined> {
    // A fetch for somebody else may have ended a moment ago.
    const here = await this.#findHere(id, principal);
    if (here) return here;
    const found = await shared.find(id, principal);
    if (!found) return undefined;
    await this.#load();
    // Where its time was over a little earlier by this clock.
    await this.#remove(id);
    const now = this.#options.clock.now();
    const times = { madeAt: now - found.ageMs, expiresAt: now + found.leftMs };
    try {
      return await this.#inRoom(found, found.bytes, async (room) => {
        const manifest = await this.#files.unpack(found, shared.read(found), times, room);
        this.#settle(manifest, room);
        return manifest;
      });
    } catch (error) {
      await this.#files.abandon(id).catch((failure) => this.#warn(failure));
      throw error;
    }
  }

  /** The ids of those that a principal can read, the newest first. */
  async idsOf(principal: string): Promise<string[]> {
    await this.#load();
    const now = this.#options.clock.now();
    // Without the store, this gateway knows its own.
    const others = (await this.#shared?.list(principal).catch(() => [])) ?? [];
    const madeAt = new Map(others.map(({ id, ageMs }) => [id, now - ageMs]));
    for (const [id, held] of this.#use.held)
      if (held.principal === principal && held.expiresAt > now) madeAt.set(id, held.madeAt);
    return [...madeAt]
      .sort(([, a], [, b]) => a - b)
      .map(([id]) => id)
      .reverse();
  }

  async #write({ id, result, owner, bytes, room }: Writing): Promise<{ kept: StoredResult; manifest: Manifest }> {
    const text = result.structuredContent === undefined ? undefined : onlyText(result);
    const isSame = text !== undefined && (await isSameJson(text, result.structuredContent));
    const plan = await planParts(result, isSame);
    const folder = await this.#files.begin(id);
    const headBytes = previewBytes(this.#options.settings().maxResultBytes);
    const { facts, heads } = await writeParts(plan, folder, room, headBytes);
    const madeAt = this.#options.clock.now();
    const expiresAt = madeAt + this.#options.settings().resultTtlMinutes * minuteMs;
    const isError = result.isError === true;
    const manifest: Manifest = { id, ...owner, madeAt, expiresAt, isError, bytes, parts: facts };
    if (this.#isClosed) throw new GatewayError('STORE_BROKEN', 'The gateway is closing; the result is not kept.');
    await this.#files.finish(manifest, jsonChunks(plan.frame), room);
    this.#settle(manifest, room);
    return { manifest, kept: { ...manifest, heads, uri: uriOf(id) } };
  }

  /** The reserved bytes become stored bytes. */
  #settle(manifest: Manifest, room: CountedRoom): void {
    this.#put(manifest, room.bytes);
    room.giveBack(room.bytes);
  }

  /** Every write counts at once, so that others being kept at the same time know of it. */
  async #inRoom<T>(
    { principal }: Pick<ResultOwner, 'principal'>,
    expected: number,
    write: (room: CountedRoom) => Promise<T>,
  ): Promise<T> {
    const limit = this.#options.settings().resultStoreBytes;
    const count = (bytes: number) => {
      room.bytes += bytes;
      this.#use.reserve(principal, bytes);
    };
    const room: CountedRoom = {
      bytes: 0,
      take: async (bytes) => {
        checkSize(room.bytes + bytes, limit);
        count(bytes);
        // A result that may prove too large pushes nothing out until that is known.
        if (expected <= limit) await this.#makeRoom();
      },
      giveBack: (bytes) => count(-bytes),
    };
    try {
      return await write(room);
    } finally {
      room.giveBack(room.bytes);
      // Several at once may have found too little to remove.
      await this.#makeRoom();
      this.#arm();
    }
  }

  /** Reads what an earlier run has left, once. */
  #load(): Promise<void> {
    this.#loading ??= this.#readBack().catch((error) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #readBack(): Promise<void> {
    const manifests = await this.#files.readAll();
    manifests.sort((a, b) => a.madeAt - b.madeAt);
    for (const manifest of manifests) this.#put(manifest, await this.#files.sizeOf(manifest.id));
    await this.#removeExpired();
    await this.#makeRoom();
    this.#arm();
  }

  #put({ id, principal, madeAt, expiresAt }: Manifest, bytes: number): void {
    this.#use.put(id, { principal, bytes, madeAt, expiresAt });
  }

  /** Reading has written something beside a result: where its pages begin. */
  async #measure(id: string): Promise<void> {
    this.#use.resize(id, await this.#files.sizeOf(id));
    await this.#makeRoom();
  }

  /** Checks again after each removal, because others keep results and make room meanwhile. */
  async #makeRoom(): Promise<void> {
    while (this.#use.bytes > this.#options.settings().resultStoreBytes) {
      const id = this.#use.next();
      if (id === undefined) return;
      await this.#remove(id);
    }
  }

  async #removeExpired(): Promise<void> {
    const now = this.#options.clock.now();
    for (const [id, { expiresAt }] of this.#use.held) if (expiresAt <= now) await this.#remove(id);
  }

  async #remove(id: string): Promise<void> {
    this.#use.delete(id);
    this.#shared?.forget(id);
    await this.#files.remove(id).catch((error) => this.#warn(error));
  }

  /** One timer, for the one that expires next. */
  #arm(): void {
    this.#timer?.cancel();
    if (this.#isClosed || this.#use.held.size === 0) return;
    let next = Number.POSITIVE_INFINITY;
    for (const { expiresAt } of this.#use.held.values()) next = Math.min(next, expiresAt);
    const waitMs = Math.max(1_000, next - this.#options.clock.now());
    this.#timer = this.#options.clock.after(waitMs, () => void this.#removeExpired().then(() => this.#arm()));
  }

  #warn(error: unknown): void {
    this.#options.log.warn('The folder of stored results fails.', { error: messageOf(error) });
  }
}

async function writeParts(plan: ResultPlan, folder: string, room: StorageRoom, headBytes: number) {
  const facts: PartFacts[] = [];
  const heads: string[] = [];
  for (const [at, part] of plan.parts.entries()) {
    const written = await writePart(part, join(folder, partFile(at + 1)), room, headBytes);
    facts.push(written.facts);
    heads.push(written.head);
  }
  return { facts, heads };
}

function checkSize(bytes: number, limit: number): void {
  if (bytes <= limit) return;
  throw new GatewayError(
    'TOO_LARGE',
    `The result is larger than the limit for all stored results (${sizeText(limit)}).`,
    {
      hint: 'Ask for less at a time, or let the owner raise calls.resultStoreBytes.',
      data: { limit },
    },
  );
}

/** A refusal by the system is trouble; any other error that is no trouble already is a bug, and stays one. */
function asTrouble(error: unknown): unknown {
  const code = systemCodeOf(error);
  if (error instanceof GatewayError || code === undefined || !/^E(?!RR_)/.test(code)) return error;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const why = isFull ? 'the disk is full' : `the disk refused it (${code})`;
  return new GatewayError('STORE_BROKEN', `Can't store or read the large result: ${why}.`, {
    hint: 'Make room in the data folder, or ask for less at a time.',
    cause: error,
    data: { reason: 'stored-result', systemCode: code },
  });
}

interface Held {
  readonly principal: string;
  readonly bytes: number;
  readonly madeAt: number;
  readonly expiresAt: number;
}

class StorageUse {
  /** Of all that are held, and of those that are about to be. */
  bytes = 0;
  /** By id, the oldest first. */
  readonly #held = new Map<string, Held>();
  readonly #bytesOf = new Map<string, number>();

  get held(): ReadonlyMap<string, Held> {
    return this.#held;
  }

  /** Room for something that is being written; less than none gives it back. */
  reserve(principal: string, bytes: number): void {
    this.bytes += bytes;
    const all = (this.#bytesOf.get(principal) ?? 0) + bytes;
    if (all > 0) this.#bytesOf.set(principal, all);
    else this.#bytesOf.delete(principal);
  }

  put(id: string, held: Held): void {
    this.delete(id);
    this.#held.set(id, held);
    this.reserve(held.principal, held.bytes);
  }

  /** Its place among the others stays. */
  resize(id: string, bytes: number): void {
    const held = this.#held.get(id);
    if (!held) return;
    this.reserve(held.principal, bytes - held.bytes);
    this.#held.set(id, { ...held, bytes });
  }

  delete(id: string): void {
    const held = this.#held.get(id);
    if (!held) return;
    this.#held.delete(id);
    this.reserve(held.principal, -held.bytes);
  }

  /** The oldest of the principal who stores the most: a principal who fills the storage pushes out only its own results. */
  next(): string | undefined {
    const oldest = new Map<string, string>();
    for (const [id, { principal }] of this.#held) if (!oldest.has(principal)) oldest.set(principal, id);
    let most = -1;
    let next: string | undefined;
    for (const [principal, id] of oldest) {
      const bytes = this.#bytesOf.get(principal) ?? 0;
      if (bytes <= most) continue;
      most = bytes;
      next = id;
    }
    return next;
  }
}
