/** The messages in an answer of the gateway, one after the other, whether it is JSON or a stream. */

import type { IncomingMessage } from 'node:http';
import { GatewayError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { classify, type RequestId, type RpcMessage } from '../../protocol/messages.ts';
import { SseDecoder, type SseEvent } from '../../protocol/sse.ts';
import { bridgeLimits } from './bridge-limits.ts';
import { brokenOff, DeliveryError } from './delivery-error.ts';
import { readText, refusalSentenceOf } from './exchange.ts';

/** A message from the gateway: as text for the agent, and parsed. */
export interface Incoming {
  readonly text: string;
  readonly message: RpcMessage;
  readonly kind: 'request' | 'notification' | 'response';
}

export interface MessageEvents {
  /** The next message is not read before this resolves. */
  onMessage(incoming: Incoming): Promise<void>;
  onEventId?(id: string): void;
}

export function isStream(response: IncomingMessage): boolean {
  return response.headers['content-type']?.includes('text/event-stream') ?? false;
}

/** Reads to the end. Throws DeliveryError `broken` when the connection ends in the middle. */
export async function readMessages(response: IncomingMessage, events: MessageEvents): Promise<void> {
  try {
    if (isStream(response)) await readEvents(response, events);
    else await readBody(response, events);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if (systemCodeOf(error) !== undefined) throw brokenOff(error);
    throw new DeliveryError('odd', `The gateway sent what cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

async function readEvents(response: IncomingMessage, events: MessageEvents): Promise<void> {
  const arrived: SseEvent[] = [];
  const decoder = new SseDecoder((event) => arrived.push(event), bridgeLimits.answerBytes);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    decoder.push(chunk);
    for (const event of arrived.splice(0)) {
      if (event.data !== '' && event.event === 'message') await deliver(event.data, events);
      if (event.id !== undefined) events.onEventId?.(event.id);
    }
  }
}

async function readBody(response: IncomingMessage, events: MessageEvents): Promise<void> {
  const text = await readText(response, bridgeLimits.answerBytes);
  const status = response.statusCode ?? 0;
  if (text.trim() === '' && status < 300) return;
  const count = await deliver(text, events).catch((error) => {
    if (status < 300 || !(error instanceof SyntaxError)) throw error;
    return 0;
  });
  if (count > 0) return;
  throw new DeliveryError('odd', `The gateway answered ${status} and no message. ${refusalSentenceOf(text)}`.trim());
}

/** Hands over the message, or messages, of a JSON text; says how many there were. */
async function deliver(text: string, events: MessageEvents): Promise<number> {
  const parsed = parseJson(text);
  let count = 0;
  for (const item of Array.isArray(parsed) ? parsed : [parsed]) {
    const kind = classify(item);
    if (kind === undefined) continue;
    count += 1;
    // The text itself is passed on, so that nothing in it changes, unless it is not one line.
    const isOneLine = item === parsed && !/[\r\n]/.test(text);
    await events.onMessage({ text: isOneLine ? text : JSON.stringify(item), message: item as RpcMessage, kind });
  }
  return count;
}

/** An error without an id, in answer to a request, is the answer to that request. */
export function ownedBy(incoming: Incoming, owner: RequestId): Incoming {
  const { message } = incoming;
  if (!('error' in message) || (message.id !== null && message.id !== undefined)) return incoming;
  const owned = { ...message, id: owner };
  return { ...incoming, message: owned, text: JSON.stringify(owned) };
}
