/** Which agents were at the doors lately, for the owner alone: in memory, bounded, and gone with the gateway. */

import type { Principal } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import { Signal } from '../base/signal.ts';

/** One session of the legacy era, or one program of a principal in the modern era, which has no sessions. */
export interface SeenAgent {
  readonly principal: Principal;
  readonly era: 'legacy' | 'modern';
  /** The program as it names itself. */
  readonly client: string | undefined;
  /** Which door: its kind and, where it has one, its name. */
  readonly door: string;
  /** The surface that the address names. */
  readonly surface: string | null;
  readonly since: number;
  lastSeen: number;
  requests: number;
  /** True for a session that is open; the modern era has none. */
  isOpen: boolean;
}

export type Sighted = Pick<SeenAgent, 'principal' | 'era' | 'client' | 'door' | 'surface'>;

/** The ones that were seen last are kept. */
const mostSeen = 500;

export class SeenAgents {
  /** Told at every request: whoever listens gathers them. */
  readonly changed = new Signal<void>();
  readonly #clock: Clock;
  /** The one that was seen last comes last. */
  readonly #seen = new Map<string, SeenAgent>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `session`: the id of a session; left out, programs of the same name are one. */
  note(sighted: Sighted, session?: string): void {
    const { principal, client = '', door } = sighted;
    const key = session ?? `${principal.id} ${principal.project?.name ?? ''} ${door} ${sighted.surface} ${client}`;
    const now = this.#clock.now();
    const seen = this.#seen.get(key) ?? { ...sighted, since: now, lastSeen: now, requests: 0, isOpen: false };
    this.#seen.delete(key);
    seen.lastSeen = now;
    seen.requests += 1;
    seen.isOpen = session !== undefined;
    this.#seen.set(key, seen);
    if (this.#seen.size > mostSeen) this.#dropOldest();
    if (this.changed.size > 0) this.changed.emit();
  }

  /** A session has ended for good. */
  end(session: string): void {
    const seen = this.#seen.get(session);
    if (!seen) return;
    seen.isOpen = false;
    this.changed.emit();
  }

  /** The one that was seen last comes first. */
  list(): readonly SeenAgent[] {
    return [...this.#seen.values()].reverse();
  }

  #dropOldest(): void {
    const [oldest] = this.#seen.keys();
    if (oldest !== undefined) this.#seen.delete(oldest);
  }
}
