/** Events of the gateway as they happen, each with a kind and an id; the newest are kept, so that a reader that lost its connection can go on. */

import type { Principal } from '../access/access.ts';
import { abortable } from '../base/clock.ts';
import { randomId } from '../base/ids.ts';
import type { JsonObject } from '../base/json.ts';
import { Signal } from '../base/signal.ts';
import type { EventFeed, FeedEvent } from '../door/door.ts';
import { knowsJobsOn, shownJob } from '../optimizer/optimizer.ts';
import type { AdminContext } from './operation.ts';

/** The kinds of events. `begin` comes first for a reader whose last event is unknown: the reader then fetches the state and reads on. */
export type EventKind = 'begin' | 'job';

export interface GatewayEvent extends FeedEvent {
  readonly kind: EventKind;
}

interface KeptEvent extends GatewayEvent {
  readonly number: number;
  readonly isFor: (principal: Principal) => boolean;
}

/** Older ones are forgotten. */
const mostKept = 1_000;

export class EventHub implements EventFeed {
  /** New at each start, because numbers then restart at 1. */
  readonly #run = randomId();
  #kept: KeptEvent[] = [];
  #last = 0;
  readonly #published = new Signal<KeptEvent>();
  readonly #stop: () => void;

  constructor({ catalog, optimizer }: Pick<AdminContext, 'catalog' | 'optimizer'>) {
    this.#stop = optimizer.jobs.changed.on((job) => {
      // The outcome may be long, and can be asked for.
      const { outcome: _, ...shown } = shownJob(job);
      const isFor = (principal: Principal) =>
        principal.scopes.has('optimize') && optimizer.jobs.isWithin(job, knowsJobsOn(catalog.snapshot, principal));
      this.#publish('job', shown, isFor);
    });
  }

  close(): void {
    this.#stop();
  }

  follow({ after, principal, onEvent }: Parameters<EventFeed['follow']>[0]): () => void {
    const tell = (event: KeptEvent) => {
      const reader = principal();
      if (reader && event.isFor(reader)) onEvent({ id: event.id, kind: event.kind, data: event.data });
    };
    const missed = this.#after(after);
    if (missed) for (const event of missed) tell(event);
    else onEvent({ id: this.#idOf(this.#last), kind: 'begin', data: {} });
    return this.#published.on(tell);
  }

  /** The same, one by one. Ends by throwing when the signal aborts. */
  async *read(principal: Principal, signal: AbortSignal): AsyncGenerator<GatewayEvent> {
    const waiting: GatewayEvent[] = [];
    let wake = () => {};
    const onEvent = (event: FeedEvent) => {
      waiting.push(event as GatewayEvent); // they come from here
      wake();
    };
    const stop = this.follow({ after: undefined, principal: () => principal, onEvent });
    try {
      for (;;) {
        const next = waiting.shift();
        if (next) yield next;
        else
          await abortable(
            new Promise<void>((resolve) => {
              wake = resolve;
            }),
            signal,
          );
      }
    } finally {
      stop();
    }
  }

  #publish(kind: EventKind, data: JsonObject, isFor: KeptEvent['isFor']): void {
    this.#last += 1;
    const event = { id: this.#idOf(this.#last), number: this.#last, kind, data, isFor };
    this.#kept.push(event);
    if (this.#kept.length > 2 * mostKept) this.#kept = this.#kept.slice(-mostKept);
    this.#published.emit(event);
  }

  /** Undefined where there may have been others that are not kept. */
  #after(id: string | undefined): readonly KeptEvent[] | undefined {
    const [run, number] = id?.split('.') ?? [];
    const last = Number(number);
    if (run !== this.#run || !Number.isSafeInteger(last) || last > this.#last) return undefined;
    const first = this.#kept[0]?.number ?? this.#last + 1;
    return last < first - 1 ? undefined : this.#kept.filter((event) => event.number > last);
  }

  #idOf(number: number): string {
    return `${this.#run}.${number}`;
  }
}
