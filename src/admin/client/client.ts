/** The operations of a gateway that runs in another process, over its API. */

import { setTimeout as pause } from 'node:timers/promises';
import { type ErrorCode, errorCodes, GatewayError, systemCodeOf } from '../../base/errors.ts';
import { isObject, linesType } from '../../base/json.ts';
import { version } from '../../base/own-program.ts';
import type { OnProgress } from '../../door/door.ts';
import { readEventStream } from '../../protocol/read-event-stream.ts';
import type { Admin } from '../admin.ts';
import type { GatewayEvent } from '../live-events.ts';

export function connectAdmin(url: string, token: string): Admin {
  return {
    async run(name, input, signal, onProgress) {
      const accept = onProgress ? { accept: `application/json, ${linesType}` } : {};
      const headers = { ...headersWith(token), ...accept, 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify(input) };
      const response = await send(new URL(`/api/${name}`, url), request, signal);
      const { status, body } = await readAnswer(response, signal, onProgress);
      if (status === 200) return body as never;
      throw asTrouble(status, body);
    },
    events: (signal, after) => readEvents(new URL('/api/events', url), token, signal, after),
  };
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** The answer, after the progress that may come before it. */
async function readAnswer(
  response: Response,
  signal: AbortSignal | undefined,
  onProgress: OnProgress | undefined,
): Promise<Reply> {
  if (response.headers.get('content-type') !== linesType || !response.body)
    return { status: response.status, body: jsonOf(await response.text().catch(cut(signal))) };
  for await (const line of readLines(response.body, signal)) {
    const { progress, answer } = JSON.parse(line); // only ever what our own door wrote
    if (answer) return answer;
    onProgress?.(progress);
  }
  return cut(signal)();
}

/** undefined: it is none, so something in between has answered. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Throws that the answer was cut short, by us or by the end of the gateway. */
function cut(signal: AbortSignal | undefined): (cause?: unknown) => never {
  return (cause) => {
    signal?.throwIfAborted();
    throw new GatewayError('UNREACHABLE', 'The gateway ended before it had answered.', {
      hint: 'See how the call ended: toolcrib audit',
      cause,
    });
  };
}

async function* readLines(body: ReadableStream<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<string> {
  let parts: string[] = [];
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body) {
      const [first = '', ...more] = decoder.decode(bytes, { stream: true }).split('\n');
      parts.push(first);
      for (const next of more) {
        yield parts.join('');
        parts = [next];
      }
    }
  } catch (error) {
    cut(signal)(error);
  }
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
