/** The address of the gateway: found when it is first needed, and again when it has gone. */

import { abortable, type Clock, sleep } from '../../base/clock.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { Signal } from '../../base/signal.ts';
import { bridgeLimits } from './bridge-limits.ts';
import { type AgentDoor, isReady } from './exchange.ts';

/** Finds the running gateway, or starts one; throws with the reason when it can do neither. */
export type Connect = () => Promise<{ readonly url: string; readonly token: string }>;

export interface GatewayFinderOptions {
  readonly connect: Connect;
  /** The surface to ask for; undefined leaves the choice to the gateway. */
  readonly surface: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export class GatewayFinder {
  readonly #options: GatewayFinderOptions;
  readonly #ending = new AbortController();
  readonly #found = new Signal<AgentDoor>();
  #door: AgentDoor | undefined;
  #last: AgentDoor | undefined;
  #finding: Promise<AgentDoor> | undefined;
  #isTroubleTold = false;

  constructor(options: GatewayFinderOptions) {
    this.#options = options;
  }

  /** A gateway that is believed to be there. All who need one at once share one search. */
  ensure(signal: AbortSignal): Promise<AgentDoor> {
    if (this.#door) return Promise.resolve(this.#door);
    this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined;
    });
    return abortable(this.#finding, signal);
  }

  /** This one is gone: the next request looks for it again. */
  lost(door: AgentDoor): void {
    if (this.#door === door) this.#door = undefined;
  }

  /**
   * Resolves when a gateway is there again, without ever starting one: while nothing is asked of it, a gateway that its
   * owner has stopped stays stopped.
   */
  async whenBack(signal: AbortSignal): Promise<void> {
    const pauses = bridgeLimits.returnPauseMs;
    for (let pauseMs: number = pauses.first; !this.#door; pauseMs = Math.min(pauseMs * 2, pauses.most)) {
      await this.#foundWithin(pauseMs, signal);
      if (!this.#door && this.#last && (await isReady(this.#last.url))) return;
    }
  }

  /** Resolves when no search is going on, however it ended. */
  async settled(): Promise<void> {
    await this.#finding?.catch(() => {});
  }

  /** Ends a search that is going on. */
  close(): void {
    this.#ending.abort(new GatewayError('CANCELLED', 'The bridge is ending.'));
  }

  async #find(): Promise<AgentDoor> {
    try {
      const door = await this.#search();
      this.#isTroubleTold = false;
      this.#door = door;
      this.#last = door;
      this.#found.emit(door);
      return door;
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#tell(error);
      throw error;
    }
  }

  /** A gateway that is starting or draining holds its address without answering: it is asked again for a while. */
  async #search(): Promise<AgentDoor> {
    const { clock } = this.#options;
    const since = clock.elapsed();
    const pauses = bridgeLimits.findPauseMs;
    for (let pauseMs: number = pauses.first; ; pauseMs = Math.min(pauseMs * 2, pauses.most)) {
      const door = await abortable(this.#connect(), this.#ending.signal);
      if (await isReady(door.url)) return door;
      if (clock.elapsed() - since > bridgeLimits.findMs) {
        throw new GatewayError('UNREACHABLE', `The gateway at ${door.url.origin} does not answer.`, {
          hint: 'It may be hanging: end it, and the next request starts a new one.',
        });
      }
      await sleep(clock, pauseMs, this.#ending.signal);
    }
  }

  async #connect(): Promise<AgentDoor> {
    const { connect, surface } = this.#options;
    const found = await connect().catch((error: unknown) => {
      if (error instanceof GatewayError) throw error;
      throw new GatewayError('UNREACHABLE', `No gateway could be found or started: ${messageOf(error)}`, {
        cause: error,
      });
    });
    const url = new URL('/mcp', found.url);
    if (surface !== undefined) url.searchParams.set('surface', surface);
    const token = found.token.trim();
    if (url.protocol !== 'http:') throw new GatewayError('USAGE', `The gateway must be at an http URL, not ${url}.`);
    if (/[^\x21-\x7e]/.test(token)) {
      throw new GatewayError('UNAUTHENTICATED', 'The token holds characters that no token has.', {
        hint: 'Check TOOLCRIB_TOKEN.',
      });
    }
    return { url, token };
  }

  #foundWithin(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.#found.on(() => resolve());
    return Promise.race([promise, sleep(this.#options.clock, ms, signal)]).finally(stop);
  }

  /** Said once: the agent hears it with every request. */
  #tell(error: unknown): void {
    if (this.#isTroubleTold) return;
    this.#isTroubleTold = true;
    const hint = error instanceof GatewayError && error.hint ? ` ${error.hint}` : '';
    this.#options.log.error(`${messageOf(error)}${hint}`);
  }
}
