/** All legacy sessions: found by id, capped in number, ended when idle. */

import type { Clock, Timer } from '../base/clock.ts';
import { limits } from '../config/config.ts';
import { rpcCodes } from '../protocol/messages.ts';
import type { LegacySession } from './legacy-session.ts';
import { HttpError } from './read-request.ts';

export interface LegacySessionsOptions {
  readonly clock: Clock;
  /** Sessions of everybody together, and of one principal. */
  readonly most: () => number;
  readonly mostEach: () => number;
  readonly onEnd: (id: string) => void;
}

export class LegacySessions {
  readonly #options: LegacySessionsOptions;
  readonly #sessions = new Map<string, LegacySession>();
  #timer: Timer | undefined;

  constructor(options: LegacySessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  find(id: string): LegacySession | undefined {
    return this.#sessions.get(id);
  }

  /**
   * When a principal has no session left, its longest idle one ends; when the gateway has none left, the longest idle of
   * all. If all are busy, throws.
   */
  add(owner: string, make: () => LegacySession): LegacySession {
    const own = [...this.#sessions.values()].filter((session) => session.owner.id === owner);
    const mostEach = this.#options.mostEach();
    if (own.length >= mostEach && !this.#endQuietest(own))
      throw full(429, `This token has ${own.length} sessions open; ${mostEach} are allowed.`);
    if (this.#sessions.size >= this.#options.most() && !this.#endQuietest([...this.#sessions.values()]))
      throw full(503, 'Too many sessions are open.');
    const session = make();
    this.#sessions.set(session.id, session);
    this.#timer ??= this.#options.clock.after(limits.sessionIdleMs / 4, () => this.#sweep());
    return session;
  }

  /** False when all are busy. */
  #endQuietest(sessions: readonly LegacySession[]): boolean {
    const [idle] = sessions.filter((item) => !item.isBusy).sort((a, b) => a.lastSeen - b.lastSeen);
    if (idle) this.end(idle.id);
    return idle !== undefined;
  }

  /** Ends sessions whose owner lost its rights, and in the others the work of principals that did. */
  review(): void {
    for (const session of this.#sessions.values()) {
      if (session.mayStay()) session.review();
      else this.end(session.id);
    }
  }

  end(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    session.end();
    this.#options.onEnd(id);
  }

  /** No agent that is away can come back in time any more. */
  abandonUnheard(): void {
    for (const session of this.#sessions.values()) session.abandonUnheard();
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = this.#options.clock.elapsed();
    for (const session of this.#sessions.values()) {
      if (!session.isBusy && now - session.lastSeen > limits.sessionIdleMs) this.end(session.id);
    }
    if (this.#sessions.size > 0) this.#timer = this.#options.clock.after(limits.sessionIdleMs / 4, () => this.#sweep());
  }

  close(): void {
    this.#timer?.cancel();
    for (const id of this.#sessions.keys()) this.end(id);
  }
}

function full(status: number, message: string): HttpError {
  return new HttpError(status, message, { headers: { 'retry-after': '30' }, rpcCode: rpcCodes.serverError });
}
