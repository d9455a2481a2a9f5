/** The bridge: takes the agent's lines, sends each message the way of its era, and sees to it that every request is answered. */

import { type Clock, sleep } from '../../base/clock.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import { isObject, parseExactJson } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import {
  classify,
  failure,
  isRequestId,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  rpcCodes,
} from '../../protocol/messages.ts';
import { AgentOutlet } from './agent-outlet.ts';
import { bridgeLimits } from './bridge-limits.ts';
import { toAgentError } from './delivery-error.ts';
import { closeConnections } from './exchange.ts';
import { Flight } from './flight.ts';
import { type Connect, GatewayFinder } from './gateway-finder.ts';
import { LegacyLeg } from './legacy-leg.ts';
import type { LineWriter } from './line-writer.ts';
import { isModern, ModernLeg } from './modern-leg.ts';

export interface BridgeOptions {
  readonly connect: Connect;
  readonly surface: string | undefined;
  readonly writer: LineWriter;
  readonly clock: Clock;
  readonly log: Log;
}

export class Bridge {
  readonly #writer: LineWriter;
  readonly #clock: Clock;
  readonly #gateway: GatewayFinder;
  readonly #outlet: AgentOutlet;
  readonly #modern: ModernLeg;
  readonly #legacy: LegacyLeg;
  readonly #flights = new Map<RequestId, Flight>();
  #bytes = 0;

  constructor(options: BridgeOptions) {
    const { writer, clock, log } = options;
    this.#writer = writer;
    this.#clock = clock;
    this.#gateway = new GatewayFinder(options);
    this.#outlet = new AgentOutlet(writer, clock);
    this.#modern = new ModernLeg(this.#gateway, this.#outlet);
    this.#legacy = new LegacyLeg({ gateway: this.#gateway, outlet: this.#outlet, clock, log });
  }

  /** True when the agent should not be read for a while. */
  get isCongested(): boolean {
    return this.#writer.isFull || this.#legacy.isCongested;
  }

  async relieved(): Promise<void> {
    await this.#writer.drained();
    await this.#legacy.settled;
  }

  onLine(line: string): void {
    let value: unknown;
    try {
      value = parseExactJson(line);
    } catch (error) {
      const code = error instanceof SyntaxError ? rpcCodes.parseError : rpcCodes.invalidRequest;
      return this.#outlet.refuse(null, { code, message: `The line is not a JSON message: ${messageOf(error)}` });
    }
    if (!Array.isArray(value)) return this.#onMessage(value, line);
    if (value.length === 0) return this.#onMessage(value, line);
    // A batch of 2025-03-26: the messages in it stand for themselves.
    for (const item of value) this.#onMessage(item, JSON.stringify(item));
  }

  /** A line over the limit was not read; its sender gets an error, if its id can be found. */
  onOversized(head: string, tail: string): void {
    const error = toAgentError(
      new GatewayError('TOO_LARGE', `A message is larger than ${bridgeLimits.lineBytes} bytes and was not read.`),
    );
    const id = findId(head, tail);
    if (id !== undefined && this.#legacy.isQuestion(id)) this.#legacy.answer(failure(id, error));
    else this.#outlet.refuse(id ?? null, error);
  }

  #onMessage(value: unknown, text: string): void {
    switch (classify(value)) {
      case 'request':
        return this.#onRequest(value as RpcRequest, text);
      case 'notification':
        return this.#onNotification(value as RpcNotification, text);
      case 'response':
        return this.#legacy.answer(value as RpcResponse);
      case undefined: {
        const id = isObject(value) && typeof value.method === 'string' && isRequestId(value.id) ? value.id : null;
        const message = 'The line is JSON but not a JSON-RPC 2.0 message.';
        return this.#outlet.refuse(id, { code: rpcCodes.invalidRequest, message });
      }
    }
  }

  #onRequest(message: RpcRequest, text: string): void {
    if (this.#flights.has(message.id)) {
      const reason = `A request with the id ${message.id} is already in flight.`;
      return this.#outlet.refuse(message.id, { code: rpcCodes.invalidRequest, message: reason });
    }
    if (this.#flights.size >= bridgeLimits.maxInFlight || this.#bytes + text.length > bridgeLimits.maxInFlightBytes) {
      const busy = new GatewayError('RATE_LIMITED', 'Too many requests are in flight; wait for some to be answered.');
      return this.#outlet.refuse(message.id, toAgentError(busy));
    }
    void this.#fly(new Flight(message, text));
  }

  async #fly(flight: Flight): Promise<void> {
    this.#flights.set(flight.id, flight);
    this.#bytes += flight.text.length;
    void flight.done.then(() => {
      if (this.#flights.get(flight.id) !== flight) return;
      this.#flights.delete(flight.id);
      this.#bytes -= flight.text.length;
    });
    try {
      await (isModern(flight.message) ? this.#modern : this.#legacy).send(flight);
    } catch (error) {
      if (!flight.isAnswered && !flight.isCancelled && !flight.signal.aborted) {
        this.#outlet.refuse(flight.id, toAgentError(error));
      }
    } finally {
      flight.finish();
    }
  }

  #onNotification(message: RpcNotification, text: string): void {
    if (message.method === 'notifications/cancelled') return this.#onCancelled(message, text);
    // The modern era has no other notification that a gateway could use.
    if (!isModern(message)) this.#legacy.note(message, text);
  }

  #onCancelled(message: RpcNotification, text: string): void {
    const flight = this.#flights.get(message.params?.requestId as RequestId);
    if (!flight || flight.message.method === 'initialize') return;
    flight.isCancelled = true;
    if (isModern(flight.message)) flight.abort();
    else void this.#legacy.cancel(flight, text);
  }

  /** Lets what is in flight finish, for a while or until `hurry`; then ends the session and every connection. A gateway that is still starting has its own limit. */
  async close(hurry: Promise<unknown>): Promise<void> {
    const flights = [...this.#flights.values()];
    for (const flight of flights) if (flight.message.method === 'subscriptions/listen') flight.abort();
    const done = Promise.all([...flights.map((flight) => flight.done), this.#legacy.settled]);
    const drained = this.#gateway.settled().then(() => sleep(this.#clock, bridgeLimits.drainMs));
    await Promise.race([done, hurry, drained]);
    for (const flight of this.#flights.values()) flight.abort();
    await this.#legacy.close();
    this.#gateway.close();
    closeConnections();
  }
}

const id = String.raw`("(?:[^"\\]|\\.)*"|-?\d{1,16})`;
/** The id stands before anything nested. */
const idInHead = new RegExp(
  String.raw`^\s*\{(?:\s*"(?!id")[^"\\]*"\s*:\s*(?:"[^"\\]*"|-?\d{1,16})\s*,)*\s*"id"\s*:\s*${id}\s*[,}]`,
);
/** The id is the last member; the one closing bracket at the end says that it is a member of the message itself. */
const idInTail = new RegExp(String.raw`[,{]\s*"id"\s*:\s*${id}\s*\}\s*$`);

/** The id of a message; undefined if it is not certain. */
export function findId(head: string, tail: string): RequestId | undefined {
  const text = (idInHead.exec(head) ?? idInTail.exec(tail))?.[1];
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRequestId(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
