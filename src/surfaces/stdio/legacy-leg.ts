/** Messages of the legacy era: requests run side by side, notifications keep their order and come before what follows them. */

import { abortable, sleep } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { RpcNotification, RpcResponse } from '../../protocol/messages.ts';
import { bridgeLimits } from './bridge-limits.ts';
import { withResend } from './delivery-error.ts';
import type { Flight } from './flight.ts';
import { type BridgeContext, BridgeSession } from './legacy-session.ts';
import type { Live } from './live-session.ts';

export class LegacyLeg {
  readonly #context: BridgeContext;
  readonly #session: BridgeSession;
  /** On which session a request was sent, for its cancellation. */
  readonly #routes = new WeakMap<Flight, Live>();
  #notes: Promise<void> = Promise.resolve();
  #queuedNotes = 0;

  constructor(context: BridgeContext) {
    this.#context = context;
    this.#session = new BridgeSession(context);
  }

  get isCongested(): boolean {
    return this.#queuedNotes >= bridgeLimits.maxQueuedNotes;
  }

  /** Resolves when what was said so far has been passed on. */
  get settled(): Promise<void> {
    return this.#notes;
  }

  async send(flight: Flight): Promise<void> {
    if (flight.message.method === 'initialize') return this.#session.open(flight);
    await abortable(this.#notes, flight.signal);
    await withResend(() => this.#carry(flight));
  }

  async #carry(flight: Flight): Promise<void> {
    const live = await abortable(this.#session.ready(), flight.signal);
    this.#routes.set(flight, live);
    const onSent = () => {
      flight.isSent = true;
    };
    const response = await this.#session.post(live, flight.text, { signal: flight.signal, onSent });
    const answer = await this.#context.outlet.relay(response, flight, (incoming) =>
      this.#session.questions.translate(incoming, live),
    );
    if (answer && 'result' in answer) this.#session.memory.learn(flight.message, flight.text);
  }

  /** A notification; dropped where there is no session that it could belong to. */
  note(message: RpcNotification, text: string): void {
    if (!this.#session.hasBegun) return;
    this.#queuedNotes += 1;
    this.#notes = this.#notes.then(() => this.#passNote(message, text)).finally(() => (this.#queuedNotes -= 1));
  }

  async #passNote(message: RpcNotification, text: string): Promise<void> {
    try {
      if (message.method === 'notifications/initialized') await this.#session.begin(text);
      else await withResend(async () => this.#session.tell(await this.#session.ready(), text));
    } catch (error) {
      this.#context.log.warn('A notification did not reach the gateway', {
        method: message.method,
        error: messageOf(error),
      });
    }
  }

  /** The agent's answer to a question; one that nobody waits for any more is dropped. */
  answer(response: RpcResponse): void {
    const taken = this.#session.questions.take(response);
    if (!taken) return;
    this.#session.tell(taken.asker, JSON.stringify(taken.answer)).catch((error) => {
      this.#context.log.warn('An answer of the agent did not reach the gateway', { error: messageOf(error) });
    });
  }

  isQuestion(id: string | number): boolean {
    return this.#session.questions.isOpen(id);
  }

  /** Stops a request: here while it waits, at the gateway once it is on its way. */
  async cancel(flight: Flight, text: string): Promise<void> {
    const live = this.#routes.get(flight);
    if (!flight.isSent || !live) return flight.abort();
    for (let tries = 1; tries <= bridgeLimits.cancelTries; tries += 1) {
      await this.#session.tell(live, text).catch(() => {});
      const pause = sleep(this.#context.clock, bridgeLimits.cancelRepeatMs, flight.signal).catch(() => {});
      await Promise.race([flight.done, pause]);
      if (flight.isDone || flight.signal.aborted) return;
    }
    flight.abort();
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
