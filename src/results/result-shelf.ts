/** The shelf: large results on disk, each for the principal who made the call, until its time is over or room is needed. */

import { join } from 'node:path';
import type { Clock, Timer } from '../base/clock.ts';
import { GatewayError, messageOf, systemCodeOf } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import type { Result } from '../protocol/messages.ts';
import { OpenResult } from './open-result.ts';
import { type KeptResult, type Manifest, type PartFacts, sizeText, uriOf } from './part-facts.ts';
import { onlyText, planParts, type ResultPlan } from './plan-parts.ts';
import { isResultId, partFile, ResultFiles } from './result-files.ts';
import type { ResultView } from './result-view.ts';
import { isSameJson } from './same-json.ts';
import { type ResultAnswer, viewResult } from './view-result.ts';
import { writePart } from './write-part.ts';

/** A start does not wait for a look at what an earlier run has left; it comes a little later. */
const firstLookMs = 10_000;
const minuteMs = 60_000;

export interface ShelfOptions {
  /** `kept` in here is the shelf's own. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Read when they are needed, because the config may change. */
  readonly settings: () => ShelfSettings;
}

/** The members of `calls` in the config that have to do with large results. */
export interface ShelfSettings {
  readonly maxResultBytes: number;
  readonly resultTtlMinutes: number;
  readonly resultStoreBytes: number;
}

export interface ResultOwner {
  /** The id of a principal. */
  readonly principal: string;
  readonly toolKey: string;
}

/** There is no such result for this principal: it never was, its time is over, or it is somebody else's. */
export class NoSuchResultError extends GatewayError {
  constructor(id: string) {
    super('ARGUMENTS_INVALID', `There is no result ${JSON.stringify(id.slice(0, 40))}, or not any more.`, {
      hint: 'Call the tool again: its result is kept anew.',
    });
  }
}

interface Held {
  readonly bytes: number;
  readonly expiresAt: number;
}

