/** All links to one server: opened on demand, retried, guarded by a breaker, kept from agents until they are judged, closed when idle. */

import { abortable, type Clock, sleep, type Timer } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { redactedBeginning } from '../base/redact.ts';
import { Signal } from '../base/signal.ts';
import { type Config, limits, type ServerSpec } from '../config/config.ts';
import type { Era } from '../protocol/eras.ts';
import { type Params, type Result, RpcError } from '../protocol/messages.ts';
import type { VerdictStore } from '../store/store.ts';
import { Breaker, jittered } from './breaker.ts';
import type { Link, LinkChoice, LinkLimits, LinkRequest, ListKind } from './link.ts';
import { EraMemory, LinkOpener } from './link-opener.ts';
import { asTrouble, asUnexecuted, circuitOpen, isLinkLost, isUnexecuted, isWorthRetry } from './link-trouble.ts';
import { listServer, type Offer } from './list-server.ts';
import type { Credential } from './oauth/stored-credentials.ts';
import { describeLinks, InstallWatch, type ServerState, type ServerStatus, unusable } from './server-status.ts';
import type { StdioContext } from './stdio-transport.ts';
import type { ResourceSubscription } from './subscriptions.ts';

export interface LinksContext extends StdioContext {
  readonly connect: Config['connect'];
  readonly privateHosts: () => readonly string[];
  /** Our credential for each server; left out where nobody can sign in. */
  readonly credentialOf?: ((spec: ServerSpec) => Credential | null) | undefined;
  readonly verdicts: VerdictStore;
  /** Left out, nothing is judged. */
  readonly judging?: (() => Judging | undefined) | undefined;
  readonly log: Log;
  readonly random: () => number;
}

/** A link that dies younger than this counts as a failure, so that a server that crashes at once is not restarted in a loop. */
const infantMs = 5_000;

export class ServerLinks {
  /** Replaced by `adjust` alone. */
  spec: ServerSpec;
  readonly installs: InstallWatch;
  readonly gate: LinkGate;
  readonly changed = new Signal<void>();
  readonly listChanged = new Signal<ListKind>();
  readonly resourceUpdated = new Signal<{ readonly session?: string | undefined; readonly params: Params }>();
  readonly #context: LinksContext;
  readonly #breaker: Breaker;
  readonly #eras: EraMemory;
  readonly #opener: LinkOpener;
  readonly #links = new Map<string, Link>();
  readonly #opening = new Map<string, Promise<Link>>();
  /** Links that nobody is given any more: each is closed when its calls are done, and ends here when it is. */
  readonly #leaving = new Map<Link, Promise<void>>();
  /** The current subscriptions of this server's subscribers. */
  readonly #subscriptions: () => ReadonlySet<ResourceSubscription>;
  readonly #ended = new AbortController();
  /** When the pause between two attempts of one try is over, in monotonic time. */
  #pausedUntil = 0;
  /** Aborted, and replaced, when pauses are to end now. */
  #hurrying = new AbortController();
  #healing: Timer | undefined;
  /** The one attempt that is made while the breaker is half open; settles without a value. */
  #trial: Promise<void> | undefined;
  #infantDeaths = 0;
  #lastError: GatewayError | undefined;

