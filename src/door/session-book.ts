/** All legacy sessions: found by id, capped in number, ended when idle. */

import type { Clock, Timer } from '../base/clock.ts';
import { limits } from '../config/config.ts';
import { rpcCodes } from '../protocol/messages.ts';
import type { LegacySession } from './legacy-session.ts';
import { HttpError } from './read-request.ts';

export interface SessionBookOptions {
  readonly clock: Clock;
  /** Sessions of everybody together, and of one principal. */
  readonly most: () => number;
  readonly mostEach: () => number;
  readonly onEnd: (id: string) => void;
}

export class SessionBook {
  readonly #options: SessionBookOptions;
  readonly #sessions = new Map<string, LegacySession>();
  #timer: Timer | undefined;

  constructor(options: SessionBookOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  find(id: string): LegacySession | undefined {
    return this.#sessions.get(id);
  }

  /**
   * Where a principal has all that it may have, one of its own makes room, and where the book is full anybody's: the one
   * that has been quiet longest. If all are busy, no new one is made.
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

  /** Ends the sessions of those who may not be here any more, and of the others what is done on their behalf. */
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