export class ResultShelf {
  readonly #options: ShelfOptions;
  readonly #files: ResultFiles;
  /** By id, the oldest first. */
  readonly #held = new Map<string, Held>();
  /** Bytes of all that are held, and of those that are about to be. */
  #bytes = 0;
  #reserved = 0;
  #loading: Promise<void> | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: ShelfOptions) {
    this.#options = options;
    this.#files = new ResultFiles(options.folder);
  }

  open(): void {
    this.#timer = this.#options.clock.after(firstLookMs, () => void this.#load().catch((error) => this.#warn(error)));
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** Throws TOO_LARGE where it can never be kept, STORE_BROKEN where the disk does not take it; nothing is left then. */
  async keep(result: Result, owner: ResultOwner): Promise<KeptResult> {
    const id = randomId();
    try {
      await this.#load();
      const limit = this.#options.settings().resultStoreBytes;
      return await this.#write(id, result, owner, limit);
    } catch (error) {
      // What cannot be removed now is removed at the next start.
      await this.#files.abandon(id).catch((failure) => this.#warn(failure));
      throw error instanceof GatewayError ? error : broken(error);
    }
  }

  /** Throws NoSuchResultError, or ARGUMENTS_INVALID for a view that the result does not have. */
  async read(id: string, principal: string, view: ResultView): Promise<ResultAnswer> {
    if (!isResultId(id)) throw new NoSuchResultError(id);
    try {
      const manifest = await this.#files.readManifest(id);
      if (!manifest || manifest.principal !== principal || manifest.expiresAt <= this.#options.clock.now())
        throw new NoSuchResultError(id);
      const opened = new OpenResult(manifest, this.#files, this.#options.settings().maxResultBytes);
      return await viewResult(opened, view);
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      // It went while it was read.
      if (systemCodeOf(error) === 'ENOENT') throw new NoSuchResultError(id);
      throw broken(error);
    }
  }

  async #write(id: string, result: Result, owner: ResultOwner, limit: number): Promise<KeptResult> {
    const text = result.structuredContent === undefined ? undefined : onlyText(result);
    const isSame = text !== undefined && (await isSameJson(text, result.structuredContent));
    const plan = planParts(result, isSame);
    const folder = await this.#files.begin(id);
    const { facts, heads, bytes } = await writeParts(plan, folder, limit);
    const madeAt = this.#options.clock.now();
    const expiresAt = madeAt + this.#options.settings().resultTtlMinutes * minuteMs;
    const isError = result.isError === true;
    const manifest: Manifest = { id, ...owner, madeAt, expiresAt, isError, bytes, parts: facts };
    // Others that are being kept at the same time count as well.
    this.#reserved += bytes;
    try {
      await this.#makeRoom();
      if (this.#isClosed) throw new GatewayError('STORE_BROKEN', 'The gateway is closing; the result is not kept.');
      await this.#files.finish(manifest, plan.frame);
      this.#put(manifest);
    } finally {
      this.#reserved -= bytes;
    }
    // Several at once may have found too little to remove.
    await this.#makeRoom();
    this.#arm();
    return { ...manifest, heads, uri: uriOf(id) };
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
    for (const manifest of manifests) this.#put(manifest);
    await this.#removeExpired();
    await this.#makeRoom();
    this.#arm();
  }

  #put({ id, bytes, expiresAt }: Manifest): void {
    this.#held.set(id, { bytes, expiresAt });
    this.#bytes += bytes;
  }

  /** Looked at anew after each removal, because others keep results and make room meanwhile. */
  async #makeRoom(): Promise<void> {
    for (const id of this.#held.keys()) {
      if (this.#bytes + this.#reserved <= this.#options.settings().resultStoreBytes) return;
      await this.#remove(id);
    }
  }

  async #removeExpired(): Promise<void> {
    const now = this.#options.clock.now();
    for (const [id, { expiresAt }] of this.#held) if (expiresAt <= now) await this.#remove(id);
  }

  async #remove(id: string): Promise<void> {
    this.#bytes -= this.#held.get(id)?.bytes ?? 0;
    this.#held.delete(id);
    await this.#files.remove(id).catch((error) => this.#warn(error));
  }

  /** One timer, for the one that expires next. */
  #arm(): void {
    this.#timer?.cancel();
    if (this.#isClosed || this.#held.size === 0) return;
    const next = Math.min(...[...this.#held.values()].map(({ expiresAt }) => expiresAt));
    const waitMs = Math.max(1_000, next - this.#options.clock.now());
    this.#timer = this.#options.clock.after(waitMs, () => void this.#removeExpired().then(() => this.#arm()));
  }

  #warn(error: unknown): void {
    this.#options.log.warn('The folder of kept results is in trouble.', { error: messageOf(error) });
  }
}

async function writeParts(plan: ResultPlan, folder: string, limit: number) {
  const facts: PartFacts[] = [];
  const heads: string[] = [];
  let bytes = 0;
  const onGrow = (more: number) => {
    bytes += more;
    checkSize(bytes, limit);
  };
  for (const [at, part] of plan.parts.entries()) {
    const written = await writePart(part, join(folder, partFile(at + 1)), onGrow);
    facts.push(written.facts);
    heads.push(written.head);
  }
  return { facts, heads, bytes: facts.reduce((sum, part) => sum + part.bytes, 0) };
}

function checkSize(bytes: number, limit: number): void {
  if (bytes <= limit) return;
  throw new GatewayError(
    'TOO_LARGE',
    `The result is larger than all kept results may be together (${sizeText(limit)}).`,
    {
      hint: 'Ask for less at a time, or let the owner raise calls.resultStoreBytes.',
      data: { limit },
    },
  );
}

function broken(error: unknown): GatewayError {
  const code = systemCodeOf(error);
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const why = isFull ? 'the disk is full' : `the disk refused it (${code ?? messageOf(error)})`;
  return new GatewayError('STORE_BROKEN', `The large result could not be kept or read: ${why}.`, {
    hint: 'Make room in the data folder, or ask for less at a time.',
    cause: error,
    data: { reason: 'shelf', systemCode: code ?? null },
  });
}
