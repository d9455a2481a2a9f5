/** Keeps a gateway running until it is asked to end, has nothing left to do, or something broke. */

import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { pinYoungSpace } from '../../base/own-program.ts';
import type { Gateway } from '../../gateway.ts';

/** A process in an unknown state gets this long to close what it can. */
const crashGraceMs = 5_000;

/** Resolves when the gateway is closed: true when it ended as it should, false after an error that nobody caught. */
export async function serveUntilEnd(
  gateway: Pick<Gateway, 'close'>,
  log: Log,
  signal: AbortSignal,
  idle: Promise<void> = new Promise(() => {}),
): Promise<boolean> {
  // By now it has the size that a running gateway needs.
  pinYoungSpace();
  const crash = Promise.withResolvers<boolean>();
  const onException = (error: unknown) => {
    log.error('An error was not caught; the gateway ends', describe(error));
    crash.resolve(false);
  };
  const onRejection = (error: unknown) => log.error('A promise was rejected and nobody noticed', describe(error));
  process.on('uncaughtException', onException);
  process.on('unhandledRejection', onRejection);
  try {
    const end = Promise.race([untilAborted(signal), idle]).then(() => true);
    const isClean = await Promise.race([end, crash.promise]);
    log.info(
      signal.aborted
        ? 'Stopping; running calls have up to 30 s to finish, and another Ctrl-C ends them at once'
        : 'Stopping',
    );
    const closing = gateway.close();
    await (isClean ? closing : Promise.race([closing.catch(() => {}), pause(crashGraceMs)]));
    return isClean;
  } finally {
    process.off('uncaughtException', onException);
    process.off('unhandledRejection', onRejection);
  }
}

function describe(error: unknown): Record<string, unknown> {
  return { error: messageOf(error), stack: error instanceof Error ? error.stack : undefined };
}

/** Resolves when the signal aborts. */
function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
