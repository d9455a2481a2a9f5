/** Events that come within a short time are taken together, so that a surface is drawn a few times a second at most. */

import type { GatewayEvent } from '../../admin/admin.ts';

/** First none, then some at a time: those that came while `pause` waited. Ends or throws as `events` does, after what it brought. */
export async function* gatherEvents(
  events: AsyncIterable<GatewayEvent>,
  pause: () => Promise<void>,
): AsyncGenerator<readonly GatewayEvent[]> {
  yield [];
  const read: GatewayEvent[] = [];
  let isOver = false;
  let isLeft = false;
  let wake = () => {};
  const reading = (async () => {
    for await (const event of events) {
      // The next event closes a stream that nobody reads any more.
      if (isLeft) return;
      read.push(event);
      wake();
    }
  })().finally(() => {
    isOver = true;
    wake();
  });
  // It is awaited at the end; until then a failure must not count as one that nobody noticed.
  reading.catch(() => {});
  try {
    while (!isOver || read.length > 0) {
      if (read.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      await pause();
      if (read.length > 0) yield read.splice(0);
    }
    await reading;
  } finally {
    isLeft = true;
  }
}
