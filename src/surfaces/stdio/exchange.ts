/** One HTTP request to the gateway, and what its answer means before its messages are read. */

import type { IncomingMessage } from 'node:http';
import { GatewayError, messageOf } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { http } from '../../base/node-http.ts';
import { bridgeLimits } from './bridge-limits.ts';
import { brokenOff, DeliveryError } from './delivery-error.ts';

/** A gateway that was found: its agent door and the token for it. */
export interface AgentDoor {
  readonly url: URL;
  readonly token: string;
}

export interface GatewayRequest {
  readonly door: AgentDoor;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Called when the whole request has been handed to the system. */
  readonly onSent?: () => void;
}

/** Keep-alive connections; Node closes one before the time that the gateway announced for it. */
const connections = new http.Agent({ keepAlive: true, scheduling: 'lifo' });

export function closeConnections(): void {
  connections.destroy();
}

/** Resolves with the response as soon as its head is there, unless the head refuses. */
export async function sendToGateway(request: GatewayRequest): Promise<IncomingMessage> {
  // After what is happening now: a connection whose end has arrived with the agent's line must not be used any more.
  await new Promise(setImmediate);
  const response = await send(request);
  const refusal = await refusalOf(response, request.headers?.['mcp-session-id'] !== undefined);
  if (refusal) throw refusal;
  return response;
}

function send(request: GatewayRequest): Promise<IncomingMessage> {
  const { door, method, body, signal } = request;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let isConnected = false;
    const sent = http.request(door.url, {
      method,
      agent: connections,
      signal,
      headers: {
        ...(door.token === '' ? {} : { authorization: `Bearer ${door.token}` }),
        'x-toolcrib-bridge': 'stdio',
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
        ...request.headers,
      },
    });
    sent.once('socket', (socket) => {
      if (!socket.connecting) isConnected = true;
      else socket.once('connect', () => (isConnected = true));
    });
    sent.once('finish', () => request.onSent?.());
    sent.once('response', resolve);
    sent.once('error', (error) => {
      if (signal.aborted) reject(signal.reason);
      else reject(isConnected ? brokenOff(error) : unreachable(door, error));
    });
    sent.end(body);
  });
}

function unreachable(door: AgentDoor, error: unknown): DeliveryError {
  return new DeliveryError(
    'unreached',
    `The gateway cannot be reached at ${door.url.origin}: ${messageOf(error) || 'connection refused'}.`,
    { cause: error },
  );
}

const refusals: ReadonlySet<number> = new Set([401, 403, 429, 503]);

/** The answers that say: nothing was done with this request. */
async function refusalOf(response: IncomingMessage, hasSession: boolean): Promise<GatewayError | undefined> {
  const status = response.statusCode ?? 0;
  const isSessionLost = status === 404 && hasSession;
  if (!isSessionLost && !refusals.has(status)) return undefined;
  const sentence = refusalSentenceOf(await readText(response, bridgeLimits.refusalBytes).catch(() => ''));
  if (isSessionLost) return new DeliveryError('session-lost', `The gateway does not know the session. ${sentence}`);
  if (status === 429)
    return new GatewayError('RATE_LIMITED', sentence || 'The gateway takes no more requests now (429).');
  if (status === 503) return new DeliveryError('unreached', `The gateway takes no requests now (503). ${sentence}`);
  return new DeliveryError('token-refused', `The gateway refused the token (${status}). ${sentence}`.trim(), {
    hint: 'Check TOOLCRIB_TOKEN in the environment of "toolcrib stdio"; without it the agent token of the data folder is used.',
  });
}

/** The sentence in a refusal, in either form that the gateway uses. */
export function refusalSentenceOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const error = isObject(body) && isObject(body.error) ? body.error.message : undefined;
    return typeof error === 'string' ? error : '';
  } catch {
    return '';
  }
}

/** A whole body, up to a limit. */
export async function readText(response: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) {
      throw new DeliveryError('odd', `The answer of the gateway is larger than ${limit} bytes and was not read.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** True if a gateway at this address takes requests. Sends no token: another program may listen there by now. */
export function isReady(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = http.get(new URL('/readyz', url), { agent: false, timeout: bridgeLimits.probeMs }, (response) => {
      response.resume();
      // One that cannot save anything says no as well, and still serves.
      resolve(response.statusCode !== 503 || response.headers['retry-after'] === undefined);
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(false));
    asked.once('close', () => resolve(false));
  });
}
