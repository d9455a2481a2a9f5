/** The eras that one server speaks: kept in the store, so that no start has to find them out again. */

import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { limits, type ServerSpec } from '../config/config.ts';
import type { Era } from '../protocol/eras.ts';
import type { EraVerdict, VerdictStore } from '../store/store.ts';

export class EraMemory {
  readonly #key: string;
  readonly #store: VerdictStore;
  readonly #clock: Clock;
  readonly #log: Log;
  #verdict: EraVerdict | undefined;

  constructor(spec: ServerSpec, store: VerdictStore, clock: Clock, log: Log) {
    this.#key = sourceOf(spec);
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** The agent's own era where the server speaks it, else the other; `probe` while nothing is known. */
  async choose(wanted: Era): Promise<Era | 'probe'> {
    const verdict = this.#verdict ?? (await this.#load());
    if (!verdict) return 'probe';
    if (!verdict.modern) return 'legacy';
    return wanted === 'legacy' && verdict.legacy !== false ? 'legacy' : 'modern';
  }

  /** Read once; a verdict that has grown old is not believed at a start, but stays for a server that is in use. */
  async #load(): Promise<EraVerdict | undefined> {
    // A verdict that cannot be read costs a probe, no more.
    const verdict = await this.#store.findVerdict(this.#key).catch((error) => {
      this.#log.warn('An era verdict could not be read', { error });
      return undefined;
    });
    const isFresh = verdict !== undefined && this.#clock.now() - verdict.decidedAt < limits.eraVerdictTtlMs;
    this.#verdict = isFresh ? verdict : undefined;
    return this.#verdict;
  }

  /** True if it has answered before, as far as that was looked up. */
  get isKnown(): boolean {
    return this.#verdict !== undefined;
  }

  get isModern(): boolean {
    return this.#verdict?.modern === true;
  }

  /** A probe found this era. */
  probed(era: Era): Promise<void> {
    return this.#save(era === 'modern', era === 'legacy' ? true : null);
  }

  /** A modern server was asked to speak legacy, and did or did not. */
  async triedLegacy(isSpoken: boolean): Promise<void> {
    if (this.#verdict?.modern && this.#verdict.legacy !== isSpoken) await this.#save(true, isSpoken);
  }

  async forget(): Promise<void> {
    this.#verdict = undefined;
    await this.#store.removeVerdict(this.#key).catch(() => {});
  }

  async #save(modern: boolean, legacy: boolean | null): Promise<void> {
    const verdict = { key: this.#key, modern, legacy, discover: null, decidedAt: this.#clock.now() };
    this.#verdict = verdict;
    // A verdict that cannot be kept costs a probe at the next start, no more.
    await this.#store
      .saveVerdict(verdict)
      .catch((error) => this.#log.warn('An era verdict could not be kept', { error }));
  }
}

/**
 * Identifies a server by its place, not its name: one that was moved is another. Values of its environment, headers and
 * secrets are no part of it: one whose key was changed is still the same, with all that was decided about it.
 */
export function sourceOf({ transport: used, identity }: Pick<ServerSpec, 'transport' | 'identity'>): string {
  const transport = identity ?? used;
  const place =
    transport.kind === 'stdio'
      ? [transport.command, transport.args, transport.cwd]
      : [URL.parse(transport.url)?.href ?? transport.url];
  return digestOf([transport.kind === 'stdio' ? 'command' : 'url', ...place]);
}

/** True if a kept source belongs to a server; earlier versions knew a server by all of its transport. */
export function isFrom(source: string, spec: Pick<ServerSpec, 'transport' | 'identity'>): boolean {
  return source === sourceOf(spec) || source === digestOf(spec.transport);
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
