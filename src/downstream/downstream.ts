/** The only way to servers: one `ServerLinks` for each, made and closed as the set of servers changes. */

import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import { type Log, silentLog } from '../base/log.ts';
import { knownSecrets } from '../base/redact.ts';
import { Signal } from '../base/signal.ts';
import { type Config, hasSameLinks, type ServerSpec, secretsOf } from '../config/config.ts';
import type { Params, Result } from '../protocol/messages.ts';
import type { Spool } from '../results/results.ts';
import type { VerdictStore } from '../store/store.ts';
import { type LinkChoice, type LinkRequest, type ListKind, rootsOf } from './link.ts';
import { asTrouble, isUnexecuted } from './link-trouble.ts';
import type { Offer } from './list-server.ts';
import { type ServerSignInOptions, ServerSignIns } from './oauth/sign-ins.ts';
import { type Judging, type LinksContext, ServerLinks } from './server-links.ts';
import { Guard, type ProgramSpec, ServerProcess } from './server-process.ts';
import type { ServerStatus } from './server-status.ts';
import { type ResourceSubscription, ServerSubscriptions } from './subscriptions.ts';

export type { LinkChoice, LinkRequest, ListKind } from './link.ts';
export { isFrom, sourceOf } from './link-opener.ts';
export type { Offer } from './list-server.ts';
export { markIn, type SignInReturn } from './oauth/client-identity.ts';
export type { SignInState } from './oauth/server-credential.ts';
export type { ServerSignIns, SignInEnd, SignInStart } from './oauth/sign-ins.ts';
export { packageRunnerOf } from './package-runner.ts';
export type { ServerProcess } from './server-process.ts';
export type { ServerState, ServerStatus } from './server-status.ts';
export type { ResourceSubscription } from './subscriptions.ts';

export interface ResourceUpdate {
  readonly server: string;
  /** Set where the server is not shared: nobody but this session may hear of it. */
  readonly session?: string | undefined;
  readonly params: Params;
}

/** The trial of a server that nobody knows yet: its offer, or why there is none. */
export interface ServerTrial {
  readonly offer: Offer | null;
  readonly error: GatewayError | null;
  /** The last lines that its program wrote. */
  readonly stderr: string;
  /** Ends the trial; resolves when none of its processes is left. A kept server goes on. */
  readonly end: () => Promise<void>;
}

interface TriedLinks {
  readonly links: ServerLinks;
  /** The entry that they were opened with. */
  readonly settings: string;
  readonly state: TrialState;
}

interface TrialState {
  isTaken: boolean;
}

interface DownstreamOptions {
  readonly connect: Config['connect'];
  /** `access.privateHosts`, at any moment; none where it is left out. */
  readonly privateHosts?: () => readonly string[];
  readonly store: VerdictStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  /** Where servers start that name no folder; that of this process unless given. */
  readonly folder?: string | undefined;
  /** Where messages go that are too long for the memory. */
  readonly spool: Spool;
  /** Left out, servers that ask for a sign-in cannot be used. */
  readonly signIns?: Omit<ServerSignInOptions, 'clock' | 'log'> | undefined;
  readonly random?: () => number;
}

export class Downstream {
  /** A server's state changed. */
  readonly changed = new Signal<string>();
  /** A server says that one of its lists changed. */
  readonly listChanged = new Signal<{ readonly server: string; readonly kind: ListKind }>();
  readonly resourceUpdated = new Signal<ResourceUpdate>();
  /** Lists and judges a server before agents use a new link to it; left out, nobody does. */
  judging: Judging | undefined;
  /** Signing in to servers; null where it is not possible here. */
  readonly signIns: ServerSignIns | null;
  readonly #servers = new Map<string, ServerLinks>();
  /** Servers that are on trial, or no longer wanted and still have calls to finish. */
  readonly #leaving = new Set<ServerLinks>();
  /** Links of trials, which a kept server may take over. */
  readonly #tried = new WeakMap<ServerTrial, TriedLinks>();
  /** Programs that are no servers. */
  readonly #programs = new Set<ServerProcess>();
  readonly #subscriptions = new ServerSubscriptions();
  readonly #guard: Guard;
  readonly #context: Omit<LinksContext, 'connect'>;
  #connect: Config['connect'];
  #isClosed = false;
  /** Under which name the secrets of each are known. */
  readonly #secretOwners = new WeakMap<ServerLinks, string>();
  #madeLinks = 0;

  constructor(options: DownstreamOptions) {
    const runMark = randomId();
    this.#guard = new Guard(runMark, options.log);
    this.#connect = options.connect;
    const { signIns, clock, log } = options;
    this.signIns = signIns === undefined ? null : new ServerSignIns({ ...signIns, clock, log });
    this.signIns?.changed.on(({ server, graceMs }) => this.#startAnew(server, graceMs));
    this.#context = {
      guard: this.#guard,
      clock: options.clock,
      runMark,
      env: options.env,
      folder: options.folder,
      privateHosts: options.privateHosts ?? (() => noHosts),
      verdicts: options.store,
      log: options.log,
      spool: options.spool,
      random: options.random ?? Math.random,
      judging: () => this.judging,
      credentialOf: (spec) => this.signIns?.credentialOf(spec) ?? null,
    };
  }