  constructor(
    spec: ServerSpec,
    context: LinksContext,
    subscriptions: () => ReadonlySet<ResourceSubscription> = () => new Set(),
  ) {
    this.spec = spec;
    this.#subscriptions = subscriptions;
    this.#context = context;
    this.#breaker = new Breaker(context.clock, context.random);
    this.#eras = new EraMemory(spec, context.verdicts, context.clock, context.log);
    this.#opener = new LinkOpener(spec, context, this.#eras);
    this.gate = new LinkGate(spec.name, context.clock, context.judging ?? (() => undefined));
    this.installs = new InstallWatch(spec, context, () => this.#opener.lastTransport);
    if (spec.problem)
      this.#lastError = new GatewayError('CONFIG_INVALID', spec.problem, { data: { reason: 'config' } });
  }

  /** Takes over other settings of the same server: `hasSameLinks` must hold. Links, calls and failures stay. */
  adjust(spec: ServerSpec): void {
    this.spec = spec;
    for (const link of this.#links.values()) link.setLimits(this.#limits);
  }

  get #limits(): LinkLimits {
    return { maxConcurrent: this.spec.maxConcurrent, idleMs: this.spec.idleMs ?? this.#context.connect.idleMs };
  }

  get status(): ServerStatus {
    const openMs = this.#breaker.remainingMs;
    const waitMs = Math.max(openMs, this.#pausedUntil - this.#context.clock.elapsed());
    return describeLinks(this.spec, {
      state: this.#state,
      links: [...this.#links.values()],
      lastTransport: this.#opener.lastTransport,
      installingMs: this.installs.ms,
      lastError: this.#lastError,
      nextRetryAt: waitMs > 0 ? Math.round(this.#context.clock.now() + waitMs) : null,
      isBreakerOpen: openMs > 0,
    });
  }

  get #state(): ServerState {
    if (!this.spec.isEnabled) return 'disabled';
    if ([...this.#links.values()].some(({ trouble }) => trouble === undefined)) return 'connected';
    if (this.#opening.size === 0) return this.#lastError ? 'failed' : 'configured';
    // One that has answered before is there most likely, and gets the usual time to start.
    const usualMs = this.#eras.isKnown ? this.#context.connect.timeoutMs : 0;
    return (this.installs.ms ?? -1) >= usualMs ? 'installing' : 'connecting';
  }

  /** Sends one request on the link that fits. One that the server provably never saw is sent again, once. */
  async request(request: LinkRequest, choice: LinkChoice): Promise<Result> {
    for (let isRepeated = false; ; isRepeated = true) {
      const linking = request.span?.stage('link');
      const opening = this.installs.inTime(this.#link(choice, request.signal), request.timeoutMs);
      const link = await opening.catch((error) => {
        linking?.finish({ error });
        throw asUnexecuted(error);
      });
      // Waiting for the check of a new link takes from the time of the request.
      const startedAt = this.#context.clock.elapsed();
      try {
        await this.gate.pass(link, request);
        linking?.end();
        return await link.request({ ...request, startedAt });
      } catch (error) {
        linking?.finish({ error });
        this.#loseIfUseless(link, error);
        if (isRepeated || !isUnexecuted(error)) throw error;
      }
    }
  }

  async list(signal?: AbortSignal): Promise<Offer> {
    // Where each session has a server of its own, the newest one is listed: no other is started for that.
    const own = this.spec.perSession ? [...this.#links.values()].at(-1) : undefined;
    const link = own ?? (await this.#link({ era: 'modern' }, signal));
    try {
      // A listing is for ourselves: nobody waits for it when the server goes.
      const ending = signal ? AbortSignal.any([signal, this.#ended.signal]) : this.#ended.signal;
      return await listServer(link, this.#context.clock, ending);
    } catch (error) {
      this.#loseIfUseless(link, error);
      throw error;
    }
  }

  /** Resolves when the server knows of the subscription. One that was withdrawn meanwhile is not told. */
  async subscribe(subscription: ResourceSubscription): Promise<void> {
    const link = await this.installs.inTime(this.#link(subscription));
    if (this.#subscriptions().has(subscription))
      await this.#tellerOf(subscription.uri, link).subscribe(subscription.uri);
  }

  /** A subscription was withdrawn: links on which nobody else has the same one are told. */
  async unsubscribe({ uri, session = '' }: ResourceSubscription): Promise<void> {
    const { perSession } = this.spec;
    const isWanted = () =>
      [...this.#subscriptions()].some(
        (subscription) => subscription.uri === uri && (!perSession || subscription.session === session),
      );
    for (const [key, link] of this.#links) {
      if (!link.isSubscribed(uri) || (perSession && sessionOf(key) !== session)) continue;
      // A server that is still subscribing might do both at once and end up subscribed.
      await link.subscribe(uri).catch(() => {});
      if (!isWanted()) await link.unsubscribe(uri);
    }
  }

  /** Tells of every subscription again, where the link that told of it is gone. */
  resubscribe(): void {
    // A subscription that fails now is sent when the server has healed.
    for (const subscription of this.#subscriptions()) this.subscribe(subscription).catch(() => {});
  }

  /** Two links to one remote server would both tell of every update; each link to a child is a process of its own. */
  #tellerOf(uri: string, link: Link): Link {
    if (this.spec.transport.kind === 'stdio' || this.spec.perSession) return link;
    return [...this.#links.values()].find((other) => other.isSubscribed(uri)) ?? link;
  }

  async #takeOverSubscriptions(key: string, link: Link): Promise<void> {
    const own = await Promise.all(
      [...this.#subscriptions()].map(async (subscription) =>
        (await this.#keyOf(subscription)).key === key ? [subscription.uri] : [],
      ),
    );
    const telling = [...new Set(own.flat())].map((uri) => this.#tellerOf(uri, link).subscribe(uri));
    // A subscription that the server no longer takes is lost, not the link.
    await Promise.allSettled(telling);
  }

  /** Closes the links of one agent session. */
  async endSession(session: string): Promise<void> {
    const isIts = (key: string) => sessionOf(key) === session;
    // One that is still being opened would otherwise stay until it had been idle.
    const opening = [...this.#opening].filter(([key]) => isIts(key)).map(([, link]) => link);
    await Promise.allSettled(opening);
    for (const [key, link] of this.#links) if (isIts(key)) await this.#drop(key, link);
  }

  /** Ends back-off: somebody wants to know now how the server is. */
  hurry(): void {
    this.#breaker.hurry();
    this.#infantDeaths = 0;
    this.#pausedUntil = 0;
    this.#hurrying.abort();
    this.#hurrying = new AbortController();
  }

  /** Starts from nothing: open links are closed, and what was believed about the server is forgotten. `graceMs`: as for `close`. */
  async reset(graceMs = 0): Promise<void> {
    this.hurry();
    this.#breaker.succeed();
    await this.#eras.forget();
    await Promise.all([...this.#links].map(([key, link]) => this.#drop(key, link, graceMs)));
    this.resubscribe();
  }

  /** Takes nothing new and ends every link; `graceMs`: how long calls in flight may take to finish. */
  async close(graceMs = 0): Promise<void> {
    const closing = new GatewayError('SERVER_NOT_RUNNING', `Server "${this.spec.name}" is being closed.`, {
      data: { isUnexecuted: true },
    });
    this.#ended.abort(closing);
    this.#healing?.cancel();
    const opening = [...this.#opening.values()];
    for (const [key, link] of [...this.#links]) void this.#drop(key, link, graceMs);
    if (graceMs === 0) for (const link of this.#leaving.keys()) void link.close();
    // A link that was still being opened is closed by the one who opens it.
    await Promise.allSettled([...opening, ...this.#leaving.values()]);
  }

  /** The open link for a choice, or the one being opened; every waiter may give up on its own. */
  async #link(choice: LinkChoice, signal?: AbortSignal): Promise<Link> {
    this.#assertUsable();
    const { era, key } = await this.#keyOf(choice);
    // The server may have been closed while the era was looked up.
    this.#assertUsable();
    const open = this.#links.get(key);
    if (open) return open;
    let opening = this.#opening.get(key);
    if (!opening) {
      opening = this.#open(key, era).finally(() => {
        this.#opening.delete(key);
        this.changed.emit();
      });
      this.#opening.set(key, opening);
      this.changed.emit();
    }
    return signal ? abortable(opening, signal) : opening;
  }

  async #keyOf(choice: LinkChoice): Promise<{ readonly era: Era | 'probe'; readonly key: string }> {
    const era = this.spec.transport.kind === 'sse' ? 'legacy' : await this.#eras.choose(choice.era);
    return { era, key: `${era}|${this.spec.perSession ? (choice.session ?? '') : ''}` };
  }

  #assertUsable(): void {
    if (this.#ended.signal.aborted) throw this.#ended.signal.reason;
    const trouble = unusable(this.spec);
    if (trouble) throw trouble;
  }

  /** A breaker that is half open allows a single attempt, whichever link is wanted; the others wait for its outcome. */
  async #open(key: string, want: Era | 'probe'): Promise<Link> {
    while (this.#trial) await this.#trial;
    const retryInMs = this.#breaker.remainingMs;
    if (retryInMs > 0) throw circuitOpen(this.spec.name, retryInMs, this.#lastError);
    if (!this.#breaker.isHalfOpen) return this.#try(key, want, this.#context.connect.maxRetries);
    const attempt = this.#try(key, want, 0);
    const onEnd = () => {
      this.#trial = undefined;
    };
    this.#trial = attempt.then(onEnd, onEnd);
    return attempt;
  }

  /** One try: an attempt, then retries with growing pauses. */
  async #try(key: string, want: Era | 'probe', retries: number): Promise<Link> {
    if (this.#infantDeaths > 1) await this.#pause(this.#infantDeaths - 2);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#adopt(key, await this.#opener.open(want, this.#ended.signal));
      } catch (error) {
        if (this.#ended.signal.aborted) throw this.#ended.signal.reason;
        const trouble = this.#noteFailure(error);
        if (attempt >= retries || !isWorthRetry(trouble)) {
          // Said once, not at every try.
          if (!this.#breaker.isTripped) this.#tellOwner('A server does not work and is tried again', trouble.message);
          this.#breaker.fail(Number(trouble.data?.retryAfterMs ?? 0));
          this.#healLater(want);
          throw trouble;
        }
        await this.#pause(attempt);
      }
    }
  }

  #tellOwner(event: string, error?: string): void {
    this.#context.log.warn(event, { server: this.spec.name, ...(error === undefined ? {} : { error }) });
  }

  async #pause(step: number): Promise<void> {
    const steps = limits.retryStepsMs;
    const ms = jittered(steps[Math.min(step, steps.length - 1)] ?? 0, this.#context.random);
    this.#pausedUntil = this.#context.clock.elapsed() + ms;
    this.changed.emit();
    const end = AbortSignal.any([this.#ended.signal, this.#hurrying.signal]);
    await sleep(this.#context.clock, ms, end).catch(() => {});
    this.#ended.signal.throwIfAborted();
  }

  async #adopt(key: string, link: Link): Promise<Link> {
    if (this.#ended.signal.aborted) {
      await link.close();
      throw this.#ended.signal.reason;
    }
    if (link.death) {
      await link.close();
      throw link.death;
    }
    // The link is filed under the era that it speaks, whatever was wanted; one link there is enough.
    const filed = `${link.era}${key.slice(key.indexOf('|'))}`;
    const twin = this.#links.get(filed);
    if (twin) {
      await link.close();
      return twin;
    }
    if (this.#breaker.isTripped) this.#tellOwner('A server works again');
    this.#breaker.succeed();
    this.#healing?.cancel();
    this.#lastError = undefined;
    this.#links.set(filed, link);
    link.listChanged.on((kind) => this.listChanged.emit(kind));
    const session = this.spec.perSession ? sessionOf(filed) : undefined;
    link.resourceUpdated.on((params) => this.resourceUpdated.emit({ session, params }));
    link.reached.on(() => this.#onReach(link));
    link.idle.on(() => (this.gate.holds(link) ? link.setLimits(this.#limits) : void this.#drop(filed, link)));
    link.setLimits(this.#limits);
    link.closed.on((reason) => this.#onDeath(filed, link, reason));
    this.changed.emit();
    await this.#takeOverSubscriptions(filed, link);
    if (link.death) throw link.death;
    return link;
  }

  async #drop(key: string, link: Link, graceMs = 0): Promise<void> {
    if (this.#links.get(key) === link) this.#links.delete(key);
    const leaving = link.retire(graceMs).finally(() => this.#leaving.delete(link));
    this.#leaving.set(link, leaving);
    this.changed.emit();
    await leaving;
  }

  /** The link stays and tries to reach the server again; a call that fails on it meanwhile gives it up. */
  #onReach(link: Link): void {
    if (![...this.#links.values()].includes(link)) return;
    if (link.trouble) this.#noteFailure(link.trouble);
    else this.#lastError = undefined;
    this.changed.emit();
  }

  #onDeath(key: string, link: Link, reason: Error): void {
    if (this.#links.get(key) !== link) return;
    void this.#drop(key, link);
    const isInfant = this.#context.clock.elapsed() - link.openedAt < infantMs;
    this.#infantDeaths = isInfant ? this.#infantDeaths + 1 : 0;
    this.#noteFailure(reason);
    this.changed.emit();
    this.resubscribe();
    // One that has forgotten us was restarted and is there: nobody else would ask what it has become.
    const isPatient = this.#infantDeaths < 2 && !this.spec.perSession;
    if (isLinkLost(reason) && isPatient) this.#link({ era: link.era }).catch(() => {});
  }

  /** A link that leads nowhere is given up, so that the next request opens one with retries; others may finish on it. */
  #loseIfUseless(link: Link, error: unknown): void {
    const key = [...this.#links].find(([, item]) => item === link)?.[0];
    if (key === undefined || !isLinkLost(error)) return;
    void this.#drop(key, link, limits.drainGraceMs);
    this.#noteFailure(error);
    this.changed.emit();
    this.resubscribe();
  }

  #noteFailure(error: unknown): GatewayError {
    const trouble = asTrouble(this.spec.name, error);
    this.#lastError = trouble;
    this.#context.log.debug('A link failed', { server: this.spec.name, error: trouble.message });
    return trouble;
  }

  /** Tries again by itself when the breaker's time is up, so that nobody has to. */
  #healLater(want: Era | 'probe'): void {
    this.#healing?.cancel();
    this.#healing = this.#context.clock.after(this.#breaker.remainingMs, () => {
      if (this.#ended.signal.aborted || this.#links.size > 0) return;
      const healed = this.#link({ era: want === 'legacy' ? 'legacy' : 'modern' });
      // A failure has set the next time already.
      healed.then(() => this.resubscribe()).catch(() => {});
    });
    this.changed.emit();
  }
}

/** The session that a link is kept for; empty where it is shared. */
function sessionOf(key: string): string {
  return key.slice(key.indexOf('|') + 1);
}

/** Has a server listed and judged, or joins the one who does; undefined: its owner wants nobody to wait for that. */
export type Judging = (server: string) => Promise<unknown> | undefined;

/** The first listing that is waited for may have begun before the link was opened; the second one cannot have. */
const mostListings = 2;

export class LinkGate {
  readonly #server: string;
  readonly #clock: Clock;
  readonly #judging: () => Judging | undefined;
  /** The link of each request that waits here. */
  readonly #waiting = new Set<{ readonly link: Link }>();
  /** Links that were new by then, in monotonic time, are judged. */
  #judgedUntil = Number.NEGATIVE_INFINITY;

  constructor(server: string, clock: Clock, judging: () => Judging | undefined) {
    this.#server = server;
    this.#clock = clock;
    this.#judging = judging;
  }

  /** A listing that began then has been judged. */
  noteJudged(startedAt: number): void {
    this.#judgedUntil = Math.max(this.#judgedUntil, startedAt);
  }

  /** True if a request waits to use the link: it is not idle. */
  holds(link: Link): boolean {
    return [...this.#waiting].some((one) => one.link === link);
  }

  /** Resolves when the request may be sent; rejects where it must not be. Waiting takes from the time of the request. */
  async pass(link: Link, request: LinkRequest): Promise<void> {
    if (link.renewedAt <= this.#judgedUntil) return;
    const waiter = { link };
    this.#waiting.add(waiter);
    const late = new AbortController();
    const timer = this.#clock.after(request.timeoutMs, () =>
      late.abort(unjudged(this.#server, 'the listing took too long.', 'TIMEOUT')),
    );
    const ending = request.signal ? AbortSignal.any([request.signal, late.signal]) : late.signal;
    try {
      for (let round = 0; link.renewedAt > this.#judgedUntil; round += 1) {
        const judged = this.#judging()?.(this.#server);
        if (judged === undefined) return;
        if (round === mostListings) throw unjudged(this.#server, 'the server reconnected during the check.');
        await abortable(judged, ending);
      }
    } catch (error) {
      throw error instanceof RpcError ? unjudged(this.#server, messageOf(error)) : asUnexecuted(error);
    } finally {
      timer.cancel();
      this.#waiting.delete(waiter);
    }
    request.recheck?.();
  }
}

function unjudged(
  server: string,
  why: string,
  code: 'SERVER_NOT_RUNNING' | 'TIMEOUT' = 'SERVER_NOT_RUNNING',
): GatewayError {
  const said = redactedBeginning(why, limits.serverWordsChars);
  const message = `The tools of server "${server}" could not be checked after it connected: ${said}`;
  return new GatewayError(code, message, {
    hint: 'The call was not sent. Try again.',
    data: { reason: 'unjudged', isUnexecuted: true },
  });
}
