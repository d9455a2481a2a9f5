/** Replicas for tests: gateways in this process on one PostgreSQL database, each with a data folder of its own. */

import type { GatewayEvent } from '../../src/admin/admin.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { limits } from '../../src/config/config.ts';
import { openTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import { ModernAgent } from './modern-agent.ts';
import { postgresTest, runSql } from './postgres.ts';

/** A key for secrets, as every gateway on PostgreSQL needs it. */
export const sharedKey = { TOOLCRIB_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };

/** One more gateway on the database at this URL. */
export function openReplica(url: string, options: TestGatewayOptions = {}): Promise<TestGateway> {
  return openTestGateway({
    ...options,
    env: { ...process.env, ...sharedKey, ...options.env },
    config: { ...options.config, store: { url } },
  });
}

export class Replica {
  readonly gateway: TestGateway;
  readonly agent: ModernAgent;

  constructor(gateway: TestGateway) {
    this.gateway = gateway;
    this.agent = new ModernAgent(gateway);
  }

  get admin() {
    return this.gateway.gateway.admin;
  }
}

type TestReplicas = readonly [Replica, Replica, ...Replica[]];

type ReplicaOptions = TestGatewayOptions & {
  readonly count?: number;
  /** Where each reaches the database; left out, all directly. */
  readonly urls?: readonly string[];
};

/** A test with two gateways on one empty schema, or more. */
export function replicaTest(
  title: string,
  options: ReplicaOptions,
  act: (replicas: TestReplicas, url: string) => Promise<void>,
): void {
  postgresTest(title, (url) => withReplicas(url, options, (replicas) => act(replicas, url)));
}

export async function withReplicas(
  url: string,
  { count = 2, urls = Array<string>(count).fill(url), ...options }: ReplicaOptions,
  act: (replicas: TestReplicas) => Promise<void>,
): Promise<void> {
  const opening = urls.map((at) => openReplica(at, options));
  const opened = (await Promise.allSettled(opening)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  try {
    await Promise.all(opening);
    // There are at least two.
    await act(opened.map((gateway) => new Replica(gateway)) as unknown as TestReplicas);
  } finally {
    await Promise.all(opened.map((gateway) => gateway.close()));
  }
}

/** Holds a gateway that ends while it refuses requests on connections that are kept open. */
export class LastMoment {
  readonly #begun = Promise.withResolvers<() => void>();
  readonly clock: Clock = {
    ...systemClock,
    after: (ms, act) => {
      if (ms !== limits.keepAliveGraceMs) return systemClock.after(ms, act);
      this.#begun.resolve(act);
      return { cancel: () => {} };
    },
  };

  /** The function that ends it. */
  get begun(): Promise<() => void> {
    return this.#begun.promise;
  }
}

/** Ends the connections by which gateways hear of each other. */
export function cutBuses(url: string): Promise<void> {
  return runSql(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'toolcrib' and query ilike 'listen%' and query like '%' || current_schema() || '%'`,
  );
}

/** Everything that a reader of events hears, until it is closed. */
export function readerOf({ admin }: Pick<Replica, 'admin'>) {
  const events: GatewayEvent[] = [];
  const ended = new AbortController();
  const reading = (async () => {
    for await (const event of admin.events(ended.signal)) events.push(event);
  })().catch(() => {});
  return {
    events,
    async [Symbol.asyncDispose]() {
      ended.abort();
      await reading;
    },
  };
}
