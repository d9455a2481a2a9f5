/** Events of the gateway as they happen, each with a kind and an id; the newest are kept, so that a reader that lost its connection can go on. */

import type { Principal } from '../access/access.ts';
import { abortable, type Clock, type Timer } from '../base/clock.ts';
import { randomId } from '../base/ids.ts';
import type { JsonObject } from '../base/json.ts';
import { Signal } from '../base/signal.ts';
import type { EventFeed, FeedEvent } from '../door/door.ts';
import type { EventData, EventKind, GatewayEvent } from './live-events.ts';

interface KeptEvent extends FeedEvent {
  readonly number: number;
  readonly isFor: (principal: Principal) => boolean;
}

/** `isFor`: who may know it; left out, the owner alone. */
export type PublishEvent = <K extends EventKind>(
  kind: K,
  data: EventData[K],
  isFor?: (principal: Principal) => boolean,
) => void;

interface EventHubOptions {
  readonly clock: Clock;
  /** Begins to publish; returns the function that ends it. */
  readonly watch: (publish: PublishEvent) => () => void;
}

/** Older events are forgotten. */
const mostKept = 2_000;
/** How long events are kept for a reader that lost its connection, when nobody else reads. */
export const lingerMs = 60_000;

const isOwner = ({ scopes }: Principal) => scopes.has('admin');

/** While nobody reads, nothing is watched: a gateway that nobody looks at pays nothing. */
export class EventHub implements EventFeed {
  readonly #options: EventHubOptions;
  /** New whenever watching begins, because numbers then restart at 1. */
  #run = '';
  #kept: KeptEvent[] = [];
  #last = 0;
  #revisions: Record<string, string> = {};
  readonly #published = new Signal<KeptEvent>();
  #stopWatching: (() => void) | undefined;
  #linger: Timer | undefined;

  constructor(options: EventHubOptions) {
    this.#options = options;
  }

  close(): void {
    this.#linger?.cancel();
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }

  /** What a view of the state begins with: the last event, and the last one of each topic. Events are kept from here on. */
  mark(): { readonly id: string; readonly revisions: Readonly<Record<string, string>> } {
    this.#wake();
    if (this.#published.size === 0) this.#restLater();
    return { id: this.#idOf(this.#last), revisions: this.#revisions };
  }

  follow({ after, principal, onEvent }: Parameters<EventFeed['follow']>[0]): () => void {
    this.#wake();
    const tell = (event: KeptEvent) => {
      const reader = principal();
      if (reader && event.isFor(reader)) onEvent({ id: event.id, kind: event.kind, data: event.data });
    };
    const missed = this.#after(after);
    if (missed) for (const event of missed) tell(event);
    else onEvent({ id: this.#idOf(this.#last), kind: 'begin', data: {} });
    const stop = this.#published.on(tell);
    return () => {
      stop();
      if (this.#published.size === 0 && this.#stopWatching) this.#restLater();
    };
  }

  /** The same, one by one. Ends by throwing when the signal aborts. */
  async *read(principal: Principal, signal: AbortSignal, after?: string): AsyncGenerator<GatewayEvent> {
    const waiting: GatewayEvent[] = [];
    let wake = () => {};
    const onEvent = (event: FeedEvent) => {
      waiting.push(event as unknown as GatewayEvent); // they come from here
      wake();
    };
    const stop = this.follow({ after, principal: () => principal, onEvent });
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

  #wake(): void {
    this.#linger?.cancel();
    this.#linger = undefined;
    if (this.#stopWatching) return;
    this.#run = randomId();
    this.#kept = [];
    this.#last = 0;
    this.#revisions = {};
    this.#stopWatching = this.#options.watch((...event) => this.#publish(...event));
  }

  #restLater(): void {
    this.#linger?.cancel();
    this.#linger = this.#options.clock.after(lingerMs, () => this.close());
  }

  #publish(...[kind, data, isFor = isOwner]: Parameters<PublishEvent>): void {
    this.#last += 1;
    const id = this.#idOf(this.#last);
    if ('topic' in data) this.#revisions = { ...this.#revisions, [data.topic]: id };
    // Each is an object of plain members, which its type does not say.
    const event = { id, number: this.#last, kind, data: data as unknown as JsonObject, isFor };
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
