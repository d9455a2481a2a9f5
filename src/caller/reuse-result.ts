/**
 * Stage: a result that is still fresh is used again, and equal calls in progress share one. Only for tools that say
 * they change nothing or nothing more the second time, only where the owner allows it, and only for the same principal.
 */

import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Clock } from '../base/clock.ts';
import { isObject, jsonSize } from '../base/json.ts';
import { limits } from '../config/config.ts';
import type { Result } from '../protocol/messages.ts';
import type { AgentSide, Call, Stage } from './call.ts';

/** Marks a result that was not fetched for this call. */
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
  /** Changes of the server when it began: whoever comes after another one must not be given what was before it. */
  readonly changes: number;
  /** Set once its agent was asked something: what it answered is nobody else's. */
  readonly privacy: { isPrivate: boolean };
  waiting: number;
}

type Next = (call: Call) => Promise<Result>;

export class ResultCache {
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
    if (key === undefined) return this.#alone(call, next);
    const kept = this.#fresh(key);
    if (kept) return marked(kept.result, { ageMs: Math.round(this.#clock.elapsed() - kept.at) });
    const flight = this.#flights.get(key);
    if (flight && this.#isOpen(flight, call)) return this.#join(flight, call, next);
    return this.#lead(key, call, next);
  };

  #isOpen({ ending, privacy, changes }: Flight, { server }: Call): boolean {
    return !ending.signal.aborted && !privacy.isPrivate && changes === this.#changesOf(server);
  }

  /** On its own, neither shared nor kept. */
  async #alone(call: Call, next: Next): Promise<Result> {
    return effectOf(call).isReading ? next(call) : this.#change(call, next);
  }

  /** A call that may change something outdates every answer of that server, from before it or fetched meanwhile. */
  async #change(call: Call, next: Next): Promise<Result> {
    this.#forget(call.server);
    try {
      return await next(call);
    } finally {
      this.#forget(call.server);
    }
  }

  #lead(key: string, call: Call, next: Next): Promise<Result> {
    const privacy = { isPrivate: false };
    const ending = new AbortController();
    const agent = { ...call.agent, signal: ending.signal, ask: noticed(call.agent.ask, privacy) };
    const outcome = this.#alone({ ...call, agent }, next);
    const flight: Flight = { outcome, ending, privacy, changes: this.#changesOf(call.server), waiting: 0 };
    this.#flights.set(key, flight);
    const land = () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    outcome.then((result) => {
      land();
      // The end of a change is a change as well, but not of what it brought.
      const own = effectOf(call).isReading ? 0 : 1;
      const isOld = this.#changesOf(call.server) > flight.changes + own;
      if (!isOld && !privacy.isPrivate && isKeepable(result)) this.#keep(key, call, result);
    }, land);
    return this.#wait(flight, call);
  }

  async #join(flight: Flight, call: Call, next: Next): Promise<Result> {
    const result = await this.#wait(flight, call);
    const isOthers = flight.privacy.isPrivate || result.resultType === 'input_required';
    return isOthers ? this.#alone(call, next) : marked(result, { ageMs: 0, isShared: true });
  }

  /** A caller that leaves does not end the call for the others; it ends when all have left. */
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

  #changesOf(server: string): number {
    return this.#changes.get(server) ?? 0;
  }

  #forget(server: string): void {
    this.#changes.set(server, this.#changesOf(server) + 1);
    if (this.#kept.size === 0) return;
    for (const [key, kept] of this.#kept) if (kept.server === server) this.#drop(key, kept);
  }
}

/** The same question, noted. */
function noticed(ask: AgentSide['ask'], privacy: { isPrivate: boolean }): AgentSide['ask'] {
  return (
    ask &&
    ((...question) => {
      privacy.isPrivate = true;
      return ask(...question);
    })
  );
}

function effectOf({ definition: { annotations } }: Call): { isReading: boolean; isIdempotent: boolean } {
  const hints = isObject(annotations) ? annotations : {};
  return { isReading: hints.readOnlyHint === true, isIdempotent: hints.idempotentHint === true };
}

/** Undefined where the call is part of a conversation, which is nobody else's. Short, however long the arguments are. */
function keyOf(call: Call): string | undefined {
  const { arguments: args = {}, requestState, inputResponses } = call.params;
  if (requestState !== undefined || inputResponses !== undefined) return undefined;
  const owner = call.isPerSession ? call.agent.session : call.principal.id;
  const { era, capabilities, knowsLinks = false } = call.agent;
  // The agent's abilities and limits shape the result.
  const reader = [era, capabilities, knowsLinks, call.reader, call.maxResultBytes, call.keepsStructured];
  const whole = canonicalize([owner, call.server, call.serverIdentity, call.tool, call.fingerprint, reader, args]);
  return whole === undefined ? undefined : createHash('sha256').update(whole).digest('base64url');
}

/** Failures are never kept, nor is a question; nor an answer whose rest is a stored result, which expires by itself. */
function isKeepable(result: Result): boolean {
  if (result.isError === true || result.resultType === 'input_required') return false;
  return !isObject(result._meta) || result._meta['toolcrib/result'] === undefined;
}

function marked(result: Result, mark: Record<string, unknown>): Result {
  return { ...result, _meta: { ...(isObject(result._meta) ? result._meta : {}), [cachedKey]: mark } };
}
