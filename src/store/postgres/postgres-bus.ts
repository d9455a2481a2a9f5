/**
 * Tells the other gateways on one database that something was changed, in the transaction of the change, by PostgreSQL's own
 * notifications. While the connection is lost nothing is heard; when it is back, everything counts as changed.
 */

import { z } from 'zod';
import { type Clock, sleep, type Timer } from '../../base/clock.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import { randomId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { StoreEvent } from '../record.ts';
import { StoreClient } from './postgres-pool.ts';

interface BusOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly hear: (event: StoreEvent) => void;
}

/** The connection that hears of changes. */
interface Listener {
  readonly client: StoreClient;
  /** A channel of its own, for its checks: no other gateway of any version hears them. */
  readonly checkChannel: string;
  /** Called when a notification comes on it. */
  onReceived: () => void;
}

/** Between two attempts to reconnect. */
const retryMs = 500;
/** How often the listener is checked, and how long it has to answer and to hear. */
export const listenerCheckMs = 10_000;

export class PostgresBus {
  readonly #options: BusOptions;
  /** So that a gateway does not hear itself. */
  #name = randomId();
  readonly #closed = new AbortController();
  #listener: Listener | undefined;
  /** When the listener last showed that it works, in monotonic time. */
  #heardAt = 0;
  #unheardSince: number | null = null;
  #next: Timer | undefined;
  /** Of a notification that cannot be read: told once, because there may be any number. */
  #hasWarned = false;

  constructor(options: BusOptions) {
    this.#options = options;
  }

  /** Resolves once it hears. */
  async open(): Promise<void> {
    await this.#connect(false);
  }

  /** Since when something may have been told that was not heard, in monotonic time; null: everything was. */
  get unheardSince(): number | null {
    return this.#unheardSince;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#next?.cancel();
    await this.#listener?.client.end().catch(() => {});
  }

  /** Ends `close` on a line that is silent. */
  cut(): void {
    this.#listener?.client.cut();
  }

