/** Signing in to servers: which credential each has, the sign-ins that are under way, and how they end. */

import type { AuditEvent, AuditLog } from '../../audit/audit.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { foundPolicy } from '../../base/dial-guard.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import { type GuardedFetch, guardedFetch } from '../../base/guarded-fetch.ts';
import type { JsonObject } from '../../base/json.ts';
import { Limiter } from '../../base/limiter.ts';
import type { Log } from '../../base/log.ts';
import { Signal } from '../../base/signal.ts';
import { type Config, type HttpSpec, limits, type ServerSpec } from '../../config/config.ts';
import {
  type Replicas,
  type SecretStore,
  type StoreChanges,
  type StoreEvent,
  StoreFollower,
} from '../../store/store.ts';
import { callbackOf, describeClient, documentOf, type SignInReturn } from './client-identity.ts';
import { isConfidential } from './find-issuer.ts';
import type { TokenGrant } from './issuer-requests.ts';
import { type KeptSignIn, KeptSignIns, keptOf } from './kept-sign-ins.ts';
import { OpenCredential, RenewalError, ServerCredential, type SignInState } from './server-credential.ts';
import type { SignInFlow } from './sign-in-flow.ts';
import { planSignIn, type SignInPlan } from './sign-in-plan.ts';
import { isUnreadable, signInFailed, signInUnsafe, tooManyReturns } from './sign-in-trouble.ts';
import {
  type Credential,
  type CredentialRecord,
  isAbout,
  type RecordSealer,
  StoredCredentials,
} from './stored-credentials.ts';

export interface ServerSignInOptions {
  readonly store: SecretStore & StoreChanges;
  readonly sealer: RecordSealer;
  readonly replicas: Pick<Replicas, 'inTurn' | 'isShared'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: () => Pick<Config, 'access' | 'oauth'>;
  /** Where the gateway listens; null while it does not. */
  readonly address: () => string | null;
  readonly audit?: Pick<AuditLog, 'record'> | undefined;
}

type SignInPerson = AuditEvent['principal'];

/** How a sign-in goes on: in a browser, or by a code that is entered elsewhere. */
export interface SignInStart {
  readonly flow: string;
  readonly address: string;
  /** The issuer of the tokens, as the server named it. */
  readonly issuer: string;
  readonly userCode: string | null;
  readonly redirectUri: string | null;
  readonly expiresAt: number;
}

export interface SignInEnd {
  readonly server: string;
  /** null: it went well. */
  readonly trouble: GatewayError | null;
}

/** A sign-in from its beginning until some time after its end. */
interface Pending {
  readonly plan: SignInPlan;
  /** For the address signed in to, even if the server's name has moved to another one. */
  readonly credential: ServerCredential;
  readonly person: SignInPerson;
  /** Undefined for a device; taken away as soon as a browser has come back with it. */
  flow: SignInFlow | undefined;
  /** For the other replicas; undefined where there are none. */
  readonly kept: KeptSignIn | undefined;
  readonly end: PromiseWithResolvers<SignInEnd>;
  readonly ended: AbortController;
  readonly timer: Timer;
  isOver: boolean;
}

type SignInFacts = Pick<Pending, 'plan' | 'person' | 'credential'>;

export class ServerSignIns {
  /** A server has been signed in to, or out of: what it offers may be another thing now. Calls that run may take so long. */
  readonly changed = new Signal<{ readonly server: string; readonly graceMs: number }>();
  readonly #options: ServerSignInOptions;
  readonly #stored: StoredCredentials;
  readonly #follower: StoreFollower;
  readonly #credentials = new Map<string, { readonly url: string; readonly credential: ServerCredential }>();
  /** How authorization servers are asked, by the address of the server that named them. */
  readonly #fetches = new Map<string, { readonly hosts: readonly string[]; readonly fetch: GuardedFetch }>();
  /** Credentials being forgotten or retired, by server. */
  readonly #leaving = new Map<string, Promise<unknown>>();
  readonly #revocations = new Set<Promise<unknown>>();
  /** By id; of each server only the latest. */
  readonly #pending = new Map<string, Pending>();
  readonly #kept: KeptSignIns;
  /** Browsers whose sign-in was begun elsewhere, if it was. */
  readonly #looks = new Limiter(tooManyReturns, limits.signInLooks, limits.signInLookQueue);

