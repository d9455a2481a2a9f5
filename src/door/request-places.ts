/** Everybody on whose behalf one request is made: each takes one place among its own requests, and is watched, once. */

import type { ServerResponse } from 'node:http';
import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { limits } from '../config/config.ts';
import type { Allowance } from './allowance.ts';
import { HttpError } from './read-request.ts';

export class RequestPlaces {
  readonly #allowance: Allowance;
  readonly #watch: (principal: Principal) => () => void;
  readonly #ends = new Map<string, readonly (() => void)[]>();
  /** Gives back the place that it has while it names nobody. */
  #leaveStrangers: (() => void) | undefined;

  /** `watch`: begins to look after a principal, and returns the function that ends it. */
  constructor(allowance: Allowance, watch: (principal: Principal) => () => void) {
    this.#allowance = allowance;
    this.#watch = watch;
  }

  /** `mayEndOthers`: it cannot be known yet whether this is the answer that running requests wait for. Throws where there is no room. */
  take(principal: Principal, mayEndOthers: boolean): void {
    if (this.#ends.has(principal.id)) return;
    const giveBack = this.#allowance.take(principal.id, mayEndOthers ? limits.spareRequests : 0);
    if (!giveBack) throw this.#full();
    this.#ends.set(principal.id, [giveBack, this.#watch(principal)]);
    this.#leaveStrangers?.();
  }

  /** For a request that names nobody yet. */
  takeAsStranger(leave: () => void): void {
    this.#leaveStrangers = leave;
  }

  /** For a request of which it is known now that it begins something: the spare places are not for those. */
  checkRoom(principal: Principal): void {
    if (this.#allowance.isOver(principal.id)) throw this.#full();
  }

  release(): void {
    for (const ends of this.#ends.values()) for (const end of ends) end();
    this.#ends.clear();
    this.#leaveStrangers?.();
  }

  #full(): HttpError {
    const { most } = this.#allowance;
    return new HttpError(429, `This token has ${most} requests under way; ${most} are allowed.`, {
      headers: { 'retry-after': '1' },
      rpcCode: -32000,
    });
  }
}

/** Aborts when whoever asked has gone, or was answered: at once where that is so already. */
export function untilClosed(response: ServerResponse): AbortSignal {
  const closing = new AbortController();
  const onClose = () => closing.abort(new GatewayError('CANCELLED', 'The request was closed.'));
  if (response.writableEnded) onClose();
  else onceClosed(response, onClose);
  return closing.signal;
}

/** Also where it was closed already, which is told only once. */
export function onceClosed(response: ServerResponse, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}
