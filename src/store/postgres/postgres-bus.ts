/**
 * Tells the other gateways on one database that something was changed, in the transaction of the change, by PostgreSQL's own
 * notifications. While the connection is lost nothing is heard; when it is back, everything counts as changed.
 */

import { Client } from 'pg';
import { type Clock, sleep, type Timer } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { randomId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { StoreEvent } from '../record.ts';
import { lineOptions } from './postgres-dialect.ts';

interface BusOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly hear: (event: StoreEvent) => void;
}

/** Between two attempts to reconnect. */
const retryMs = 500;
/** How often the line is tried, and how long it has to answer. */
const beatMs = 10_000;

export class PostgresBus {
  readonly #options: BusOptions;
  /** So that a gateway does not hear itself. */
  readonly #name = randomId();
  readonly #closed = new AbortController();
  #client: Client | undefined;
  /** When the line last showed that it works, in monotonic time. */
  #heardAt = 0;
  #unheardSince: number | null = null;
  #next: Timer | undefined;

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
    await this.#client?.end().catch(() => {});
  }

  /** A statement for the transaction of the change: heard when that is committed. */
  tell(event: StoreEvent): readonly [sql: string, ...values: string[]] {
    return [`select pg_notify(${channel}, $1)`, JSON.stringify({ from: this.#name, event })];
  }

  async #connect(isAgain: boolean): Promise<void> {
    const client = new Client({ ...lineOptions, connectionString: this.#options.url, query_timeout: beatMs });
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    // Told again as the end.
    client.on('error', () => {});
    await client.connect();
    try {
      const { rows } = await client.query<{ channel: string }>(`select ${channel} as channel`);
      await client.query(`listen ${client.escapeIdentifier(rows[0]?.channel ?? '')}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    this.#client = client;
    client.on('end', () => this.#lose(client));
    this.#beat(client);
    // Of what was told while nobody listened.
    if (isAgain) for (const event of everything) this.#hear(event);
    this.#unheardSince = null;
  }

  /** A line that is cut without a word says nothing either; one that does not answer is closed, and made again. */
  #beat(client: Client): void {
    this.#heardAt = this.#options.clock.elapsed();
    this.#next = this.#options.clock.after(beatMs, () => {
      client.query('select 1').then(
        () => this.#closed.signal.aborted || this.#beat(client),
        () => this.#lose(client),
      );
    });
  }

  #lose(client: Client): void {
    // Told once: a line that did not answer may end much later.
    if (client !== this.#client) return;
    this.#client = undefined;
    this.#next?.cancel();
    this.#unheardSince ??= this.#heardAt;
    void client.end().catch(() => {});
    void this.#reconnect();
  }

  #receive(payload: string): void {
    // Everything that was told before it has come, too.
    this.#heardAt = this.#options.clock.elapsed();
    const { from, event } = JSON.parse(payload) as { from: string; event: StoreEvent };
    if (from !== this.#name) this.#hear(event);
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

/** One for each schema, in SQL. */
const channel = `'toolcrib ' || current_schema()`;
