/** The stream of the gateway's events at `/api/events`, as server-sent events. `Last-Event-ID` resumes after that event. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../access/access.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { encodeSse } from '../protocol/sse.ts';
import { keepAliveMs, onceClosed, streamHeaders, watchReading, writeStreamPart } from './exchange.ts';
import type { EventFeed } from './routes.ts';

interface EventsRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The reader with its rights of now; throws where it has none. */
  readonly principal: () => Principal;
}

/** Returns at once: the stream lasts until its reader goes, loses its rights, or stops reading. */
export function serveEvents({ request, response, principal }: EventsRequest, feed: EventFeed, clock: Clock): void {
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
  const stop = feed.follow({ after: typeof after === 'string' ? after : undefined, principal: reader, onEvent });
  onceClosed(response, () => {
    timer?.cancel();
    stop();
  });
}
