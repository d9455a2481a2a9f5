/** A gateway in front of servers that want a sign-in: the issuer, the gates, and an owner whose browser agrees to everything. */

import assert from 'node:assert/strict';
import type { Clock } from '../../src/base/clock.ts';
import { openServer } from '../servers/hosted.ts';
import { openTestGateway, type TestGateway } from './gateway.ts';
import { visit } from './oauth-browser.ts';
import { type Gate, type GateOptions, startGate } from './oauth-gate.ts';
import { startIssuer, type TestIssuer, type TestIssuerOptions } from './oauth-issuer.ts';
import { openReplica } from './replicas.ts';

export interface OAuthSetup extends AsyncDisposable {
  readonly issuer: TestIssuer;
  readonly gate: Gate;
  readonly test: TestGateway;
  /** One more gateway like it, on the same database. */
  openAnother(): Promise<TestGateway>;
  /** Calls a tool of the server `far`, as the command line would. */
  call(tool: string, args?: Record<string, unknown>): Promise<unknown>;
  signIn(name?: string): Promise<void>;
  state(name?: string): Promise<string | undefined>;
}

export interface OAuthSetupOptions {
  readonly issuer?: Partial<TestIssuerOptions>;
  readonly gate?: Partial<GateOptions>;
  /** More members of the server's block. */
  readonly server?: Record<string, unknown>;
  /** More servers. */
  readonly servers?: Record<string, unknown>;
  readonly config?: Record<string, unknown>;
  readonly dataDir?: string;
  readonly clock?: Clock;
  /** Of a PostgreSQL database that several gateways share. */
  readonly storeUrl?: string;
}

export async function openOAuthSetup(options: OAuthSetupOptions = {}): Promise<OAuthSetup> {
  await using parts = new AsyncDisposableStack();
  const issuer = parts.use(await startIssuer({ scopes: 'notes:read notes:write', ...options.issuer }));
  const server = parts.use(await openServer({}));
  const gate = parts.use(
    await startGate({ upstream: server.url, issuer: () => issuer, scope: 'notes:read', ...options.gate }),
  );
  const gateway = {
    servers: { far: { url: gate.url, ...options.server }, ...options.servers },
    // Issuer and gates are on this machine, under a port each.
    config: { access: { privateHosts: ['127.0.0.1'], keyring: 'off' }, ...options.config },
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  };
  const { storeUrl } = options;
  const open = () => (storeUrl === undefined ? openTestGateway(gateway) : openReplica(storeUrl, gateway));
  const test = parts.use(await open());
  const { admin } = test.gateway;
  const all = parts.move();
  return {
    issuer,
    gate,
    test,
    openAnother: open,
    call: (tool, args = {}) => admin.run('tools.call', { toolKey: `far:${tool}`, arguments: args }),
    signIn: (name = 'far') => signInTo(test, name),
    state: async (name = 'far') => (await admin.run('servers.signIns', {})).find((row) => row.name === name)?.state,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Acts as a person: begins, follows the address, agrees, and is back at the gateway. */
async function signInTo({ gateway }: TestGateway, name: string): Promise<void> {
  const { address, flow } = await gateway.admin.run('servers.signIn', { name });
  const { status, text } = await visit(address);
  assert.equal(status, 200, text);
  const report = await gateway.admin.run('servers.signInEnd', { name, flow });
  assert.deepEqual(report, { name, state: 'done', error: null, hint: null });
  const [listing] = await gateway.admin.run('servers.refresh', { name });
  assert.equal(listing?.error, null);
}
