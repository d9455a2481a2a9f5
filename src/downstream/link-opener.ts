/** Opens links to one server: the right transport, the right era, and a second guess where the first was wrong. */

import { type DialPolicy, ownerPolicy } from '../base/dial-guard.ts';
import type { ServerSpec } from '../config/config.ts';
import type { Era } from '../protocol/eras.ts';
import type { EraMemory } from './era-memory.ts';
import { HttpTransport } from './http-transport.ts';
import { Link } from './link.ts';
import { isDisconnected, isDoubtful, isRefusedEra, isRefusedInitialize, isWrongTransport } from './link-trouble.ts';
import type { Credential } from './oauth/credential.ts';
import type { LinksContext } from './server-links.ts';
import { SseTransport } from './sse-transport.ts';
import { StdioTransport } from './stdio-transport.ts';
import type { Transport } from './transport.ts';

/** Offered on every link: the agents behind it differ, so each ask is checked against its own agent. */
const offeredCapabilities = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } };

export class LinkOpener {
  readonly #spec: ServerSpec;
  readonly #context: LinksContext;
  readonly #eras: EraMemory;
  #dialing: { readonly hosts: readonly string[]; readonly policy: DialPolicy } | undefined;
  /** The transport of the last attempt, for what a server printed before it failed. */
  lastTransport: Transport | undefined;

  constructor(spec: ServerSpec, context: LinksContext, eras: EraMemory) {
    this.#spec = spec;
    this.#context = context;
    this.#eras = eras;
  }

  /** One attempt. A server that a probe or a wrong guess of its era upset is tried again in the other. */
  async open(want: Era | 'probe', signal: AbortSignal): Promise<Link> {
    try {
      const link = await this.#openLink(want, signal);
      if (want === 'probe') await this.#eras.probed(link.era);
      else if (want === 'legacy') await this.#eras.triedLegacy(true);
      return link;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (want === 'probe' && isDisconnected(error) && isDoubtful(error)) {
        const link = await this.#openLink('legacy', signal);
        await this.#eras.probed('legacy');
        return link;
      }
      if (want === 'legacy' && this.#eras.isModern && isRefusedInitialize(error)) {
        await this.#eras.triedLegacy(false);
        return this.#openLink('modern', signal);
      }
      if (want === 'probe' || !isDoubtful(error)) throw error;
      // The server may have changed: it is asked again, at once if it said so itself.
      await this.#eras.forget();
      if (!isRefusedEra(error)) throw error;
      return this.open('probe', signal);
    }
  }

  async #openLink(want: Era | 'probe', signal: AbortSignal): Promise<Link> {
    const { name, transport } = this.#spec;
    const { clock, connect, spool } = this.#context;
    const options = {
      server: name,
      clock,
      want,
      capabilities: offeredCapabilities,
      roots: connect.roots,
      connectTimeoutMs: connect.timeoutMs,
      installTimeoutMs: connect.installTimeoutMs,
      signal,
    };
    try {
      this.lastTransport = this.#makeTransport();
      return await Link.open({ ...options, transport: this.lastTransport });
    } catch (error) {
      if (transport.kind !== 'http' || want === 'modern' || !isWrongTransport(error)) throw error;
      return Link.open({
        ...options,
        want: 'legacy',
        transport: new SseTransport(name, transport, clock, spool, this.#dialPolicy(transport.url), this.#credential),
      });
    }
  }

  #makeTransport(): Transport {
    const { name, transport } = this.#spec;
    const { clock, spool } = this.#context;
    if (transport.kind === 'stdio') return new StdioTransport(name, transport, this.#context);
    const policy = this.#dialPolicy(transport.url);
    if (transport.kind === 'sse') return new SseTransport(name, transport, clock, spool, policy, this.#credential);
    return new HttpTransport(name, transport, clock, spool, policy, this.#credential);
  }

  get #credential(): Credential | null {
    return this.#context.credentialOf?.(this.#spec) ?? null;
  }

  /** The same one until the setting changes: connections are kept by it. */
  #dialPolicy(url: string): DialPolicy {
    const hosts = this.#context.privateHosts();
    if (this.#dialing?.hosts !== hosts) this.#dialing = { hosts, policy: ownerPolicy(hosts, new URL(url)) };
    return this.#dialing.policy;
  }
}
