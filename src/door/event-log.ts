/** The streams of one legacy session: events get ids and are kept for a while, so that an agent that lost its connection can go on. */

import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../base/clock.ts';
import type { RpcMessage } from '../protocol/messages.ts';
import { encodeSse } from '../protocol/sse.ts';
import { isResponseOpen, keepAliveMs, streamHeaders, watchReading, writeStreamPart } from './exchange.ts';

/** How long an agent should wait before it comes back to a stream that it lost. */
const retryMs = 1_000;
/** Limits of the events of one stream that are stored for an agent that comes back; older ones are dropped first. */
const maxKeptEvents = 256;
const maxKeptCharacters = 1_048_576;
/** How long a stream that was written to its end can be read again: its agent may have lost the last of it on the way. */
const keepWrittenMs = 60_000;

interface KeptEvent {
  readonly number: number;
  readonly text: string;
}

interface StreamOptions {
  readonly id: string;
  readonly clock: Clock;
  /** True if the agent's version knows events without data. */
  readonly hasPriming: boolean;
  /** Called when more is kept than before. */
  readonly onKept: (stream: EventStream) => void;
}

/** One stream: at most one connection at a time carries it; messages sent meanwhile wait. */
export class EventStream {
  readonly id: string;
  readonly #options: StreamOptions;
  #kept: KeptEvent[] = [];
  #keptCharacters = 0;
  #next = 1;
  /** The last event that was written to a connection. */
  #written = 0;
  #response: ServerResponse | undefined;
  #timer: Timer | undefined;
  #isEnded = false;

  constructor(options: StreamOptions) {
    this.id = options.id;
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#response !== undefined && isResponseOpen(this.#response);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get keptCharacters(): number {
    return this.#keptCharacters;
  }

  /** False when the end of the stream, which an agent that comes back wants to hear, is not kept any more. */
  canResume(lastNumber: number): boolean {
    const last = this.#next - 1;
    return !this.#isEnded || lastNumber >= last || this.#kept.at(-1)?.number === last;
  }

  /** Carries the stream on a connection from now on; events after `lastNumber`, or that were never written, are sent first. */
  attach(response: ServerResponse, headers: Readonly<Record<string, string>>, lastNumber?: number): void {
    this.#response?.end();
    response.writeHead(200, { ...streamHeaders, ...headers });
    response.flushHeaders();
    watchReading(response);
    // An event without data gives the agent an id to come back with, before anything has happened.
    if (lastNumber === undefined && this.#options.hasPriming)
      response.write(encodeSse('', { id: this.#idOf(this.#written), retryMs }));
    const from = lastNumber ?? this.#written;
    for (const event of this.#kept) if (event.number > from) response.write(event.text);
    this.#written = this.#next - 1;
    this.#dropExcess();
    if (this.#isEnded) return this.#finish(response);
    this.#response = response;
    response.once('close', () => {
      if (this.#response === response) this.#detach();
    });
    this.#keepAlive();
  }

  send(message: RpcMessage): void {
    if (this.#isEnded) return;
    const event = this.#append(message);
    if (this.#response && writeStreamPart(this.#response, event.text)) this.#written = event.number;
    this.#dropExcess();
    this.#options.onKept(this);
  }

  /** Sends the answers, and after them nothing more; what was sent can still be read again for a while. */
  end(...answers: readonly RpcMessage[]): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const events = answers.map((answer) => this.#append(answer));
    const response = this.#response;
    this.#detach();
    if (response && isResponseOpen(response)) {
      for (const event of events) response.write(event.text);
      this.#written = this.#next - 1;
      this.#finish(response);
    }
    this.#dropExcess();
    this.#options.onKept(this);
  }

  /** Keeps nothing that a connection has carried already. */
  dropWritten(): void {
    this.#keep(this.#kept.filter(({ number }) => number > this.#written));
  }

  #append(message: RpcMessage): KeptEvent {
    const number = this.#next;
    this.#next += 1;
    const text = encodeSse(JSON.stringify(message), { event: 'message', id: this.#idOf(number) });
    const event = { number, text };
    this.#kept.push(event);
    this.#keptCharacters += text.length;
    return event;
  }

  /** An event that is too large alone is kept only until it was written once: there is no other way to deliver it. */
  #dropExcess(): void {
    if (this.#keptCharacters <= maxKeptCharacters && this.#kept.length <= maxKeptEvents) return;
    const kept = this.#kept.filter(({ number, text }) => number > this.#written || text.length <= maxKeptCharacters);
    let characters = kept.reduce((sum, { text }) => sum + text.length, 0);
    while (kept.length > maxKeptEvents || (characters > maxKeptCharacters && kept.length > 1))
      characters -= kept.shift()?.text.length ?? 0;
    this.#keep(kept);
  }

  #keep(kept: KeptEvent[]): void {
    this.#kept = kept;
    this.#keptCharacters = kept.reduce((sum, { text }) => sum + text.length, 0);
  }

  #finish(response: ServerResponse): void {
    response.once('finish', () => {
      this.#timer?.cancel();
      this.#timer = this.#options.clock.after(keepWrittenMs, () => this.dropWritten());
    });
    response.end();
  }

  #detach(): void {
    this.#timer?.cancel();
    this.#response = undefined;
  }

  #keepAlive(): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(keepAliveMs, () => {
      if (this.#response && writeStreamPart(this.#response, ': keepalive\n\n')) this.#keepAlive();
    });
  }

  #idOf(number: number): string {
    return `${this.id}.${number}`;
  }
}

/** Reads an event id back: which stream, and the last event that arrived. */
export function parseEventId(text: string): { readonly stream: string; readonly number: number } | undefined {
  const match = /^([A-Za-z0-9_-]{1,64})\.(\d{1,9})$/.exec(text);
  return match?.[1] === undefined ? undefined : { stream: match[1], number: Number(match[2]) };
}
