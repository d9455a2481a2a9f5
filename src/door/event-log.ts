/** The streams of one legacy session: events get ids and are kept for a while, so that an agent that lost its connection can go on. */

import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '../base/clock.ts';
import type { RpcMessage } from '../protocol/messages.ts';
import { encodeSse } from '../protocol/sse.ts';
import { streamHeaders } from './answer.ts';

const keepAliveMs = 15_000;
/** How long an agent should wait before it comes back to a stream that it lost. */
const retryMs = 1_000;
/** What is kept of one stream for an agent that comes back; older events are dropped first. */
const maxKeptEvents = 256;
const maxKeptCharacters = 1_048_576;

interface KeptEvent {
  readonly number: number;
  readonly text: string;
}

/** One stream: at most one connection at a time carries it; what is sent meanwhile waits. */
export class EventStream {
  readonly id: string;
  readonly #clock: Clock;
  #kept: KeptEvent[] = [];
  #keptCharacters = 0;
  #next = 1;
  /** The last event that was written to a connection. */
  #written = 0;
  #response: ServerResponse | undefined;
  #timer: Timer | undefined;
  #isEnded = false;

  constructor(id: string, clock: Clock) {
    this.id = id;
    this.#clock = clock;
  }

  get isConnected(): boolean {
    return this.#response !== undefined && !this.#response.destroyed;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Carries the stream on a connection from now on; events after `lastNumber`, or that were never written, are sent first. */
  attach(response: ServerResponse, headers: Readonly<Record<string, string>>, lastNumber?: number): void {
    this.#response?.end();
    this.#response = response;
    response.writeHead(200, { ...streamHeaders, ...headers });
    // An event without data gives the agent an id to come back with, before anything has happened.
    if (lastNumber === undefined) response.write(encodeSse('', { id: this.#idOf(this.#written), retryMs }));
    const from = lastNumber ?? this.#written;
    for (const event of this.#kept) if (event.number > from) response.write(event.text);
    this.#written = this.#next - 1;
    response.once('close', () => {
      if (this.#response === response) this.#detach();
    });
    if (this.#isEnded) response.end();
    else this.#keepAlive();
  }

  send(message: RpcMessage): void {
    const number = this.#next;
    this.#next += 1;
    const text = encodeSse(JSON.stringify(message), { event: 'message', id: this.#idOf(number) });
    this.#kept.push({ number, text });
    this.#keptCharacters += text.length;
    while (this.#kept.length > maxKeptEvents || (this.#keptCharacters > maxKeptCharacters && this.#kept.length > 1)) {
      this.#keptCharacters -= this.#kept.shift()?.text.length ?? 0;
    }
    if (!this.isConnected) return;
    this.#response?.write(text);
    this.#written = number;
  }

  /** Nothing more will be sent; what was sent can still be read again. */
  end(): void {
    this.#isEnded = true;
    const response = this.#response;
    this.#detach();
    response?.end();
  }

  #detach(): void {
    this.#timer?.cancel();
    this.#response = undefined;
  }

  #keepAlive(): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(keepAliveMs, () => {
      if (!this.isConnected) return;
      this.#response?.write(': keepalive\n\n');
      this.#keepAlive();
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
