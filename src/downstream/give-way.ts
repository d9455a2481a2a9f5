/** Lets other work go first while something long is read. */

import type { Readable } from 'node:stream';

/** Without it a fast server would be read for many chunks in a row, and each costs a moment. */
export function giveWay(stream: Readable): void {
  stream.pause();
  setImmediate(() => stream.resume());
}
