/** Writing to agents that may not be reading: what they leave unread has a limit, and so has the time they may leave it. */

import type { ServerResponse } from 'node:http';

/** Beyond this, nothing is added to what an agent has not read yet; a single message may be larger. */
const maxUnreadBytes = 8 * 1_048_576;
/** How long what was written may lie unread without any progress. */
const maxStallMs = 60_000;

export function isOpen(response: ServerResponse): boolean {
  return !response.destroyed && !response.writableEnded;
}

/** To be called once for a response: cuts it off when its agent stops reading. */
export function watchReading(response: ServerResponse, stallMs: number = maxStallMs): void {
  // The socket knows best: it takes a slow reader's progress within one large message for activity.
  response.setTimeout(stallMs, () => {
    if (response.writableLength > 0) response.destroy();
  });
}

/** Writes a part of a stream; false when there is nobody to read it, or nobody who does. */
export function writePart(response: ServerResponse, text: string): boolean {
  if (!isOpen(response)) return false;
  if (response.writableLength > maxUnreadBytes) {
    response.destroy();
    return false;
  }
  response.write(text);
  return true;
}
