/** Events that somebody can cause as often as they like: of each of them the first at once, and the others as one record a minute. */

import type { Clock, Timer } from '../base/clock.ts';
import type { AuditEvent } from './audit-event.ts';

const minuteMs = 60_000;
/** Events that are distinguished in one minute; of those beyond, each action is counted as one. */
const mostKeys = 1_000;
const others = { id: 'others', name: 'others' };

interface Count {
  readonly event: AuditEvent;
  /** How many are still to be recorded. */
  left: number;
}

export class RepeatedEvents {
  readonly #clock: Clock;
  readonly #record: (event: AuditEvent) => Promise<void>;
  #counts = new Map<string, Count>();
  #timer: Timer | undefined;

  constructor(clock: Clock, record: (event: AuditEvent) => Promise<void>) {
    this.#clock = clock;
    this.#record = record;
  }

  /** Resolves when its record is committed. `by`: whose events of this action are counted as one. */
  async note(event: AuditEvent, by: string): Promise<void> {
    this.#timer ??= this.#clock.after(minuteMs, () => this.tell());
    const key = JSON.stringify([event.action, by]);
    const known = this.#counts.get(key);
    if (known) {
      known.left += 1;
      return;
    }
    if (this.#counts.size >= mostKeys) return this.#noteOther(event);
    this.#counts.set(key, { event, left: 0 });
    await this.#record(withCount(event, 1));
  }

  /** Writes down what was counted so far; to be called at the end. */
  tell(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const counts = this.#counts;
    this.#counts = new Map();
    // Many requests caused these, none of them alone.
    for (const { event, left } of counts.values())
      if (left > 0) void this.#record({ ...withCount(event, left), requestId: null });
  }

  /** There are as many of these as there are actions, which are ours. */
  #noteOther({ kind, action, outcome, errorType }: AuditEvent): void {
    const known = this.#counts.get(action);
    if (known) known.left += 1;
    else this.#counts.set(action, { event: { kind, action, principal: others, outcome, errorType }, left: 1 });
  }
}

function withCount(event: AuditEvent, count: number): AuditEvent {
  return { ...event, detail: { ...event.detail, count } };
}