  constructor(options: ServerSignInOptions) {
    this.#options = options;
    const now = () => options.clock.now();
    this.#stored = new StoredCredentials({ ...options, now });
    this.#kept = new KeptSignIns({ ...options, now });
    this.#follower = new StoreFollower({
      ...options,
      subject: 'Sign-ins to servers by other gateways',
      isMeant: ({ type, isOthers }) => type === 'secrets' && isOthers === true,
      read: (told) => this.#takeOver(told),
    });
  }

  /** Records are unsealed when they are needed. From here on, those of other gateways are noticed. */
  open(): Promise<void> {
    return this.#follower.open(() => this.#stored.open());
  }

  async #takeOver(told: readonly StoreEvent[]): Promise<void> {
    for (const [server, { credential }] of this.#credentials) {
      const isMeant = told.some((event) => event.type === 'secrets' && isAbout(event.prefix, server));
      if (isMeant) await this.#takeNewer(server, credential);
    }
    for (const [flow, { kept }] of this.#pending) if (kept !== undefined) await this.lookElsewhere(flow);
  }

  /** Throws where the store cannot be read, so that all is read again. A record that cannot be unsealed stays so, and is passed over. */
  async #takeNewer(server: string, credential: ServerCredential): Promise<void> {
    try {
      if (await credential.takeOver()) this.changed.emit({ server, graceMs: limits.drainGraceMs });
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      this.#options.log.warn('A sign-in that another gateway made is not used here', {
        server,
        error: messageOf(error),
      });
    }
  }

  /** null: the server is no matter of signing in, because it is started here or its owner has given it a credential. */
  credentialOf(spec: Pick<ServerSpec, 'name' | 'transport'>): Credential | null {
    if (!isSignable(spec)) return null;
    const transport = spec.transport as HttpSpec;
    return this.#isConfidential(transport)
      ? this.#credentialOf(spec.name, transport)
      : new OpenCredential(spec.name, new URL(transport.url));
  }

  async stateOf(spec: ServerSpec): Promise<SignInState | null> {
    if (!isSignable(spec) || !this.#isConfidential(spec.transport as HttpSpec)) return null;
    const { credential } = this.#find(spec);
    await credential.load();
    return credential.state;
  }

  /** Makes the next request ask the server again, even if it is known to want a sign-in. */
  retrySignIn(server: string): void {
    this.#credentials.get(server)?.credential.retrySignIn();
  }

  async begin(spec: ServerSpec, way: 'browser' | 'device', person: SignInPerson): Promise<SignInStart> {
    const { transport, credential } = this.#find(spec);
    const callback = this.#callback(way);
    const plan = await planSignIn({
      server: spec.name,
      url: transport.url,
      settings: transport.oauth ?? null,
      challenge: credential.challenge,
      earlier: await credential.load(),
      document: documentOf(this.#options.config().oauth),
      callback,
      fetch: this.#fetchFor(transport.url),
    });
    const facts = { plan, person, credential };
    return way === 'browser' ? this.#beginInBrowser(facts) : this.#beginOnDevice(facts);
  }

  /** A browser came back, or a person brought what it came back with. `server`: the one that is meant, where that is known. */
  async complete(back: SignInReturn, server?: string): Promise<SignInEnd> {
    const states = back.parameters.getAll('state');
    const state = states.length === 1 ? states[0] : undefined;
    const pending = state === undefined ? undefined : await this.#waitingFor(state, server);
    const flow = pending?.flow;
    if (pending === undefined || flow === undefined || (server !== undefined && server !== pending.plan.server)) {
      throw new GatewayError('USAGE', 'This sign-in is not known here: it was finished already, or took too long.', {
        hint: 'Start again with: toolcrib auth SERVER',
      });
    }
    // Nobody can come back with it a second time, even if it fails.
    pending.flow = undefined;
    await this.#finish(pending, () => flow.redeem(back));
    return pending.end.promise;
  }

  async #waitingFor(state: string, server: string | undefined): Promise<Pending | undefined> {
    const here = [...this.#pending.values()].find(({ flow }) => flow?.state === state);
    if (!this.#options.replicas.isShared) return here;
    const take = () => this.#kept.take(state, server);
    // Anybody can bring a state that is none, and the store has other work.
    const kept = await (here ? take() : this.#looks.run(take));
    if (kept === undefined) return undefined;
    if (here !== undefined) return here;
    const { SignInFlow } = await import('./sign-in-flow.ts');
    const pending = this.#pendingOf(kept);
    pending.flow = new SignInFlow(pending.plan, kept);
    return pending;
  }

  /** Somebody may wait here for the end of one that was begun elsewhere. */
  #pendingOf(kept: KeptSignIn): Pending {
    const leftMs = Math.max(0, kept.expiresAt - this.#options.clock.now());
    return this.#pending.get(kept.flow) ?? this.#add(kept.flow, { ...this.#factsOf(kept), flow: undefined }, leftMs);
  }

  /** Of one that was begun on another replica, perhaps for an address that the server has no more. */
  #factsOf(kept: KeptSignIn): SignInFacts & Pick<Pending, 'kept'> {
    const { server, url } = kept.plan;
    const known = this.#credentials.get(server);
    const credential = known?.url === url ? known.credential : this.#makeCredential(server, url, false);
    return { plan: { ...kept.plan, fetch: this.#fetchFor(url) }, person: kept.person, credential, kept };
  }

  /** Looks what the other replicas say of a sign-in: one that was begun there, or ended there. */
  async lookElsewhere(flow: string): Promise<void> {
    const kept = this.#options.replicas.isShared ? await this.#kept.find(flow) : undefined;
    if (kept === undefined) return;
    const pending = this.#pendingOf(kept);
    if (kept.end === undefined || pending.isOver) return;
    const { server } = kept.plan;
    // It is over only when its tokens can be used here: a look that fails is made again.
    await this.#takeNewer(server, pending.credential);
    pending.isOver = true;
    pending.end.resolve({ server, trouble: kept.end === null ? null : new GatewayError('UNREACHABLE', kept.end) });
  }

  /** Resolves when the sign-in has ended; rejects for one that is not known. */
  outcome(flow: string): Promise<SignInEnd> {
    const pending = this.#pending.get(flow);
    if (pending === undefined) throw new GatewayError('USAGE', 'This sign-in is not known here, or was long ago.');
    return pending.end.promise;
  }

  /** Forgets the credential, and tells the authorization server where it can be told. */
  async signOut(spec: ServerSpec): Promise<{ readonly wasSignedIn: boolean; readonly isRevoked: boolean }> {
    const { credential, transport } = this.#find(spec);
    this.#drop(spec.name, 'it was signed out');
    const record = await credential.forget();
    const isRevoked = record?.tokens ? await this.#revoke(spec.name, transport.url, record) : false;
    this.changed.emit({ server: spec.name, graceMs: 0 });
    return { wasSignedIn: Boolean(record?.tokens), isRevoked };
  }

  /** A server was removed: what was kept for it goes now, and is revoked in the background where it is in memory. */
  leave(server: string): void {
    this.#drop(server, 'the server was removed');
    const known = this.#credentials.get(server);
    if (known === undefined) return;
    this.#credentials.delete(server);
    const { url, credential } = known;
    const forgotten = credential.forget();
    this.#leaving.set(server, forgotten);
    const revoked = forgotten
      .then((record) => record?.tokens && this.#revoke(server, url, record))
      .catch((error) =>
        this.#options.log.warn('The sign-in to a removed server could not be forgotten', { server, error }),
      )
      .finally(() => {
        if (this.#leaving.get(server) === forgotten) this.#leaving.delete(server);
        this.#revocations.delete(revoked);
        return credential.close();
      });
    this.#revocations.add(revoked);
  }

  /** Sign-ins to servers that are no longer there are kept for a while: the config may be another one for this run alone. */
  async forgetOthers(servers: ReadonlySet<string>): Promise<void> {
    await this.#stored.removeOthers(servers, this.#options.clock.now() - limits.unclaimedSignInMs);
  }

  /** Our description for authorization servers to fetch; null if we have no address for it. */
  clientDocument(): JsonObject | null {
    return describeClient(this.#options.config().oauth);
  }

  /** Renewals that are under way are waited for: what the authorization server has answered must not be lost. */
  async close(): Promise<void> {
    await this.#follower.close();
    for (const { plan } of [...this.#pending.values()]) this.#drop(plan.server, 'the gateway is being closed');
    await Promise.allSettled([...this.#revocations, ...this.#leaving.values()]);
    await Promise.all([...this.#credentials.values()].map(({ credential }) => credential.close()));
  }

  async #beginInBrowser(facts: SignInFacts): Promise<SignInStart> {
    const { plan } = facts;
    const { SignInFlow } = await import('./sign-in-flow.ts');
    const flow = new SignInFlow(plan);
    const { address } = flow;
    const expiresAt = this.#options.clock.now() + limits.signInTtlMs;
    const kept = this.#options.replicas.isShared ? keptOf(flow, facts.person, expiresAt) : undefined;
    if (kept) await this.#kept.begin(kept);
    this.#add(flow.id, { ...facts, flow, kept }, limits.signInTtlMs);
    const { issuer } = plan.issuer;
    return { flow: flow.id, address, issuer, userCode: null, redirectUri: plan.redirectUri, expiresAt };
  }

  async #beginOnDevice(facts: SignInFacts): Promise<SignInStart> {
    const { plan } = facts;
    const { askForDeviceCode, awaitDevice, SignInFlow } = await import('./sign-in-flow.ts');
    const authorization = await askForDeviceCode(plan);
    const { id } = new SignInFlow(plan);
    const lastsMs = Math.min(authorization.expiresInMs, limits.signInTtlMs);
    const pending = this.#add(id, { ...facts, flow: undefined, kept: undefined }, lastsMs);
    void this.#finish(pending, () => awaitDevice(plan, authorization, this.#options.clock, pending.ended.signal));
    const expiresAt = this.#options.clock.now() + lastsMs;
    const { address, userCode } = authorization;
    return { flow: id, address, issuer: plan.issuer.issuer, userCode, redirectUri: null, expiresAt };
  }

  #add(id: string, facts: SignInFacts & Pick<Pending, 'flow' | 'kept'>, lastsMs: number): Pending {
    const { server } = facts.plan;
    this.#drop(server, 'another one was begun');
    const pending: Pending = {
      ...facts,
      end: Promise.withResolvers<SignInEnd>(),
      ended: new AbortController(),
      timer: this.#options.clock.after(lastsMs, () => this.#drop(server, 'nobody finished it in time')),
      isOver: false,
    };
    this.#pending.set(id, pending);
    return pending;
  }

  /** Ends the sign-ins of a server that have not ended, and forgets those that have. */
  #drop(server: string, why: string): void {
    for (const [id, pending] of this.#pending) {
      if (pending.plan.server !== server) continue;
      this.#pending.delete(id);
      pending.timer.cancel();
      pending.ended.abort();
      this.#settle(pending, signInFailed(server, `${why}.`));
    }
  }

  async #finish(pending: Pending, redeem: () => Promise<TokenGrant>): Promise<void> {
    const { plan, credential } = pending;
    try {
      const grant = await redeem();
      if (pending.isOver) return;
      await credential.adopt(recordOf(plan, grant, this.#options.clock.now()));
      this.#settle(pending, null);
      await this.#keepEnd(pending, null);
      this.changed.emit({ server: plan.server, graceMs: limits.drainGraceMs });
    } catch (error) {
      const trouble = error instanceof GatewayError ? error : signInFailed(plan.server, messageOf(error));
      this.#settle(pending, trouble);
      await this.#keepEnd(pending, trouble.message);
    }
  }

  /** For whoever waits on another replica. */
  async #keepEnd({ kept, plan: { server } }: Pending, end: string | null): Promise<void> {
    if (kept === undefined) return;
    await this.#kept
      .save({ ...kept, isTaken: true, end })
      .catch((error) => this.#options.log.warn('The end of a sign-in could not be kept', { server, error }));
  }

  /** The first end counts. */
  #settle(pending: Pending, trouble: GatewayError | null): void {
    if (pending.isOver) return;
    pending.isOver = true;
    const { plan, person } = pending;
    pending.end.resolve({ server: plan.server, trouble });
    void this.#options.audit?.record({
      kind: 'administration',
      action: 'server.sign-in',
      principal: person,
      server: plan.server,
      outcome: trouble === null ? 'ok' : 'failed',
      detail: { issuer: plan.issuer.issuer, scopes: [...plan.scopes], ...(trouble && { why: trouble.message }) },
    });
  }

  async #revoke(server: string, url: string, { issuer, client, tokens }: CredentialRecord): Promise<boolean> {
    const { revokeToken } = await import('./issuer-requests.ts');
    const context = { server, issuer, fetch: this.#fetchFor(url) };
    try {
      // The one that lasts: with it, most authorization servers end all that came from it.
      return await revokeToken(context, client, tokens?.refresh ?? tokens?.access ?? '');
    } catch (error) {
      this.#options.log.warn('A sign-in was forgotten here, but could not be revoked', { server, error });
      return false;
    }
  }

  #callback(way: 'browser' | 'device'): string {
    const uri = callbackOf(this.#options.config().oauth, this.#options.address());
    if (uri !== null) return uri;
    // A device never comes back; the address only stands in the registration.
    if (way === 'device') return 'http://127.0.0.1/oauth/callback';
    throw new GatewayError('UNREACHABLE', 'A sign-in comes back to the gateway, and none is running.', {
      hint: 'Start it with: toolcrib start',
    });
  }

  /** The same one until the setting changes: connections are kept by it. */
  #fetchFor(url: string): GuardedFetch {
    const { clock, config } = this.#options;
    const hosts = config().access.privateHosts;
    const known = this.#fetches.get(url);
    if (known?.hosts === hosts) return known.fetch;
    const ours = { clock, timeoutMs: limits.signInTimeoutMs, maxBytes: limits.signInAnswerBytes };
    const fetch = guardedFetch(foundPolicy(hosts, new URL(url)), ours);
    this.#fetches.set(url, { hosts, fetch });
    return fetch;
  }

  #find(spec: ServerSpec): { readonly transport: HttpSpec; readonly credential: ServerCredential } {
    if (!isSignable(spec)) {
      const isLocal = spec.transport.kind === 'stdio';
      const why = isLocal
        ? 'is started by a command and has no sign-in'
        : 'has a credential in its "headers" or is not to be signed in to ("oauth": false)';
      throw new GatewayError('USAGE', `Server "${spec.name}" ${why}.`);
    }
    // Only what is reached at an address is signable.
    const transport = spec.transport as HttpSpec;
    if (!this.#isConfidential(transport)) throw signInUnsafe(spec.name, new URL(transport.url));
    return { transport, credential: this.#credentialOf(spec.name, transport) };
  }

  #credentialOf(server: string, { url, headers }: HttpSpec): ServerCredential {
    const known = this.#credentials.get(server);
    if (known?.url === url) return known.credential;
    if (known !== undefined) this.#retire(server, known.credential);
    const credential = this.#makeCredential(server, url, Object.keys(headers).length > 0);
    this.#credentials.set(server, { url, credential });
    return credential;
  }

  #makeCredential(server: string, url: string, hasHeaders: boolean): ServerCredential {
    const { clock, log, replicas } = this.#options;
    return new ServerCredential({
      ...{ server, url, hasHeaders, stored: this.#stored, replicas, clock, log },
      after: this.#leaving.get(server),
      renew: (record, refreshToken) => this.#renew(server, record, refreshToken),
    });
  }

  /** Another address has the name now: nothing of what was begun or kept for the old one may reach it. */
  #retire(server: string, credential: ServerCredential): void {
    this.#drop(server, 'the address of the server was changed');
    const retired = credential.retire();
    this.#leaving.set(server, retired);
    // Calls that run may still finish with its token, which has to be masked meanwhile.
    void retired.then(() => this.#options.clock.after(limits.drainGraceMs, () => void credential.close()));
  }

  #isConfidential({ url }: HttpSpec): boolean {
    return isConfidential(new URL(url), this.#options.config().access.privateHosts);
  }

  async #renew(server: string, record: CredentialRecord, refresh: string): Promise<TokenGrant> {
    const { url, issuer, client, resource } = record;
    const { refusalFrom, renewGrant } = await import('./issuer-requests.ts');
    try {
      return await renewGrant({ server, issuer, client, resource, fetch: this.#fetchFor(url) }, refresh);
    } catch (cause) {
      const { code, isFinal, sentence } = refusalFrom(cause);
      throw new RenewalError(`${sentence}.`, { isFinal, isClientGone: code === 'invalid_client', cause });
    }
  }
}

/** Headers of the owner win: where they hold a credential, there is no other. */
function isSignable({ transport }: Pick<ServerSpec, 'transport'>): boolean {
  if (transport.kind === 'stdio' || transport.oauth?.isOff) return false;
  return !Object.keys(transport.headers).some((name) => name.toLowerCase() === 'authorization');
}

function recordOf(plan: SignInPlan, grant: TokenGrant, now: number): CredentialRecord {
  return {
    url: plan.url,
    resource: plan.resource,
    issuer: plan.issuer,
    client: plan.client,
    scopes: [...plan.scopes],
    tokens: {
      access: grant.accessToken,
      refresh: grant.refreshToken,
      receivedAt: now,
      expiresAt: grant.expiresInMs === null ? null : now + grant.expiresInMs,
      scopes: grant.scopes === null ? null : [...grant.scopes],
    },
  };
}
