/** A request of the agent that is under way, and how far it has got. */

import { GatewayError } from '../../base/errors.ts';
import type { RequestId, RpcRequest } from '../../protocol/messages.ts';

export class Flight {
  readonly message: RpcRequest;
  /** The request as the agent wrote it, which is how it is passed on. */
  readonly text: string;
  /** The agent no longer wants an answer. */
  isCancelled = false;
  isAnswered = false;
  /** It has left for the gateway, so that only the gateway can stop it. */
  isSent = false;
  /** The agent waits for it no longer. */
  isDone = false;
  /** When the last report of progress was passed on. */
  lastProgressAt = Number.NEGATIVE_INFINITY;
  readonly #aborter = new AbortController();
  readonly #done = Promise.withResolvers<void>();

  constructor(message: RpcRequest, text: string) {
    this.message = message;
    this.text = text;
  }

  get id(): RequestId {
    return this.message.id;
  }

  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  /** Resolves when `isDone` becomes true. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** Closes its connection, which is how the modern era cancels. */
  abort(): void {
    this.#aborter.abort(new GatewayError('CANCELLED', 'The request was given up.'));
  }

  finish(): void {
    this.isDone = true;
    this.#done.resolve();
  }
}
