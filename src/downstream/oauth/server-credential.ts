/** The credential of one server, for all its links: kept, renewed once for everybody, on every replica, and never sent to another server. */

import { isDeepStrictEqual } from 'node:util';
import { abortable, type Clock } from '../../base/clock.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import { randomId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { knownSecrets } from '../../base/redact.ts';
import { limits } from '../../config/config.ts';
import { isTermOver, type Turn, type Turns } from '../../store/store.ts';
import { type Challenge, coversScopes, readChallenge } from './challenge.ts';
import type { TokenGrant } from './issuer-requests.ts';
import { moreScopesNeeded, renewalFailed, scopesRefused, signInNeeded, signInUnsafe } from './sign-in-trouble.ts';
import type { Credential, CredentialRecord, CredentialRefusal, StoredCredentials } from './stored-credentials.ts';

export type SignInState = 'none' | 'signed-in' | 'needed' | 'more-rights';

interface CredentialOptions {
  readonly server: string;
  readonly url: string;
  /** True if the owner's headers go along, which may be a credential of another kind. */
  readonly hasHeaders: boolean;
  readonly stored: StoredCredentials;
  /** They have the same tokens: one of them renews at a time. */
  readonly replicas: Turns;
  readonly clock: Clock;
  readonly log: Log;
  /** Settles when whoever had this name before has nothing left to write: only then is looked for what is kept. */
  readonly after?: Promise<unknown> | undefined;
  /** Asks the authorization server for new tokens; throws a `RenewalError`. */
  readonly renew: (record: CredentialRecord, refreshToken: string) => Promise<TokenGrant>;
}

/** The authorization server gave no new tokens. */
export class RenewalError extends Error {
  /** True if only a sign-in helps. */
  readonly isFinal: boolean;
  /** True if the client that we registered is gone as well. */
  readonly isClientGone: boolean;

  constructor(message: string, facts: { isFinal: boolean; isClientGone: boolean; cause: unknown }) {
    super(message, { cause: facts.cause });
    this.isFinal = facts.isFinal;
    this.isClientGone = facts.isClientGone;
  }
}

export class ServerCredential implements Credential {
  readonly #options: CredentialOptions;
  /** Under which name its secrets are known, to be masked wherever they turn up. */
  readonly #secretOwner = randomId();
  /** Undefined: not looked up yet. */
  #record: CredentialRecord | null | undefined;
  #header: string | null = null;
  /** When the token is to be renewed, and when it last was, in monotonic time. */
  #dueAt = Number.POSITIVE_INFINITY;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;
  #renewing: Promise<void> | undefined;
  /** Settles when every change of the record so far is made and kept: they are made one after the other. */
  #changes: Promise<unknown>;
  /** Settles when all that waits for a turn among the replicas, or has one, is done. */
  #turns: Promise<unknown> = Promise.resolve();
  /** While it is being forgotten, nothing is sent and nothing new is asked for. */
  #isLeaving = false;
  /** Another address has its name now: what is there may be used to the end, and is not renewed. */
  #isRetired = false;
  /** New tokens that could not be kept yet: they are not used before. */
  #unkept: CredentialRecord | undefined;
  #failures = 0;
  #retryAt = 0;
  #lastFailure: GatewayError | undefined;
  /** The challenge of the server's last refusal. */
  #challenge: Challenge | undefined;
  /** Since when nothing but a sign-in helps, in monotonic time. */
  #neededSince: number | undefined;
  #wantsMore = false;

  constructor(options: CredentialOptions) {
    this.#options = options;
    this.#changes = Promise.resolve(options.after).catch(() => {});
  }

