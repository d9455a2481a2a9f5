/**
 * Stage: a result that is still fresh is used again, and equal calls in progress share one. Only for tools that say
 * they change nothing or nothing more the second time, only where the owner allows it, and only for the same principal.
 */

import canonicalize from 'canonicalize';
import type { Clock } from '../base/clock.ts';
import { isObject } from '../base/json.ts';
import { jsonSize } from '../base/json-size.ts';
import { limits } from '../config/config.ts';
import type { Result } from '../protocol/messages.ts';
import type { Call, Stage } from './call.ts';

/** What is said of a result that was not fetched for this call. */
export const cachedKey = 'toolcrib/cached';

interface Kept {
  readonly result: Result;
  readonly server: string;
  readonly at: number;
  readonly until: number;
  readonly bytes: number;
}

/** A call in progress whose result others wait for as well. */
interface Flight {
  readonly outcome: Promise<Result>;
  readonly ending: AbortController;
  waiting: number;
}

export class ReuseBook {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  readonly #flights = new Map<string, Flight>();
  /** Counts what may have changed each server: a result that was under way meanwhile is not kept. */
  readonly #changes = new Map<string, number>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly stage: Stage = async (call, next) => {
    const { isReading, isIdempotent } = effectOf(call);
    const key = call.cacheTtlMs > 0 && (isReading || isIdempotent) ? keyOf(call) : undefined;
    if (key === undefined) return isReading ? next(call) : this.#change(call, next);
    const kept = this.#fresh(key);
    if (kept) return marked(kept.result, { ageMs: Math.round(this.#clock.elapsed() - kept.at) });
    const flight = this.#flights.get(key);
    if (flight && !flight.ending.signal.aborted) return this.#join(flight, call, next);
    return this.#lead(key, call, next);
  };

  /** What may change something makes every answer of that server old: those from before it, and those fetched meanwhile. */
  async #change(call: Call, next: (call: Call) => Promise<Result>): Promise<Result> {
    this.#forget(call.server);
    try {
      return await next(call);
    } finally {
      this.#forget(call.server);
    }
  }

  #lead(key: string, call: Call, next: (call: Call) => Promise<Result>): Promise<Result> {
    const ending = new AbortController();
    const shared = { ...call, agent: { ...call.agent, signal: ending.signal } };
    const flight: Flight = { outcome: this.#fetch(key, shared, next), ending, waiting: 0 };
    this.#flights.set(key, flight);
    const land = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    flight.outcome.then(land, land);
    return this.#wait(flight, call);
  }

  async #fetch(key: string, call: Call, next: (call: Call) => Promise<Result>): Promise<Result> {
    const { isReading } = effectOf(call);
    const changes = this.#changes.get(call.server) ?? 0;
    const result = await (isReading ? next(call) : this.#change(call, next));
    // Its own two changes do not make its answer old.
    const isOld = (this.#changes.get(call.server) ?? 0) > changes + (isReading ? 0 : 2);
    if (!isOld && isKeepable(result)) this.#keep(key, call, result);
    return result;
  }

  async #join(flight: Flight, call: Call, next: (call: Call) => Promise<Result>): Promise<Result> {
    const result = await this.#wait(flight, call);
    // A question is for the one whose call it was.
    return result.resultType === 'input_required' ? next(call) : marked(result, { ageMs: 0, isShared: true });
  }

  /** Who leaves does not take the call away from the others; when all have left it is given up. */
  #wait(flight: Flight, { agent: { signal } }: Call): Promise<Result> {
    flight.waiting += 1;
    return new Promise((resolve, reject) => {
      const leave = () => {
        flight.waiting -= 1;
        if (flight.waiting === 0) flight.ending.abort(signal.reason);
        reject(signal.reason);
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      const stay = () => signal.removeEventListener('abort', leave);
      flight.outcome.then(
        (result) => {
          stay();
          resolve(result);
        },
        (error) => {
          stay();
          reject(error);
        },
      );
    });
  }

  #fresh(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    if (kept.until > this.#clock.elapsed()) return kept;
    this.#drop(key, kept);
    return undefined;
  }

  #keep(key: string, call: Call, result: Result): void {
    const bytes = jsonSize(result, limits.reusedResultBytes);
    if (bytes > limits.reusedResultBytes) return;
    const at = this.#clock.elapsed();
    this.#kept.set(key, { result, server: call.server, at, until: at + call.cacheTtlMs, bytes });
    this.#bytes += bytes;
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= limits.reusedBytes && this.#kept.size <= limits.reusedResults) break;
      this.#drop(oldest, kept);
    }
  }

  #drop(key: string, kept: Kept): void {
    if (this.#kept.delete(key)) this.#bytes -= kept.bytes;
  }

  #forget(server: string): void {
    this.#changes.set(server, (this.#changes.get(server) ?? 0) + 1);
    if (this.#kept.size === 0) return;
    for (const [key, kept] of this.#kept) if (kept.server === server) this.#drop(key, kept);
  }
}

function effectOf({ definition: { annotations } }: Call): { isReading: boolean; isIdempotent: boolean } {
  const hints = isObject(annotations) ? annotations : {};
  return { isReading: hints.readOnlyHint === true, isIdempotent: hints.idempotentHint === true };
}

/** Undefined where the call is part of a conversation, which is nobody else's. */
function keyOf(call: Call): string | undefined {
  const { arguments: args = {}, requestState, inputResponses } = call.params;
  if (requestState !== undefined || inputResponses !== undefined) return undefined;
  const owner = call.isPerSession ? call.agent.session : call.principal.id;
  const shape = [call.maxResultBytes, call.keepsStructured];
  return canonicalize([owner, call.server, call.tool, call.fingerprint, shape, args]);
}

/** Failures are never kept, nor is a question; nor an answer whose rest was put on the shelf, which ends by itself. */
function isKeepable(result: Result): boolean {
  if (result.isError === true || result.resultType === 'input_required') return false;
  return !isObject(result._meta) || result._meta['toolcrib/result'] === undefined;
}

function marked(result: Result, mark: Record<string, unknown>): Result {
  return { ...result, _meta: { ...(isObject(result._meta) ? result._meta : {}), [cachedKey]: mark } };
}
