/** A response that is being written: whether its agent still reads, and when it is over. Unread bytes and the time they lie are limited. */

import type { ServerResponse } from 'node:http';
import { GatewayError } from '../base/errors.ts';

/** Beyond this, nothing is added to what an agent has not read yet; a single message may be larger. */
const maxUnreadBytes = 8 * 1_048_576;
/** How long written bytes may lie unread without any progress. */
const maxStallMs = 60_000;

export function isResponseOpen(response: ServerResponse): boolean {
  return !response.destroyed && !response.writableEnded;
}

/** To be called once for a response: cuts it off when its agent stops reading. */
export function watchReading(response: ServerResponse, stallMs: number = maxStallMs): void {
  // The socket knows best: it takes a slow reader's progress within one large message for activity.
  response.setTimeout(stallMs, () => {
    if (response.writableLength > 0) response.destroy();
  });
}

/** Writes a part of a stream; false when the response is closed or its agent does not read. */
export function writeStreamPart(response: ServerResponse, text: string): boolean {
  if (!isResponseOpen(response)) return false;
  if (response.writableLength > maxUnreadBytes) {
    response.destroy();
    return false;
  }
  response.write(text);
  return true;
}

/** Aborts when the client closes the request or has its answer; at once if it already has. */
export function untilClosed(response: ServerResponse): AbortSignal {
  const closing = new AbortController();
  const onClose = () => closing.abort(new GatewayError('CANCELLED', 'The request was closed.'));
  if (response.writableEnded) onClose();
  else onceClosed(response, onClose);
  return closing.signal;
}

/** Runs at once where the response is closed already: Node reports that only once. */
export function onceClosed(response: ServerResponse, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}
