/** The operations of a gateway that runs in another process, over its API. */

import { setTimeout as pause } from 'node:timers/promises';
import { type ErrorCode, errorCodes, GatewayError, systemCodeOf } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { version } from '../base/own-program.ts';
import { readEventStream } from '../protocol/read-event-stream.ts';
import type { Admin } from './admin.ts';
import type { GatewayEvent } from './live-events.ts';

export function connectAdmin(url: string, token: string): Admin {
  return {
    async run(name, input, signal) {
      const headers = { ...headersWith(token), 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify(input) };
      const response = await send(new URL(`/api/${name}`, url), request, signal);
      const body: unknown = await response.json().catch(() => undefined);
      if (response.ok) return body as never;
      throw asTrouble(response.status, body);
    },
    events: (signal, after) => readEvents(new URL('/api/events', url), token, signal, after),
  };
}

/** The wait before a stream that was cut is opened again. */
const reconnectMs = 500;

/** A stream that was cut goes on where it was, as long as the gateway answers. */
async function* readEvents(url: URL, token: string, signal: AbortSignal, after?: string): AsyncGenerator<GatewayEvent> {
  for (let last = after; ; ) {
    const goOn = last === undefined ? {} : { 'last-event-id': last };
    const response = await send(url, { headers: { ...headersWith(token), ...goOn } }, signal);
    if (!response.ok || !response.body) throw asTrouble(response.status, await response.json().catch(() => undefined));
    try {
      for await (const { id, event, data } of readEventStream(response.body)) {
        last = id;
        yield { id, kind: event, data: JSON.parse(data) } as GatewayEvent; // only ever what our own door wrote
      }
    } catch {
      // Cut in the middle of an event: the next request says whether the gateway is still there.
      signal.throwIfAborted();
    }
    await pause(reconnectMs, undefined, { signal });
  }
}

function headersWith(token: string) {
  return { authorization: `Bearer ${token}`, 'user-agent': `toolcrib/${version}` };
}

async function send(url: URL, request: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
  try {
    return await fetch(url, { ...request, redirect: 'error', signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new GatewayError(
      'UNREACHABLE',
      `The gateway at ${url.origin} does not answer (${systemCodeOf(error) ?? 'network error'}).`,
      {
        hint: 'Start it: toolcrib start',
        cause: error,
      },
    );
  }
}

function asTrouble(status: number, body: unknown): GatewayError {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const message = typeof error.message === 'string' ? error.message : `The gateway answered HTTP ${status}.`;
  const fallback: ErrorCode = status === 401 ? 'UNAUTHENTICATED' : status === 403 ? 'ACCESS_DENIED' : 'UNREACHABLE';
  const code = errorCodes.find((item) => item === error.code) ?? fallback;
  const isRefused = status === 401 || status === 403;
  const advice = isRefused ? 'The owner token is needed: unset TOOLCRIB_TOKEN, or put that one into it.' : undefined;
  return new GatewayError(code, message, {
    hint: typeof error.hint === 'string' ? error.hint : advice,
    data: isObject(error.data) ? error.data : undefined,
  });
}
