/** Everything that callers have open: whether they still have the right to it, and how much of it each may have at once. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { everybody, type Principal, serverRefusalOf } from '../access/access.ts';
import { limits } from '../config/config.ts';
import type { Uses } from '../tools/tools.ts';
import type { CallerIdentity } from './authenticate.ts';
import { HttpError } from './exchange.ts';
import { lackedScope, type Route } from './routes.ts';
import { countedAddress, type Sender } from './sender.ts';

/** One request on its way through the door. */
export interface DoorRequest {
  readonly route: Route;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly sender: Sender;
}

/** A request whose caller was let in. Its slots are held until the response closes, so that a stream is an ordinary answer. */
export interface AdmittedRequest extends DoorRequest {
  readonly identity: CallerIdentity;
  readonly slots: RequestSlots;
}

interface CurrentRightsOptions {
  readonly context: Uses<'access' | 'downstream'>;
  readonly needsToken: () => boolean;
}

export class CurrentRights {
  readonly connections = new Connections();
  readonly #options: CurrentRightsOptions;

  constructor(options: CurrentRightsOptions) {
    this.#options = options;
  }

  /** A principal that was let in, with its rights of now; undefined if it would not be let in again. */
  renew(principal: Principal, route: Route): Principal | undefined {
    if (principal.id === everybody.id && this.#options.needsToken()) return undefined;
    const now = this.#options.context.access.renew(principal);
    return now && lackedScope(route, now) === undefined ? now : undefined;
  }

  /** True while a principal that came in by a route would still find what it leads to. */
  mayStay(principal: Principal, route: Route): boolean {
    const now = this.renew(principal, route);
    if (!now || route.kind !== 'server') return now !== undefined;
    const spec = this.#options.context.downstream.spec(route.name);
    return spec !== undefined && serverRefusalOf(now, spec) === null;
  }
}

interface Connection {
  /** False once its principal has lost the right to be here. */
  readonly mayStay: () => boolean;
  readonly end: () => void;
}

/** Everything that is open for a principal, so that it can be ended when the principal loses its rights. */
export class Connections {
  readonly #open = new Set<Connection>();

  /** Returns the function to call when the connection is over. */
  add(connection: Connection): () => void {
    this.#open.add(connection);
    return () => this.#open.delete(connection);
  }

  /** To be called whenever rights may have changed. */
  review(): void {
    for (const connection of this.#open) {
      if (connection.mayStay()) continue;
      this.#open.delete(connection);
      connection.end();
    }
  }
}

/** The slots of each principal. */
export class Slots {
  readonly #most: () => number;
  readonly #taken = new Map<string, number>();

  constructor(most: () => number) {
    this.#most = most;
  }

  get most(): number {
    return this.#most();
  }

  /** Taken by all principals together. */
  get size(): number {
    return [...this.#taken.values()].reduce((sum, count) => sum + count, 0);
  }

  /** True for a principal that uses spare slots. */
  isOver(principal: string): boolean {
    return (this.#taken.get(principal) ?? 0) > this.#most();
  }

  /** Returns the function that frees the slot, which is safe to call twice; undefined when none is left. `spare`: extra slots for this purpose. */
  take(principal: string, spare = 0): (() => void) | undefined {
    const taken = this.#taken.get(principal) ?? 0;
    if (taken >= this.#most() + spare) return undefined;
    this.#taken.set(principal, taken + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#taken.get(principal) ?? 1) - 1;
      if (left > 0) this.#taken.set(principal, left);
      else this.#taken.delete(principal);
    };
  }
}

/** Everybody on whose behalf one request is made: each takes one of its own slots, and is watched, once. */
export class RequestSlots {
  readonly #slots: Slots;
  readonly #watch: (principal: Principal) => () => void;
  readonly #ends = new Map<string, readonly (() => void)[]>();
  /** Frees the slot that the request has while it names nobody. */
  #freeAnonymous: (() => void) | undefined;

  /** `watch`: begins to watch a principal, and returns the function that ends it. */
  constructor(slots: Slots, watch: (principal: Principal) => () => void) {
    this.#slots = slots;
    this.#watch = watch;
  }

  /** `mayEndOthers`: this may turn out to be the answer that running requests wait for. Throws when no slot is free. */
  take(principal: Principal, mayEndOthers: boolean): void {
    if (this.#ends.has(principal.id)) return;
    const free = this.#slots.take(principal.id, mayEndOthers ? limits.spareRequests : 0);
    if (!free) throw this.#full();
    this.#ends.set(principal.id, [free, this.#watch(principal)]);
    this.#freeAnonymous?.();
  }

  /** For a request that names nobody yet. */
  takeAnonymous(free: () => void): void {
    this.#freeAnonymous = free;
  }

  /** Throws for a request that begins something: spare slots are not for those. */
  checkRoom(principal: Principal): void {
    if (this.#slots.isOver(principal.id)) throw this.#full();
  }

  release(): void {
    for (const ends of this.#ends.values()) for (const end of ends) end();
    this.#ends.clear();
    this.#freeAnonymous?.();
  }

  #full(): HttpError {
    const { most } = this.#slots;
    return new HttpError(429, `This token has ${most} requests under way; ${most} are allowed.`, {
      headers: { 'retry-after': '1' },
      rpcCode: -32000,
    });
  }
}

/** One name for all: they share the slots. */
const everySender = 'all';

/** Slots of requests that name nobody yet: limited by sender and all together. */
export class AnonymousSlots {
  readonly #each = new Slots(() => limits.anonymousRequests);
  readonly #all = new Slots(() => limits.anonymousRequestsInAll);

  /** Returns the function that frees the slot, which is safe to call twice. Throws when none is left. */
  take({ address }: Sender): () => void {
    const ofSender = this.#each.take(countedAddress(address));
    if (!ofSender) throw anonymousFull(429, 'This address', this.#each.most);
    const ofAll = this.#all.take(everySender);
    if (!ofAll) {
      ofSender();
      throw anonymousFull(503, 'This gateway', this.#all.most);
    }
    return () => {
      ofSender();
      ofAll();
    };
  }
}

function anonymousFull(status: number, owner: string, most: number): HttpError {
  const sentence = `${owner} has ${most} requests without a token under way; ${most} are allowed.`;
  return new HttpError(status, sentence, { headers: { 'retry-after': '1' }, rpcCode: -32000 });
}
