/** Opens links to one server: the right transport, the right era as far as it is remembered, and a second guess where the first was wrong. */

import { createHash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { type DialPolicy, ownerPolicy } from '../base/dial-guard.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { limits, type ServerSpec } from '../config/config.ts';
import type { Era } from '../protocol/eras.ts';
import type { EraVerdict, VerdictStore } from '../store/store.ts';
import { HttpTransport } from './http-transport.ts';
import { Link } from './link.ts';
import { isDisconnected, isDoubtful, isRefusedEra, isRefusedInitialize, isWrongTransport } from './link-trouble.ts';
import type { Credential } from './oauth/stored-credentials.ts';
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

export class EraMemory {
  readonly #key: string;
  readonly #store: VerdictStore;
  readonly #clock: Clock;
  readonly #log: Log;
  #verdict: EraVerdict | undefined;

  constructor(spec: ServerSpec, store: VerdictStore, clock: Clock, log: Log) {
    this.#key = sourceOf(spec);
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** The agent's own era where the server speaks it, else the other; `probe` while nothing is known. */
  async choose(wanted: Era): Promise<Era | 'probe'> {
    const verdict = this.#verdict ?? (await this.#load());
    if (!verdict) return 'probe';
    if (!verdict.modern) return 'legacy';
    return wanted === 'legacy' && verdict.legacy !== false ? 'legacy' : 'modern';
  }

  /** Read once; a verdict that has grown old is not believed at a start, but stays for a server that is in use. */
  async #load(): Promise<EraVerdict | undefined> {
    // Debug only: others that need the store report the failure. Here it costs a probe.
    const verdict = await this.#store.findVerdict(this.#key).catch((error) => {
      this.#log.debug('The protocol era of a server could not be read', { error: messageOf(error) });
      return undefined;
    });
    const isFresh = verdict !== undefined && this.#clock.now() - verdict.decidedAt < limits.eraVerdictTtlMs;
    this.#verdict = isFresh ? verdict : undefined;
    return this.#verdict;
  }

  /** True if it has answered before, as far as that was looked up. */
  get isKnown(): boolean {
    return this.#verdict !== undefined;
  }

  get isModern(): boolean {
    return this.#verdict?.modern === true;
  }

  /** A probe found this era. */
  probed(era: Era): Promise<void> {
    return this.#save(era === 'modern', era === 'legacy' ? true : null);
  }

  /** A modern server was asked to speak legacy, and did or did not. */
  async triedLegacy(isSpoken: boolean): Promise<void> {
    if (this.#verdict?.modern && this.#verdict.legacy !== isSpoken) await this.#save(true, isSpoken);
  }

  async forget(): Promise<void> {
    this.#verdict = undefined;
    await this.#store.removeVerdict(this.#key).catch(() => {});
  }

  async #save(modern: boolean, legacy: boolean | null): Promise<void> {
    const verdict = { key: this.#key, modern, legacy, discover: null, decidedAt: this.#clock.now() };
    this.#verdict = verdict;
    // A verdict that cannot be kept costs a probe at the next start, no more.
    await this.#store
      .saveVerdict(verdict)
      .catch((error) => this.#log.debug('The protocol era of a server could not be kept', { error: messageOf(error) }));
  }
}

/**
 * Identifies a server by its address, not its name: one that was moved is another. Values of its environment, headers and
 * secrets are no part of it: one whose key was changed is still the same, with all that was decided about it.
 */
export function sourceOf(spec: Pick<ServerSpec, 'transport' | 'identity'>): string {
  const source = sources.get(spec) ?? findSource(spec);
  sources.set(spec, source);
  return source;
}

/** A spec never changes, and every new snapshot asks for the source of each. */
const sources = new WeakMap<object, string>();

function findSource({ transport: used, identity }: Pick<ServerSpec, 'transport' | 'identity'>): string {
  const transport = identity ?? used;
  const address =
    transport.kind === 'stdio'
      ? [transport.command, transport.args, transport.cwd]
      : [URL.parse(transport.url)?.href ?? transport.url];
  return digestOf([transport.kind === 'stdio' ? 'command' : 'url', ...address]);
}

/** True if a kept source belongs to a server; earlier versions knew a server by all of its transport. */
export function isFrom(source: string, spec: Pick<ServerSpec, 'transport' | 'identity'>): boolean {
  return source === sourceOf(spec) || source === digestOf(spec.transport);
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
