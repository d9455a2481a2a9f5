/** The server's state for one peer: a stdio pipe, a legacy session, or a single modern HTTP request. */

import type { Journal } from './journal.ts';
import { type Dict, isDict, type Message, type RequestId, RpcFailure } from './rpc.ts';
import type { Era } from './spec.ts';

/** Ways to end an exchange that a correct server never uses. */
export type BreakOff = 'half' | 'end' | 'destroy' | 'mid-event';

/** Where the messages that belong to one incoming request go. */
export interface Outlet {
  /** Writes messages that precede the answer, all in one write. */
  send(messages: readonly Message[]): void;
  /** Writes the last messages, in one write, and ends the exchange. */
  finish(messages: readonly Message[], httpStatus?: number): void;
  /** Ends the exchange without an answer, as after a cancellation. */
  abandon(): void;
  /** Ends the exchange in the middle of its last message. */
  breakOff(messages: readonly Message[], how: BreakOff): void;
  /** Writes bytes as they are, as fast as they are read, and ends the exchange where it has an end. */
  pour(chunks: AsyncIterable<Buffer>): Promise<void>;
}

/** An outlet for messages that get no answer. */
export const NO_OUTLET: Outlet = {
  send: () => {},
  finish: () => {},
  abandon: () => {},
  breakOff: () => {},
  pour: async () => {},
};

export class Conversation {
  readonly era: Era;
  clientCapabilities: Dict = {};
  hasOpened = false;
  isReady = false;
  logLevel = 'debug';
  readonly subscriptions = new Set<string>();
  readonly #journal: Journal;
  readonly #inFlight = new Map<RequestId, AbortController>();
  readonly #waiting = new Map<RequestId, PromiseWithResolvers<Dict>>();
  #asked = 0;
  /** Writes messages that belong to no request: unsolicited notifications of the legacy era. */
  readonly push: (messages: readonly Message[]) => void;

  constructor(era: Era, journal: Journal, push: (messages: readonly Message[]) => void) {
    this.era = era;
    this.#journal = journal;
    this.push = push;
  }

  /** Registers a request as running; the signal fires when the client cancels it or goes away. */
  begin(id: RequestId): AbortSignal {
    const controller = new AbortController();
    this.#inFlight.set(id, controller);
    return controller.signal;
  }

  end(id: RequestId): void {
    this.#inFlight.delete(id);
  }

  cancel(id: RequestId, how: string): void {
    const controller = this.#inFlight.get(id);
    this.#journal.write('cancelled', { id, how, wasRunning: controller !== undefined });
    this.#inFlight.delete(id);
    controller?.abort();
  }

  /** Sends a request to the client (legacy era) through `send` and waits for its response. */
  async ask(method: string, params: Dict, send: Outlet['send'], signal: AbortSignal): Promise<Dict> {
    // String ids: a client that mixes up its own numeric ids with the server's is caught by them.
    const id = `ask-${++this.#asked}`;
    const waiting = Promise.withResolvers<Dict>();
    this.#waiting.set(id, waiting);
    signal.addEventListener('abort', () => waiting.reject(signal.reason), { once: true });
    send([{ jsonrpc: '2.0', id, method, params }]);
    return waiting.promise.finally(() => this.#waiting.delete(id));
  }

  /** Takes a response from the client; one that answers nothing we asked is only noted. */
  settle(response: Message): void {
    this.#journal.write('response', { id: response.id, result: response.result, error: response.error });
    const waiting = response.id === undefined ? undefined : this.#waiting.get(response.id);
    if (response.error !== undefined) waiting?.reject(new RpcFailure(response.error.code, response.error.message));
    else waiting?.resolve(isDict(response.result) ? response.result : {});
  }

  /** The peer is gone: everything it waited for is cancelled. */
  close(how: string): void {
    for (const id of [...this.#inFlight.keys()]) this.cancel(id, how);
  }
}
