/**
 * Tells the other gateways on one database that something was changed, in the transaction of the change, by PostgreSQL's own
 * notifications. While the connection is lost nothing is heard; when it is back, everything counts as changed.
 */

import { Client } from 'pg';
import { type Clock, sleep, type Timer } from '../../base/clock.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import { randomId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { StoreEvent } from '../record.ts';
import { lineOptions } from './postgres-dialect.ts';

interface BusOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly hear: (event: StoreEvent) => void;
  /** Runs a statement on another connection. */
  readonly query: (sql: string, values: readonly string[]) => Promise<unknown>;
}

/** The connection that listens. */
interface Line {
  readonly client: Client;
  /** A channel of its own, for its beats: no other gateway of any version hears them. */
  readonly own: string;
  /** Called when a notification comes on it. */
  echoed: () => void;
}

/** Between two attempts to reconnect. */
const retryMs = 500;
/** How often the line is tried, and how long it has to answer and to hear. */
export const lineBeatMs = 10_000;

export class PostgresBus {
  readonly #options: BusOptions;
  /** So that a gateway does not hear itself. */
  readonly #name = randomId();
  readonly #closed = new AbortController();
  #line: Line | undefined;
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
    await this.#line?.client.end().catch(() => {});
  }

  /** A statement for the transaction of the change: heard when that is committed. */
  tell(event: StoreEvent): readonly [sql: string, ...values: string[]] {
    return [`select pg_notify(${channel}, $1)`, JSON.stringify({ from: this.#name, event })];
  }

  async #connect(isAgain: boolean): Promise<void> {
    const client = new Client({ ...lineOptions, connectionString: this.#options.url, query_timeout: lineBeatMs });
    const line: Line = { client, own: `toolcrib ${randomId()}`, echoed() {} };
    client.on('notification', ({ channel: on, payload }) => {
      if (on === line.own) line.echoed();
      else this.#receive(payload ?? '');
    });
    // Told again as the end.
    client.on('error', () => {});
    await client.connect();
    try {
      const { rows } = await client.query<{ channel: string }>(`select ${channel} as channel`);
      for (const one of [line.own, rows[0]?.channel ?? ''])
        await client.query(`listen ${client.escapeIdentifier(one)}`);
      // From another connection: a pooler may show a line what that line itself tells, and nothing else.
      await this.#awaitEcho(line, () => this.#options.query(beat, [line.own]));
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    this.#line = line;
    client.on('end', () => this.#lose(line));
    this.#beat(line);
    // Of what was told while nobody listened.
    if (isAgain) for (const event of everything) this.#hear(event);
    this.#unheardSince = null;
  }

  /**
   * A line that is cut without a word says nothing either, and one behind a pooler may answer and hear nothing. Notifications come in
   * the order of their commits, so a beat that has come proves that everything told before it has come, too.
   */
  #beat(line: Line): void {
    this.#heardAt = this.#options.clock.elapsed();
    this.#next = this.#options.clock.after(lineBeatMs, () => {
      this.#awaitEcho(line, () => line.client.query(beat, [line.own])).then(
        () => this.#closed.signal.aborted || this.#beat(line),
        () => this.#lose(line),
      );
    });
  }

  /** Resolves once the line hears what `tell` notifies it of. */
  async #awaitEcho(line: Line, tell: () => Promise<unknown>): Promise<void> {
    const echo = Promise.withResolvers<void>();
    line.echoed = echo.resolve;
    await tell();
    const late = this.#options.clock.after(lineBeatMs, () => echo.reject(deaf()));
    const ended = () => echo.reject(new Error('The connection has ended.'));
    line.client.once('end', ended);
    try {
      await echo.promise;
    } finally {
      late.cancel();
      line.client.off('end', ended);
    }
  }

  #lose(line: Line): void {
    // Told once: a line that did not answer may end much later.
    if (line !== this.#line) return;
    this.#line = undefined;
    this.#next?.cancel();
    this.#unheardSince ??= this.#heardAt;
    void line.client.end().catch(() => {});
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

function deaf(): GatewayError {
  return new GatewayError(
    'STORE_BROKEN',
    'PostgreSQL answers, but its notifications do not arrive: a connection pooler in transaction mode loses them.',
    { hint: 'Connect directly to PostgreSQL, or to a pooler in session mode: change "store.url".' },
  );
}

const beat = "select pg_notify($1, '')";

/** One for each schema, in SQL. */
const channel = `'toolcrib ' || current_schema()`;