  /** A statement for the transaction of the change: heard when that is committed. */
  tell(event: StoreEvent): readonly [sql: string, ...values: string[]] {
    return [`select pg_notify(${channel}, $1)`, JSON.stringify({ from: this.#name, event })];
  }

  /**
   * These were told in a transaction whose commit was not answered. They are heard as if another gateway had told them: now, because
   * it may be done, and when their notifications come, because it may be done later.
   */
  doubt(events: readonly StoreEvent[]): void {
    // Those that are under way have the name from before, which is nobody's from here on.
    this.#name = randomId();
    for (const event of events) this.#hear(event);
  }

  async #connect(isAgain: boolean): Promise<void> {
    const client = this.#createClient();
    const listener: Listener = { client, checkChannel: `toolcrib ${randomId()}`, onReceived() {} };
    client.on('notification', ({ channel: on, payload }) => {
      if (on === listener.checkChannel) listener.onReceived();
      else this.#receive(payload ?? '');
    });
    await client.connect();
    try {
      const { rows } = await client.query<{ channel: string }>(`select ${channel} as channel`);
      for (const one of [listener.checkChannel, rows[0]?.channel ?? ''])
        await client.query(`listen ${client.escapeIdentifier(one)}`);
      await this.#awaitNotification(listener, () => this.#tellFromOutside(listener));
    } catch (error) {
      client.cut();
      throw error;
    }
    this.#listener = listener;
    client.on('end', () => this.#lose(listener));
    this.#scheduleCheck(listener);
    // Of what was told while nobody listened.
    if (isAgain) for (const event of everything) this.#hear(event);
    this.#unheardSince = null;
  }

  #createClient(): StoreClient {
    return new StoreClient({ connectionString: this.#options.url, query_timeout: listenerCheckMs });
  }

  /** On another connection: a pooler may show a listener what it told itself, and nothing else. One of its own, because others may all be in use. */
  async #tellFromOutside({ checkChannel }: Listener): Promise<void> {
    const client = this.#createClient();
    await client.connect();
    try {
      await client.query(notifySql, [checkChannel]);
    } finally {
      client.cut();
    }
  }

  /**
   * A connection that is cut without a word says nothing either, and one behind a pooler may answer and hear nothing. Notifications
   * come in the order of their commits, so a check that has come proves that everything told before it has come, too.
   */
  #scheduleCheck(listener: Listener): void {
    this.#heardAt = this.#options.clock.elapsed();
    this.#next = this.#options.clock.after(listenerCheckMs, () => {
      this.#awaitNotification(listener, () => listener.client.query(notifySql, [listener.checkChannel])).then(
        () => this.#closed.signal.aborted || this.#scheduleCheck(listener),
        () => this.#lose(listener),
      );
    });
  }

  /** Resolves once the listener hears what `tell` notifies it of. */
  async #awaitNotification(listener: Listener, tell: () => Promise<unknown>): Promise<void> {
    const notified = Promise.withResolvers<void>();
    listener.onReceived = notified.resolve;
    await tell();
    const late = this.#options.clock.after(listenerCheckMs, () => notified.reject(notificationsLost()));
    const ended = () => notified.reject(new Error('The connection has ended.'));
    listener.client.once('end', ended);
    try {
      await notified.promise;
    } finally {
      late.cancel();
      listener.client.off('end', ended);
    }
  }

  #lose(listener: Listener): void {
    // Told once: a connection that did not answer may end much later.
    if (listener !== this.#listener) return;
    this.#listener = undefined;
    this.#next?.cancel();
    this.#unheardSince ??= this.#heardAt;
    listener.client.cut();
    void this.#reconnect();
  }

  #receive(payload: string): void {
    // Everything that was told before it has come, too.
    this.#heardAt = this.#options.clock.elapsed();
    try {
      const { from, event } = toldSchema.parse(JSON.parse(payload));
      if (from !== this.#name) this.#hear(event);
    } catch (error) {
      // Every user of the database can tell something on the channel, and so can another version of Toolcrib.
      if (!this.#hasWarned)
        this.#options.log.warn('Ignored a notification of the store that is not of this version.', {
          error: messageOf(error),
        });
      this.#hasWarned = true;
    }
  }

  #hear(event: StoreEvent): void {
    this.#options.hear({ ...event, isOthers: true });
  }

  async #reconnect(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#closed;
    if (!signal.aborted) log.warn('Lost the connection to the store: changes by other gateways go unnoticed.');
    while (!signal.aborted) {
      try {
        await sleep(clock, retryMs, signal);
        await this.#connect(true);
        if (signal.aborted) return await this.close();
        log.info('The connection to the store is back: changes by other gateways are noticed.');
        return;
      } catch (error) {
        if (!signal.aborted) log.debug('The store cannot be reached yet.', { error: messageOf(error) });
      }
    }
  }
}

const toldSchema = z.object({
  from: z.string(),
  event: z.discriminatedUnion('type', [
    z.object({ type: z.enum(['servers', 'access', 'approvals', 'browsers', 'records']) }),
    z.object({ type: z.literal('promotions'), server: z.string().optional() }),
    z.object({ type: z.literal('catalog'), server: z.string().nullable() }),
    z.object({ type: z.literal('jobs'), id: z.string().nullable() }),
    z.object({ type: z.literal('secrets'), prefix: z.string() }),
  ]),
});

/** One event of each kind, about all that there is. */
const everything: readonly StoreEvent[] = [
  { type: 'servers' },
  { type: 'access' },
  { type: 'approvals' },
  { type: 'browsers' },
  { type: 'promotions' },
  { type: 'records' },
  { type: 'catalog', server: null },
  { type: 'jobs', id: null },
  { type: 'secrets', prefix: '' },
];

function notificationsLost(): GatewayError {
  return new GatewayError(
    'STORE_BROKEN',
    'PostgreSQL answers, but its notifications do not arrive: a connection pooler in transaction mode loses them.',
    { hint: 'Connect directly to PostgreSQL, or to a pooler in session mode: change "store.url".' },
  );
}

const notifySql = "select pg_notify($1, '')";

/** One for each schema, in SQL. */
const channel = `'toolcrib ' || current_schema()`;
