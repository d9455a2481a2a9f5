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
  /** Counts shared events only. The number of all events would tell readers other than the owner how busy the gateway is. */
  readonly shared: number;
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
  /** Begins to publish. */
  readonly watch: (publish: PublishEvent) => EventWatch;
}

export interface EventWatch {
  /** A reader fetches the state now: forget what was already told, so that later changes are told again. */
  forget(): void;
  stop(): void;
}

/** Events that a reader may have missed; beyond it fetching the state is less work for both. Up to twice as many are kept. */
const mostMissed = 500;
/** How long events are kept for a reader that lost its connection, when nobody else reads. */
export const lingerMs = 60_000;

/** Marks ids that count shared events alone. */
const sharedMark = 's';

const isOwner = ({ scopes }: Principal) => scopes.has('admin');

/** While nobody reads, nothing is watched: a gateway that nobody looks at pays nothing. */
export class EventHub implements EventFeed {
  readonly #options: EventHubOptions;
  /** New whenever watching begins, because numbers then restart at 1. */
  #run = '';
  #kept: KeptEvent[] = [];
  #last = 0;
  #shared = 0;
  #revisions: Record<string, string> = {};
  readonly #published = new Signal<KeptEvent>();
  #watch: EventWatch | undefined;
  #linger: Timer | undefined;

  constructor(options: EventHubOptions) {
    this.#options = options;
  }

  close(): void {
    this.#linger?.cancel();
    this.#watch?.stop();
    this.#watch = undefined;
  }

  /** The beginning of a view of the state: the last event, and the last one of each topic. Events are kept from here on. */
  mark(): { readonly id: string; readonly revisions: Readonly<Record<string, string>> } {
    this.#wake().forget();
    if (this.#published.size === 0) this.#restLater();
    return { id: this.#idOf(this.#last), revisions: this.#revisions };
  }

  follow({ after, principal, onEvent }: Parameters<EventFeed['follow']>[0]): () => void {
    this.#wake();
    const tell = (event: KeptEvent) => {
      const reader = principal();
      if (!reader || !event.isFor(reader)) return;
      const id = isOwner(reader) ? event.id : this.#idOf(event.shared, sharedMark);
      onEvent({ id, kind: event.kind, data: event.data });
    };
    const missed = this.#after(after);
    if (missed) for (const event of missed) tell(event);
    else onEvent({ id: this.#beginningFor(principal()), kind: 'begin', data: {} });
    const stop = this.#published.on(tell);
    return () => {
      stop();
      if (this.#published.size === 0 && this.#watch) this.#restLater();
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

  #wake(): EventWatch {
    this.#linger?.cancel();
    this.#linger = undefined;
    if (this.#watch) return this.#watch;
    this.#run = randomId();
    this.#kept = [];
    this.#last = 0;
    this.#shared = 0;
    this.#revisions = {};
    this.#watch = this.#options.watch((...event) => this.#publish(...event));
    return this.#watch;
  }

  #restLater(): void {
    this.#linger?.cancel();
    this.#linger = this.#options.clock.after(lingerMs, () => this.close());
  }

  #publish(...[kind, data, isFor = isOwner]: Parameters<PublishEvent>): void {
    this.#last += 1;
    if (isFor !== isOwner) this.#shared += 1;
    const id = this.#idOf(this.#last);
    if ('topic' in data) this.#revisions = { ...this.#revisions, [data.topic]: id };
    // Each is an object of plain members, which its type does not say.
    const event = { id, number: this.#last, shared: this.#shared, kind, data: data as unknown as JsonObject, isFor };
    this.#kept.push(event);
    if (this.#kept.length > 2 * mostMissed) this.#kept = this.#kept.slice(-mostMissed);
    this.#published.emit(event);
  }

  /** Undefined where there may have been others that are not kept. */
  #after(id: string | undefined): readonly KeptEvent[] | undefined {
    const [run, number = ''] = id?.split('.') ?? [];
    const last = number.startsWith(sharedMark) ? this.#lastWith(Number(number.slice(1))) : Number(number);
    if (run !== this.#run || !Number.isSafeInteger(last) || last > this.#last) return undefined;
    if (last < this.#last - Math.min(mostMissed, this.#kept.length)) return undefined;
    return this.#kept.filter((event) => event.number > last);
  }

  /** The number of the last event up to which there were so many shared ones; NaN where it is not kept. */
  #lastWith(shared: number): number {
    if (shared === this.#shared) return this.#last;
    return this.#kept.findLast((event) => event.shared === shared)?.number ?? Number.NaN;
  }

  #beginningFor(reader: Principal | undefined): string {
    return reader && isOwner(reader) ? this.#idOf(this.#last) : this.#idOf(this.#shared, sharedMark);
  }

  #idOf(number: number, mark = ''): string {
    return `${this.#run}.${mark}${number}`;
  }
}
