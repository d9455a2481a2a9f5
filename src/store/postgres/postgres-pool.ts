/** The connections of a store to PostgreSQL: one that falls silent is cut, and so are all at the end. */

import { Client, type ClientConfig, DatabaseError, Pool, type PoolClient, types } from 'pg';

/** Connections of one gateway. More would hardly be quicker: its own thread is busy long before. */
export const mostConnections = 10;
/** A database that does not answer by then is gone, as far as this question is concerned. */
const connectMs = 5_000;

/** A gateway that froze in the middle of a change must not stop the others: the database ends its transaction. */
const idleTransactionMs = 10_000;
/** Nobody waits longer for another gateway's lock. */
const lockMs = 5_000;
/** A line that is cut without a word is noticed by then: far longer than an ordinary statement takes. */
const queryMs = 15_000;
/** The same for statements about very many rows: steps that change tables, roll-ups, forgetting and copies. */
const longQueryMs = 120_000;
const keepAliveMs = 10_000;

const connectionOptions = {
  application_name: 'toolcrib',
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: keepAliveMs,
} as const;

/** PostgreSQL's numbers of its types. */
const typeIds = { bytea: 17, bigint: 20, numeric: 1700 } as const;

/** Ids, times and sums are far below 2^53. */
const readers = new Map<number, (kept: never) => unknown>([
  [typeIds.bigint, Number],
  [typeIds.numeric, Number],
  // A `Buffer` is not equal to the bytes that were written.
  [typeIds.bytea, (kept: string) => new Uint8Array(Buffer.from(kept.slice(2), 'hex'))],
]);

export class StoreClient extends Client {
  /** How long the database may take for an answer. */
  limitMs: number;

  constructor(options: ClientConfig = {}) {
    super({ ...connectionOptions, ...options });
    this.limitMs = options.query_timeout ?? queryMs;
    // A question fails by itself with its connection; without this, the process would too.
    this.on('error', () => {});
    // It has many forms; those with a text get the limit.
    const ask = this.query.bind(this) as (...words: readonly unknown[]) => unknown;
    this.query = ((first: unknown, ...more: readonly unknown[]) => {
      const answer = ask(typeof first === 'string' ? { text: first, query_timeout: this.limitMs } : first, ...more);
      // After the limit pg leaves the connection in use, and all that is asked next waits behind the lost question.
      if (answer instanceof Promise) answer.catch((error) => error instanceof DatabaseError || this.cut());
      return answer;
    }) as typeof this.query;
  }

  /** Without a goodbye, which a silent line would never take. */
  cut(): void {
    this.connection.stream.destroy();
  }
}

export class StorePool extends Pool {
  readonly #connections = new Set<StoreClient>();
  /** The same connections, for statements that take long. */
  readonly patient = { connect: () => this.#connectPatiently(), end: () => this.end(), options: this.options };

  constructor(url: string) {
    super({
      connectionString: url,
      max: mostConnections,
      connectionTimeoutMillis: connectMs,
      idle_in_transaction_session_timeout: idleTransactionMs,
      lock_timeout: lockMs,
      types: { getTypeParser: (id, format) => readers.get(id) ?? types.getTypeParser(id, format) },
      Client: StoreClient,
    });
    // It has only clients of this kind.
    this.on('connect', (client) => this.#connections.add(client as unknown as StoreClient));
    this.on('acquire', (client) => Object.assign(client, { limitMs: queryMs }));
    this.on('remove', (client) => this.#connections.delete(client as unknown as StoreClient));
  }

  async #connectPatiently(): Promise<PoolClient> {
    return Object.assign(await this.connect(), { limitMs: longQueryMs });
  }

  /** Those in use, and those that wait for an answer to their goodbye. */
  cutAll(): void {
    for (const client of this.#connections) client.cut();
  }
}
