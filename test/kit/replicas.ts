/** Replicas for tests: gateways in this process on one PostgreSQL database, each with a data folder of its own. */

import { openTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';

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
