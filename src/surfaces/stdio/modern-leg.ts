/** Requests of the modern era: each is a POST of its own, and closing it cancels it. */

import { encodeHeaderValue, metaKeys, metaOf, nameHeaderOf } from '../../protocol/eras.ts';
import type { RpcRequest } from '../../protocol/messages.ts';
import type { AgentOutlet } from './agent-outlet.ts';
import { bridgeLimits } from './bridge-limits.ts';
import { DeliveryError, withResend } from './delivery-error.ts';
import { type AgentDoor, isReady, sendToGateway } from './exchange.ts';
import type { Flight } from './flight.ts';
import type { GatewayFinder } from './gateway-finder.ts';
import { type Incoming, ownedBy, readMessages } from './read-messages.ts';

const plain = /^[\x21-\x7e]{1,256}$/;
const acknowledged = 'notifications/subscriptions/acknowledged';

/** True for a request that says in its envelope that it is of this era. */
export function isModern(message: Pick<RpcRequest, 'params'>): boolean {
  return metaOf(message.params)?.[metaKeys.protocolVersion] !== undefined;
}

export class ModernLeg {
  readonly #gateway: GatewayFinder;
  readonly #outlet: AgentOutlet;

  constructor(gateway: GatewayFinder, outlet: AgentOutlet) {
    this.#gateway = gateway;
    this.#outlet = outlet;
  }

  async send(flight: Flight): Promise<void> {
    if (flight.message.method === 'subscriptions/listen') return this.#listen(flight);
    await withResend(async () => {
      const door = await this.#gateway.ensure(flight.signal);
      await this.#outlet.relay(await this.#post(door, flight), flight);
    });
  }

  async #post(door: AgentDoor, flight: Flight) {
    const { text, signal } = flight;
    try {
      return await sendToGateway({ door, method: 'POST', headers: headersOf(flight.message), body: text, signal });
    } catch (error) {
      if (error instanceof DeliveryError && error.canResend) this.#gateway.lost(door);
      throw error;
    }
  }

  /**
   * Listens until the agent has heard enough. A gateway that goes away ends the stream, politely or not; the agent did not
   * ask for that, so we listen again once there is one. It has no side effect, so it may be sent again.
   */
  async #listen(flight: Flight): Promise<void> {
    for (let round = 1; !flight.signal.aborted; round += 1) {
      const ending = await this.#hear(flight, round);
      if (ending) return this.#outlet.answer(flight, ending.text);
      await this.#gateway.whenBack(flight.signal);
    }
  }

  /** One stream, to its end; returns the answer that ended it, or nothing when the gateway went away. */
  async #hear(flight: Flight, round: number): Promise<Incoming | undefined> {
    let answer: Incoming | undefined;
    let door: AgentDoor | undefined;
    try {
      const response = await withResend(async () => {
        door = await this.#gateway.ensure(flight.signal);
        return this.#post(door, flight);
      });
      await readMessages(response, {
        onMessage: async (incoming) => {
          if (incoming.kind === 'response') answer = ownedBy(incoming, flight.id);
          else if (round === 1 || !isAcknowledgement(incoming)) await this.#outlet.pass(incoming, flight);
        },
      });
    } catch (error) {
      if (flight.signal.aborted || !(error instanceof DeliveryError) || error.kind !== 'broken') throw error;
    }
    const isError = answer !== undefined && 'error' in answer.message;
    if (!door || isError) return answer;
    if (answer && (await isReady(door.url))) return answer;
    this.#gateway.lost(door);
    return undefined;
  }
}

function isAcknowledgement({ message }: Incoming): boolean {
  return 'method' in message && message.method === acknowledged;
}

/** The headers of this era that repeat parts of the body. The gateway lets a bridge leave out values that no header can hold. */
function headersOf(message: RpcRequest): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json, text/event-stream' };
  const version = metaOf(message.params)?.[metaKeys.protocolVersion];
  if (typeof version === 'string' && plain.test(version)) headers['mcp-protocol-version'] = version;
  if (plain.test(message.method)) headers['mcp-method'] = message.method;
  const name = nameHeaderOf(message.method, message.params);
  const encoded = name === undefined ? '' : encodeHeaderValue(name);
  if (encoded !== '' && encoded.length <= bridgeLimits.maxNameHeaderCharacters) headers['mcp-name'] = encoded;
  return headers;
}
