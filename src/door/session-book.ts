/** All legacy sessions: found by id, capped in number, ended when idle. */

import type { Clock, Timer } from '../base/clock.ts';
import { limits } from '../config/config.ts';
import { rpcCodes } from '../protocol/messages.ts';
import type { LegacySession } from './legacy-session.ts';
import { HttpError } from './read-request.ts';

export class SessionBook {
  readonly #clock: Clock;
  readonly #maxSessions: () => number;
  readonly #onEnd: (id: string) => void;
  readonly #sessions = new Map<string, LegacySession>();
  #timer: Timer | undefined;

  constructor(clock: Clock, maxSessions: () => number, onEnd: (id: string) => void) {
    this.#clock = clock;
    this.#maxSessions = maxSessions;
    this.#onEnd = onEnd;
  }

  get size(): number {
    return this.#sessions.size;
  }

  find(id: string): LegacySession | undefined {
    return this.#sessions.get(id);
  }

  /** Where the book is full, the session that has been quiet longest makes room; if all are busy, no new one is made. */
  add(make: () => LegacySession): LegacySession {
    if (this.#sessions.size >= this.#maxSessions()) {
      const idle = [...this.#sessions.values()]
        .filter((item) => !item.isBusy)
        .sort((a, b) => a.lastSeen - b.lastSeen)[0];
      if (!idle) {
        throw new HttpError(503, 'Too many sessions are open.', {
          headers: { 'retry-after': '30' },
          rpcCode: rpcCodes.serverError,
        });
      }
      this.end(idle.id);
    }
    const session = make();
    this.#sessions.set(session.id, session);
    this.#timer ??= this.#clock.after(limits.sessionIdleMs / 4, () => this.#sweep());
    return session;
  }

  end(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    session.end();
    this.#onEnd(id);
  }

  /** No agent that is away can come back in time any more. */
  abandonUnheard(): void {
    for (const session of this.#sessions.values()) session.abandonUnheard();
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = this.#clock.elapsed();
    for (const session of this.#sessions.values()) {
      if (!session.isBusy && now - session.lastSeen > limits.sessionIdleMs) this.end(session.id);
    }
    if (this.#sessions.size > 0) this.#timer = this.#clock.after(limits.sessionIdleMs / 4, () => this.#sweep());
  }

  close(): void {
    this.#timer?.cancel();
    for (const id of this.#sessions.keys()) this.end(id);
  }
}