  /** To the server we are somebody else now, or nobody any more: what it offers is asked again. */
  #startAnew(server: string, graceMs: number): void {
    const links = this.#servers.get(server);
    if (links === undefined) return;
    // A failed reset may leave an old belief; it is corrected when it turns out wrong.
    links.reset(graceMs).catch(() => {});
    this.listChanged.emit({ server, kind: 'tools' });
  }

  /**
   * Makes the set of servers this one. Servers that are reached in the same way keep their links and running calls, and
   * take over what else is said of them; on links that go, running calls may finish for as long as `graceMs` says.
   * Resolves when those links are closed. After `close`, starts nothing. `trial`: its server goes
   * on with the process of the trial.
   */
  async apply(
    specs: Iterable<ServerSpec>,
    connect: Config['connect'] = this.#connect,
    graceMs = 0,
    trial?: ServerTrial,
  ): Promise<void> {
    if (this.#isClosed) return;
    const wanted = new Map([...specs].map((spec) => [spec.name, spec]));
    const isSameConnect = linkSettings(connect) === linkSettings(this.#connect);
    this.#connect = connect;
    const leaving: Promise<void>[] = [];
    for (const [name, links] of this.#servers) {
      const spec = wanted.get(name);
      if (spec && isSameConnect && hasSameLinks(spec, links.spec)) {
        links.adjust(spec);
        wanted.delete(name);
      } else {
        this.#servers.delete(name);
        this.#leaving.add(links);
        leaving.push(this.#end(links, graceMs));
      }
    }
    for (const spec of wanted.values())
      this.#servers.set(spec.name, this.#follow(this.#takeOver(spec, trial) ?? this.#makeLinks(spec)));
    for (const name of wanted.keys()) {
      this.changed.emit(name);
      this.#servers.get(name)?.resubscribe();
    }
    await Promise.all(leaving);
  }

  /**
   * Connects once to a new server, or to a possible replacement of one, and lists its offer. A server under this
   * name goes on unchanged. If there is an offer, its program runs until the trial ends.
   */
  async tryOut(spec: ServerSpec, signal: AbortSignal): Promise<ServerTrial> {
    if (this.#isClosed) throw new GatewayError('SERVER_NOT_RUNNING', 'The gateway is being closed.');
    const state = { isTaken: false };
    const links = this.#knownLinks(spec, this.#trialContext(spec, state), () =>
      state.isTaken ? this.#subscriptions.of(spec.name) : new Set(),
    );
    this.#leaving.add(links);
    const end = async () => {
      if (this.#leaving.has(links)) await this.#end(links);
    };
    try {
      const trial = { offer: await links.list(signal), error: null, stderr: links.status.stderr, end };
      this.#tried.set(trial, { links, settings: linkSettings(this.#connect), state });
      return trial;
    } catch (error) {
      const { stderr } = links.status;
      await end();
      if (signal.aborted) throw error;
      return { offer: null, error: asTrouble(spec.name, error), stderr, end };
    }
  }

  /** One attempt, which only its caller hears of. A kept trial goes on like any server. */
  #trialContext({ name, transport }: ServerSpec, state: TrialState): LinksContext {
    const before = this.#servers.get(name)?.spec.transport;
    // Our credential belongs to the server's current address.
    const isSamePlace = before && 'url' in before && 'url' in transport && before.url === transport.url;
    const context = this.#context;
    const connect = () => this.#connect;
    return {
      ...context,
      get connect() {
        return state.isTaken ? connect() : { ...connect(), maxRetries: 0 };
      },
      get log() {
        return state.isTaken ? context.log : silentLog;
      },
      credentialOf: isSamePlace ? context.credentialOf : () => null,
    };
  }

  /** Keeping takes over only a program: a connection to a URL was made without our credential. */
  #takeOver(spec: ServerSpec, trial: ServerTrial | undefined): ServerLinks | undefined {
    const tried = trial && this.#tried.get(trial);
    if (!tried || spec.transport.kind !== 'stdio' || tried.settings !== linkSettings(this.#connect)) return undefined;
    const { links, state } = tried;
    if (!hasSameLinks(spec, links.spec) || !this.#leaving.delete(links)) return undefined;
    state.isTaken = true;
    links.adjust(spec);
    return links;
  }

  #makeLinks(spec: ServerSpec): ServerLinks {
    const context = { ...this.#context, connect: this.#connect };
    return this.#knownLinks(spec, context, () => this.#subscriptions.of(spec.name));
  }

  #follow(links: ServerLinks): ServerLinks {
    const { name } = links.spec;
    links.changed.on(() => this.changed.emit(name));
    links.listChanged.on((kind) => this.listChanged.emit({ server: name, kind }));
    links.resourceUpdated.on((update) => this.resourceUpdated.emit({ server: name, ...update }));
    return links;
  }

  /** Their secrets are known until they end. */
  #knownLinks(
    spec: ServerSpec,
    context: LinksContext,
    subscriptions: () => ReadonlySet<ResourceSubscription>,
  ): ServerLinks {
    this.#madeLinks += 1;
    const owner = `${this.#context.runMark}.${this.#madeLinks}`;
    knownSecrets.set(owner, secretsOf(spec.transport));
    const links = new ServerLinks(spec, context, subscriptions);
    this.#secretOwners.set(links, owner);
    return links;
  }

  async #end(links: ServerLinks, graceMs = 0): Promise<void> {
    await links.close(graceMs).finally(() => this.#forget(links));
  }

  #forget(links: ServerLinks): void {
    this.#leaving.delete(links);
    knownSecrets.forget(this.#secretOwners.get(links) ?? '');
  }

  spec(server: string): ServerSpec | undefined {
    return this.#servers.get(server)?.spec;
  }

  specs(): ServerSpec[] {
    return [...this.#servers.values()].map((links) => links.spec);
  }

  status(server: string): ServerStatus | undefined {
    return this.#servers.get(server)?.status;
  }

  async request(server: string, request: LinkRequest, choice: LinkChoice): Promise<Result> {
    const links = this.#find(server);
    try {
      return await links.request(request, choice);
    } catch (error) {
      const successor = this.#servers.get(server);
      // A change of the config replaced the links before the request was sent: it goes to the new ones.
      if (successor === undefined || successor === links || !isUnexecuted(error)) throw error;
      return successor.request(request, choice);
    }
  }

  /** The owner's folders, as the answer to `roots/list`. */
  get roots(): Result {
    return rootsOf(this.#connect);
  }

  /** Connects if need be and asks for everything the server offers. */
  async list(server: string, signal?: AbortSignal): Promise<Offer> {
    return this.#find(server).list(signal);
  }

  /** The listing of a server that began at that time has been judged: links that were open by then can be used. */
  noteJudged(server: string, startedAt: number): void {
    this.#servers.get(server)?.gate.noteJudged(startedAt);
  }

  /** Holds until `unsubscribe`, on whichever link the server has; rejects, and holds nothing, when it is refused. */
  async subscribe(subscription: ResourceSubscription): Promise<void> {
    const links = this.#find(subscription.server);
    this.#subscriptions.add(subscription);
    try {
      await links.subscribe(subscription);
    } catch (error) {
      // The links were replaced meanwhile: the subscription goes to the new ones.
      const successor = this.#servers.get(subscription.server);
      const isMoved = successor !== undefined && successor !== links;
      try {
        if (!isMoved) throw error;
        await successor.subscribe(subscription);
      } catch (refusal) {
        await this.unsubscribe(subscription);
        throw refusal;
      }
    }
  }

  async unsubscribe(subscription: ResourceSubscription): Promise<void> {
    if (this.#subscriptions.remove(subscription))
      await this.#servers.get(subscription.server)?.unsubscribe(subscription);
  }

  /** Where an installation makes the work wait for long, trouble that says so; the work goes on. */
  async inTime<T>(server: string, work: Promise<T>): Promise<T> {
    return this.#servers.get(server)?.installs.inTime(work) ?? work;
  }

  /** Ends back-off: the next request tries at once. */
  hurry(server: string): void {
    this.#find(server).hurry();
  }

  /** Closes a server's links and forgets what was believed about it; the next request starts over. */
  async reset(server: string): Promise<void> {
    this.signIns?.retrySignIn(server);
    await this.#find(server).reset();
  }

  async endSession(session: string): Promise<void> {
    // A server may fail to unsubscribe: nobody listens any more.
    const withdrawals = this.#subscriptions
      .ofSession(session)
      .map((subscription) => this.unsubscribe(subscription).catch(() => {}));
    const links = [...this.#servers.values()].filter(({ spec }) => spec.perSession);
    await Promise.all([...withdrawals, ...links.map((item) => item.endSession(session))]);
  }

  /** Starts a program that is no server, watched and ended as servers are; `title` is what messages call it. */
  async startProgram(title: string, spec: ProgramSpec): Promise<ServerProcess> {
    const program = await ServerProcess.start(title, spec, this.#context);
    this.#programs.add(program);
    void program.exited.then(() => this.#programs.delete(program));
    if (this.#isClosed) await program.close();
    return program;
  }

  /** Ends every server and program; when it resolves, none of their processes is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#programs].map((program) => program.close()));
    const all = [...this.#servers.values(), ...this.#leaving];
    this.#servers.clear();
    await Promise.allSettled(all.map((links) => links.close()));
    for (const links of all) this.#forget(links);
    await this.signIns?.close();
    this.#guard.close();
  }

  /** The guard's process id, once a server was started. */
  get guardPid(): number | undefined {
    return this.#guard.pid;
  }

  #find(server: string): ServerLinks {
    const links = this.#servers.get(server);
    if (!links) throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${server}".`);
    return links;
  }
}

const noHosts: readonly string[] = [];

/** The part of the settings that links are made with: a change of anything else leaves them alone. */
function linkSettings({ lazy, preconnect, ...rest }: Config['connect']): string {
  return JSON.stringify(rest);
}
