/** The terminal UI: the live state of a gateway, drawn with Ink until somebody quits. The terminal is afterwards as it was. */

import { type EventEmitter, once } from 'node:events';
import { type Instance, render } from 'ink';
import { createElement as h, type ReactElement } from 'react';
import type { LiveState } from '../live/live.ts';
import { TuiApp } from './app.ts';
import { type FindAdmin, LiveGateway } from './live-gateway.ts';
import { AbilitiesContext, abilitiesOf } from './parts/text.ts';

export interface TuiOptions {
  readonly find: FindAdmin;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WriteStream;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
}

/** More often nobody can read. */
const maxFps = 10;

/**
 * Resolves when somebody quits, the signal aborts or the terminal is gone; rejects where the gateway refuses us or the UI itself
 * fails. By then the terminal is as it was, so that the reason can be read.
 */
export async function runTui({ find, env, stdin, stdout, signal }: TuiOptions): Promise<void> {
  const gateway = new LiveGateway(find);
  const ending = new AbortController();
  const over = Promise.withResolvers<void>();
  const until = (source: EventEmitter, event: string) => once(source, event, { signal: ending.signal });
  setBlocking(stdout, false);
  const abilities = abilitiesOf(env, process.platform);
  const app = () =>
    h(AbilitiesContext.Provider, { value: abilities }, h(TuiApp, { live: gateway.live, run: gateway.run }));
  const screen = render(app(), {
    ...{ stdin, stdout, maxFps },
    ...{ alternateScreen: true, interactive: true, incrementalRendering: true, exitOnCtrlC: false },
  });
  const quit = () => over.resolve();
  const left = screen.waitUntilExit().then(quit, over.reject);
  const following = gateway.follow(paceFor(stdout, gateway.live.set), ending.signal).catch(over.reject);
  if (signal.aborted) quit();
  signal.addEventListener('abort', quit, { signal: ending.signal });
  // The input of a terminal that is closed ends, or cannot be read.
  until(stdin, 'end').then(quit, quit);
  until(process, 'uncaughtException').then(([error]) => over.reject(error), quit);
  const redraw = () => void drawAgain(screen, stdout, app).catch(over.reject);
  process.on('SIGWINCH', redraw);
  try {
    await over.promise;
  } finally {
    process.off('SIGWINCH', redraw);
    ending.abort();
    screen.unmount();
    await Promise.all([left, following]);
    setBlocking(stdout, true);
  }
}

const homeAndEraseDown = '\u001b[H\u001b[J';

/**
 * A terminal whose size changes moves the lines it shows, and a frame that is on its way lands anywhere. Ink changes lines where it
 * left them, so afterwards everything has to be drawn again; a signal also comes where the size is soon as it was before.
 */
async function drawAgain(screen: Instance, stdout: NodeJS.WriteStream, app: () => ReactElement): Promise<void> {
  await screen.waitUntilRenderFlush();
  screen.clear();
  stdout.write(homeAndEraseDown);
  screen.rerender(app());
}

/**
 * While the terminal has not taken what it was given, over a slow link or because somebody stopped it, only the newest state waits
 * for it: frames in between are never drawn, and nothing piles up.
 */
export function paceFor(stdout: NodeJS.WriteStream, set: (state: LiveState) => void): (state: LiveState) => void {
  let newest: LiveState | undefined;
  return (state) => {
    const isWaiting = newest !== undefined;
    if (!isWaiting && stdout.writableLength === 0) return set(state);
    newest = state;
    if (isWaiting) return;
    stdout.write('', () => {
      if (newest) set(newest);
      newest = undefined;
    });
  };
}

/** Node waits for a terminal at each write. A gateway in the same process would stand still with it. */
function setBlocking(stdout: NodeJS.WriteStream, isBlocking: boolean): void {
  // It is not declared, and not there on every system.
  const { _handle: handle } = stdout as { _handle?: { setBlocking?: (isBlocking: boolean) => void } };
  handle?.setBlocking?.(isBlocking);
}
