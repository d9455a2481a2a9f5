/** Keeps requests of agents from a link until what is at its other end has been listed and judged. */

import { abortable } from '../base/abortable.ts';
import type { Clock } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { redactedBeginning } from '../base/redact.ts';
import { limits } from '../config/config.ts';
import { RpcError } from '../protocol/messages.ts';
import type { Link, LinkRequest } from './link.ts';
import { asUnexecuted } from './link-trouble.ts';

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
    const place = { link };
    this.#waiting.add(place);
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
      this.#waiting.delete(place);
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