  get state(): SignInState {
    if (this.#neededSince !== undefined) return 'needed';
    if (this.#wantsMore) return 'more-rights';
    return this.#sendable === null ? 'none' : 'signed-in';
  }

  get challenge(): Challenge | undefined {
    return this.#challenge;
  }

  get ready(): string | null | undefined {
    const isSettled = this.#record !== undefined && this.#neededSince === undefined;
    return isSettled && this.#now < this.#dueAt ? this.#sendable : undefined;
  }

  async prepare(signal?: AbortSignal): Promise<string | null> {
    await this.load();
    const since = this.#neededSince;
    // A server that was refused for a passing reason is asked again now and then, so that nobody has to.
    if (since !== undefined && this.#now - since < limits.signInRecheckMs) throw signInNeeded(this.#options.server);
    this.#neededSince = undefined;
    if (this.#mayRenew && this.#now >= this.#dueAt && this.#now >= this.#retryAt) {
      // The server decides if the old token is still valid: clocks differ.
      const renewed = this.#renew().catch(() => {});
      await (signal ? abortable(renewed, signal) : renewed);
    }
    return this.#sendable;
  }

  async afterRefusal(refusal: CredentialRefusal, signal?: AbortSignal): Promise<string | undefined> {
    await this.load();
    const { server, hasHeaders } = this.#options;
    const challenge = readChallenge(refusal.challenge);
    if (refusal.status === 403) {
      if (challenge?.error !== 'insufficient_scope') return undefined;
      throw this.#lacking(challenge);
    }
    // A key of the owner was refused, and nothing speaks of signing in.
    if (challenge === undefined && this.#record === null && hasHeaders) return undefined;
    this.#challenge = challenge;
    if (this.#isLeaving) throw signInNeeded(server);
    if (this.#header !== null && this.#header !== refusal.sent) return this.#header;
    const isFresh = this.#now - this.#renewedAt < limits.freshTokenMs;
    if (this.#mayRenew && this.#record?.tokens?.refresh && !refusal.isRepeated && !isFresh) {
      await this.#renewInTime(signal);
      if (this.#sendable !== null && this.#sendable !== refusal.sent) return this.#sendable;
    }
    this.#neededSince = this.#now;
    throw signInNeeded(server);
  }

  /** The kept record, or null; read on first use. */
  async load(): Promise<CredentialRecord | null> {
    if (this.#record === undefined) {
      this.#loading ??= this.#inTurn(() => this.#load()).finally(() => {
        this.#loading = undefined;
      });
      await this.#loading;
    }
    return this.#record ?? null;
  }

  /** The next request goes out whatever came of the last one. */
  retrySignIn(): void {
    this.#neededSince = undefined;
    this.#retryAt = 0;
  }

  /** A sign-in was made: it counts from now on, and is kept before anything else happens. */
  async adopt(record: CredentialRecord): Promise<void> {
    if (record.url !== this.#options.url) throw new Error('These tokens are for another address.');
    await this.#inSharedTurn(({ term }) =>
      this.#inTurn(async () => {
        await this.#options.stored.save(this.#options.server, record, term);
        this.#challenge = undefined;
        this.#use(record);
      }),
    );
  }

  /**
   * Takes over what another gateway kept. True if there is a sign-in now and was none before, or the other way round. Throws where
   * that cannot be read: what is known stays in use.
   */
  async takeOver(): Promise<boolean> {
    if (this.#isRetired) return false;
    const wasSignedIn = this.#header !== null;
    await this.#takeNewer();
    return wasSignedIn !== (this.#header !== null);
  }

  /** True if another gateway has kept another record meanwhile. */
  #takeNewer(): Promise<boolean> {
    return this.#inTurn(async () => {
      const before = this.#record;
      // A record that was not looked up yet is read when it is needed.
      if (before === undefined) return false;
      const record = await this.#options.stored.load(this.#options.server, this.#options.url);
      if (isDeepStrictEqual(record, before)) return false;
      this.#challenge = undefined;
      this.#use(record);
      this.#renewedAt = this.#now;
      return true;
    });
  }

  /** Gives what was kept, for whoever revokes it. */
  async forget(): Promise<CredentialRecord | null> {
    this.#isLeaving = true;
    try {
      await this.load().catch(() => null);
      // Its answer would be kept after all otherwise, and what it brings is what has to be revoked.
      await this.#renewing?.catch(() => {});
      const known = this.#unkept ?? this.#record ?? null;
      return await this.#inSharedTurn(async ({ term }) => {
        // Another gateway may have renewed it. One that cannot be read goes all the same.
        await this.#takeNewer().catch(() => {});
        return this.#inTurn(async () => {
          const record = this.#unkept ?? this.#record ?? known;
          await this.#options.stored.remove(this.#options.server, term);
          this.#use(null);
          return record;
        });
      });
    } finally {
      this.#isLeaving = false;
    }
  }

  /** Resolves when nothing more will be written by it. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.#turns;
    await this.#changes;
  }

  /** Nothing more is asked of it. Resolves when no renewal is under way: one that is cut off would cost the sign-in. */
  async close(): Promise<void> {
    await this.retire();
    knownSecrets.forget(this.#secretOwner);
  }

  get #sendable(): string | null {
    return this.#isLeaving ? null : this.#header;
  }

  get #mayRenew(): boolean {
    return !this.#isLeaving && !this.#isRetired;
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const made = this.#changes.then(change);
    // The caller hears of a failed change; the next one is made all the same.
    this.#changes = made.catch(() => {});
    return made;
  }

  /**
   * Alone among all replicas: whatever changes what is kept happens here, under the term of the turn. A
   * gateway that was frozen until its term was over begins again.
   */
  #inSharedTurn<T>(act: (turn: Turn) => Promise<T>): Promise<T> {
    const { server, replicas } = this.#options;
    const tried = async (): Promise<T> => {
      try {
        return await replicas.inTurn(`sign-in/${server}`, act);
      } catch (error) {
        if (isTermOver(error)) return tried();
        throw error;
      }
    };
    // Whoever had this name before may wait for the same turn.
    const made = this.#changes.then(tried);
    this.#turns = Promise.allSettled([this.#turns, made]);
    return made;
  }

  get #now(): number {
    return this.#options.clock.elapsed();
  }

  async #load(): Promise<void> {
    const record = await this.#options.stored.loadFirst(this.#options.server, this.#options.url);
    if (this.#record === undefined) this.#use(record);
  }

  #use(record: CredentialRecord | null): void {
    const tokens = record?.tokens ?? null;
    this.#record = record;
    knownSecrets.setIssued(this.#secretOwner, secretsIn(record));
    this.#header = tokens === null ? null : `Bearer ${tokens.access}`;
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    this.#dueAt = tokens === null ? Number.POSITIVE_INFINITY : this.#now + this.#msUntilDue(tokens);
    this.#failures = 0;
    this.#retryAt = 0;
    this.#unkept = undefined;
    this.#neededSince = undefined;
    this.#wantsMore = false;
  }

  /** Some time before it expires; never where it cannot be renewed, or nobody said when it expires. */
  #msUntilDue({ refresh, expiresAt, receivedAt }: NonNullable<CredentialRecord['tokens']>): number {
    if (refresh === null || expiresAt === null) return Number.POSITIVE_INFINITY;
    const marginMs = Math.min(limits.tokenMarginMs, (expiresAt - receivedAt) / 5);
    return expiresAt - marginMs - this.#options.clock.now();
  }

  #lacking(challenge: Challenge): GatewayError {
    const { server } = this.#options;
    const asked = this.#record?.scopes ?? [];
    this.#challenge = challenge;
    // With the same scopes asked for once more, the same would happen once more.
    if (coversScopes(asked, challenge.scopes)) return scopesRefused(server, challenge.scopes);
    this.#wantsMore = true;
    return moreScopesNeeded(server, challenge.scopes);
  }

  /** Throws where it may come right by itself; returns where there is a new token, or where only a sign-in helps. */
  async #renewInTime(signal: AbortSignal | undefined): Promise<void> {
    if (this.#renewing === undefined && this.#now < this.#retryAt && this.#lastFailure) throw this.#lastFailure;
    const renewed = this.#renew();
    await (signal ? abortable(renewed, signal) : renewed);
  }

  /** One renewal for all who need it. Nobody who gives up cuts it off. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#renewNow().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewNow(): Promise<void> {
    const record = this.#record;
    const refresh = record?.tokens?.refresh;
    if (!record || !refresh) return;
    try {
      await this.#inSharedTurn((turn) => this.#renewInTurn(record, refresh, turn));
    } catch (error) {
      if (this.#record === record) this.#onFailedRenewal(error);
    }
  }

  /** Everything is kept under the term of the turn: a gateway that was frozen meanwhile replaces nothing that is newer. */
  async #renewInTurn(record: CredentialRecord, refresh: string, { signal, term }: Turn): Promise<void> {
    // It was retired while it waited: nobody is asked any more, but tokens that came before are still kept.
    if (this.#isRetired && this.#unkept === undefined) return;
    // Another gateway may have renewed it, and most refresh tokens are good for once: unless that can be read, nobody is asked.
    await this.#takeNewer();
    if (this.#record !== record) return;
    // Somebody else asks with this refresh token now.
    signal.throwIfAborted();
    try {
      const renewed = this.#unkept ?? this.#renewed(record, await this.#options.renew(record, refresh));
      await this.#inTurn(() => this.#keepRenewed(record, renewed, term));
    } catch (error) {
      if (!(error instanceof RenewalError && error.isFinal)) throw error;
      if (await this.#takeNewer()) return;
      await this.#inTurn(() => this.#end(record, error, term));
    }
  }

  async #keepRenewed(record: CredentialRecord, renewed: CredentialRecord, term: Turn['term']): Promise<void> {
    if (this.#record !== record) return;
    this.#unkept = renewed;
    // The old refresh token may be worthless by now: the new one is safe before anything is done with it.
    await this.#options.stored.save(this.#options.server, renewed, term);
    this.#use(renewed);
    this.#renewedAt = this.#now;
    // One that is said to expire at once would be renewed for every request.
    this.#dueAt = Math.max(this.#dueAt, this.#now + limits.freshTokenMs);
  }

  #renewed(record: CredentialRecord, grant: TokenGrant): CredentialRecord {
    const receivedAt = this.#options.clock.now();
    return {
      ...record,
      tokens: {
        access: grant.accessToken,
        refresh: grant.refreshToken ?? record.tokens?.refresh ?? null,
        receivedAt,
        expiresAt: grant.expiresInMs === null ? null : receivedAt + grant.expiresInMs,
        scopes: grant.scopes === null ? (record.tokens?.scopes ?? null) : [...grant.scopes],
      },
    };
  }

  #onFailedRenewal(error: unknown): never {
    const { server, log } = this.#options;
    const steps = limits.renewalStepsMs;
    this.#retryAt = this.#now + (steps[Math.min(this.#failures, steps.length - 1)] ?? 0);
    this.#failures += 1;
    this.#lastFailure = error instanceof GatewayError ? error : renewalFailed(server, messageOf(error), error);
    log.warn('A sign-in to a server could not be renewed and is tried again', { server, why: messageOf(error) });
    throw this.#lastFailure;
  }

  async #end(record: CredentialRecord, { message, isClientGone }: RenewalError, term: Turn['term']): Promise<void> {
    if (this.#record !== record) return;
    const { server, stored, log } = this.#options;
    // Without the address that it was registered for it is not taken for one that can be used again.
    const client = isClientGone ? { ...record.client, redirectUri: null } : record.client;
    const ended = { ...record, client, tokens: null };
    await stored.save(server, ended, term).catch((error: unknown) => {
      if (isTermOver(error)) throw error;
      // Another failed save does no harm: the next start finds out again.
    });
    log.warn('A sign-in to a server has ended', { server, why: message });
    this.#use(ended);
    this.#neededSince = this.#now;
  }
}

function secretsIn(record: CredentialRecord | null): string[] {
  const { tokens, client } = record ?? {};
  return [tokens?.access, tokens?.refresh, client?.secret].filter((value) => typeof value === 'string');
}

/** Stands in for the credential of a server that is reached in the open: it sends nothing, and says why. */
export class OpenCredential implements Credential {
  readonly ready = null;
  readonly #server: string;
  readonly #url: URL;

  constructor(server: string, url: URL) {
    this.#server = server;
    this.#url = url;
  }

  async prepare(): Promise<null> {
    return null;
  }

  async afterRefusal({ status, challenge }: CredentialRefusal): Promise<undefined> {
    if (status === 401 && readChallenge(challenge) !== undefined) throw signInUnsafe(this.#server, this.#url);
  }
}
