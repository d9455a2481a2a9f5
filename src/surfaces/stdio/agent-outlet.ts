/** Writes messages to the agent in order: a message that came before an answer is written before it. */

import type { IncomingMessage } from 'node:http';
import { type Clock, sleep } from '../../base/clock.ts';
import { failure, type RequestId, type RpcErrorBody, type RpcResponse } from '../../protocol/messages.ts';
import { bridgeLimits } from './bridge-limits.ts';
import { brokenOff } from './delivery-error.ts';
import type { Flight } from './flight.ts';
import type { LineWriter } from './line-writer.ts';
import { type Incoming, ownedBy, readMessages } from './read-messages.ts';

export class AgentOutlet {
  readonly #writer: LineWriter;
  readonly #clock: Clock;

  constructor(writer: LineWriter, clock: Clock) {
    this.#writer = writer;
    this.#clock = clock;
  }

  /** Something of our own. */
  say(text: string): void {
    this.#writer.write(text);
  }

  refuse(id: RequestId | null, error: RpcErrorBody): void {
    this.say(JSON.stringify(failure(id, error)));
  }

  /** A message that is no answer; resolves when the agent has room for the next. */
  async pass(incoming: Incoming, flight?: Flight): Promise<void> {
    await this.#writer.drained();
    this.#writer.write(incoming.text);
    if (flight && isProgress(incoming)) flight.lastProgressAt = this.#clock.elapsed();
  }

  /** The answer to a request, unless it is no longer wanted. */
  async answer(flight: Flight, text: string): Promise<void> {
    flight.isAnswered = true;
    const gapMs = flight.lastProgressAt + bridgeLimits.answerGapMs - this.#clock.elapsed();
    if (gapMs > 0) await sleep(this.#clock, gapMs);
    await this.#writer.drained();
    if (!flight.isCancelled) this.#writer.write(text);
    flight.finish();
  }

  /**
   * Passes on everything that came in answer to a request; returns the answer itself. Throws `broken` where there is none.
   * `translate` sees what is not the answer.
   */
  async relay(
    response: IncomingMessage,
    flight: Flight,
    translate: (incoming: Incoming) => Incoming = (incoming) => incoming,
  ): Promise<RpcResponse | undefined> {
    let answer: RpcResponse | undefined;
    // Don't read messages that the agent has no room for.
    await this.#writer.drained();
    await readMessages(response, {
      onMessage: async (incoming) => {
        if (incoming.kind !== 'response') return this.pass(translate(incoming), flight);
        const owned = ownedBy(incoming, flight.id);
        const message = owned.message as RpcResponse; // its kind says so
        if (message.id !== flight.id || answer) return;
        answer = message;
        await this.answer(flight, owned.text);
      },
    });
    if (!answer && !flight.isCancelled) throw brokenOff();
    return answer;
  }
}

function isProgress({ message }: Incoming): boolean {
  return 'method' in message && message.method === 'notifications/progress';
}
