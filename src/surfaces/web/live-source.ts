/** The live state of the gateway that this page came from. */

import type { GatewayEvent } from '../../admin/admin.ts';
import { readEventStream } from '../../protocol/read-event-stream.ts';
import { followLive, gatherEvents, type LiveSource, type LiveState } from '../live/live.ts';
import { ApiError, asError, gatewayUrl, headers, run } from './session.ts';

/** Events within this time are drawn together. */
const gatherMs = 200;

const source: LiveSource = {
  snapshot: (signal) => run('live.snapshot', {}, signal),
  async *events(after, signal) {
    const response = await fetch(`${gatewayUrl()}/api/events`, {
      headers: { ...headers(), 'last-event-id': after },
      signal,
    });
    if (!response.ok || !response.body) throw asError(response.status, await response.json().catch(() => undefined));
    yield* gatherEvents(readEvents(response.body), () => pause(gatherMs, signal));
  },
  wait: pause,
};

async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<GatewayEvent> {
  for await (const { id, event, data } of readEventStream(stream))
    yield { id, kind: event, data: JSON.parse(data) } as GatewayEvent; // only ever what the gateway wrote
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
  });
}

/** Until the signal aborts. A refusal ends it: the page then shows why. */
export function followThisGateway(onState: (state: LiveState) => void, signal: AbortSignal): Promise<never> {
  const isFinal = (error: unknown) => error instanceof ApiError && (error.status === 401 || error.status === 403);
  return followLive(source, { onState, signal, isFinal });
}
