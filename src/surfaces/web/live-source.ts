/** The live state of the gateway that this page came from. */

import type { GatewayEvent } from '../../admin/admin.ts';
import { readEventStream } from '../../protocol/read-event-stream.ts';
import { followLive, type LiveSource, type LiveState } from '../live/live.ts';
import { ApiError, asError, headers, run } from './session.ts';

/** Events within this time are drawn together. */
const gatherMs = 200;

const source: LiveSource = {
  snapshot: (signal) => run('live.snapshot', {}, signal),
  async *events(after, signal) {
    const response = await fetch('/api/events', { headers: { ...headers(), 'last-event-id': after }, signal });
    if (!response.ok || !response.body) throw asError(response.status, await response.json().catch(() => undefined));
    yield [];
    const read: GatewayEvent[] = [];
    let isOver = false;
    let wake = () => {};
    const stream = response.body;
    const reading = (async () => {
      for await (const { id, event, data } of readEventStream(stream)) {
        read.push({ id, kind: event, data: JSON.parse(data) } as GatewayEvent); // only ever what the gateway wrote
        wake();
      }
    })().finally(() => {
      isOver = true;
      wake();
    });
    reading.catch(() => {});
    while (!isOver || read.length > 0) {
      if (read.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      await pause(gatherMs, signal);
      if (read.length > 0) yield read.splice(0);
    }
  },
  wait: pause,
};

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
