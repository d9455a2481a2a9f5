/** The stream of the gateway's events at `/api/events`, as server-sent events. `Last-Event-ID` resumes after that event. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../access/access.ts';
import { abortable, type Clock, type Timer } from '../base/clock.ts';
import { encodeSse } from '../protocol/sse.ts';
import { keepAliveMs, onceClosed, streamHeaders, watchReading, writeStreamPart } from './exchange.ts';
import type { EventFeed } from './routes.ts';

interface EventsRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The reader with its rights of now; throws where it has none. */
  readonly principal: () => Principal;
}

interface EventsOptions {
  readonly events: EventFeed;
  readonly clock: Clock;
  readonly ending: AbortSignal;
}

/** Lasts as long as the stream: until its reader goes, loses its rights or stops reading, or the gateway ends. */
export async function serveEvents(
  { request, response, principal }: EventsRequest,
  { events, clock, ending }: EventsOptions,
): Promise<void> {
  principal();
  const after = request.headers['last-event-id'];
  response.writeHead(200, { ...streamHeaders, 'cache-control': 'no-store' });
  response.flushHeaders();
  watchReading(response);
  let timer: Timer | undefined;
  const write = (text: string) => {
    timer?.cancel();
    if (!writeStreamPart(response, text)) return;
    timer = clock.after(keepAliveMs, () => write(': keepalive\n\n'));
  };
  const onEvent: Parameters<EventFeed['follow']>[0]['onEvent'] = ({ id, kind, data }) =>
    write(encodeSse(JSON.stringify(data), { event: kind, id }));
  const reader = () => {
    try {
      return principal();
    } catch {
      // Without its rights it hears nothing more; the door ends the stream.
      return undefined;
    }
  };
  const stop = events.follow({ after: typeof after === 'string' ? after : undefined, principal: reader, onEvent });
  const closed = new Promise<void>((resolve) => onceClosed(response, resolve));
  // A gateway that ends does not wait for a reader that no longer reads.
  await abortable(closed, ending).catch(() => response.end());
  timer?.cancel();
  stop();
}
