/** `toolcrib start`: the gateway in the foreground, or in the background for those who start it unasked. */

import { type Clock, systemClock, type Timer } from '../../../base/clock.ts';
import type { JsonObject } from '../../../base/json.ts';
import { ownLogLevels } from '../../../base/log.ts';
import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { listenFlags } from '../listen-flags.ts';
import { openListening } from '../open-listening.ts';
import { writeText } from '../print.ts';
import { renderStarted } from '../render-started.ts';
import { serveUntilEnd } from '../serve-until-end.ts';
import { logStartFailure, openStartLogs } from '../start-log.ts';
import { checkTerminal, loadTui } from './tui.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'Start the gateway',
  description:
    'Runs until Ctrl-C, SIGTERM or "toolcrib stop", then lets running calls finish; a second signal ends them at once. The log is also in the file that "toolcrib logs" shows. Without authentication it listens on loopback only.',
  flags: {
    ...listenFlags,
    tui: { summary: 'Show the gateway live in this terminal; the log goes to gateway.log' },
    demo: { summary: 'Add a few small offline servers for this run, to try things out' },
    'enable-optimization': { summary: 'Switch on the optimizer of tool descriptions for this run' },
    'no-auth': { summary: 'Accept requests without a token' },
    'log-level': { value: 'LEVEL', choices: ownLogLevels, summary: 'How much to log on stderr', default: 'info' },
    'log-json': { summary: 'Log one JSON object a line' },
    background: { isHidden: true, summary: 'Print nothing, log to gateway.log, end when no agent is left' },
    'idle-exit-ms': {
      value: 'N',
      isHidden: true,
      number: { least: 1, most: 2_147_483_647 },
      summary: 'In the background: how long after the last agent has left',
    },
  },
  examples: [
    { line: 'start', meaning: 'Listens on 127.0.0.1:3333 and prints how to connect an agent.' },
    { line: 'start --demo', meaning: 'The same with a few servers that need no network.' },
    { line: 'start --port 0 --json', meaning: 'Any free port; prints where, for programs.' },
  ],
  async run({ flags, context }) {
    const isBackground = flags.background;
    if (flags.tui) checkTerminal(context);
    const showTui = flags.tui ? await loadTui(context) : undefined;
    const isQuiet = isBackground || flags.tui;
    const { log, file } = openStartLogs(context, {
      isQuiet,
      level: flags['log-level'] ?? (context.isQuiet ? 'error' : undefined),
      isJson: flags['log-json'],
    });
    const idle = isBackground ? await IdleExit.forBackground(flags['idle-exit-ms'], systemClock) : undefined;
    const ending = new AbortController();
    const signal = AbortSignal.any([context.host.signal, ending.signal]);
    const gateway = await openListening(context, log, {
      listen: { host: flags.host, port: flags.port, isAnyPortFine: isBackground, isAuthOff: flags['no-auth'] },
      isOptimizing: flags['enable-optimization'],
      extraServers: flags.demo ? await loadDemo() : {},
      onAgents: (count) => idle?.agents(count),
      onStop: () => ending.abort(),
    }).catch((error: unknown) => {
      if (isBackground) logStartFailure(file, error);
      throw error;
    });
    file.info('The gateway is running', { url: gateway.url, pid: process.pid });
    const isTold = context.isJson || !context.isQuiet;
    if (!isQuiet && isTold) writeText(context.host.stdout, await renderStarted(gateway, context, flags.demo));
    const shown = showTui?.(async () => gateway.admin, signal);
    const isOver = shown?.catch(() => {}) ?? idle?.isOver;
    const isClean = await serveUntilEnd(gateway, log, signal, isOver);
    file.info('The gateway has stopped', { pid: process.pid });
    // The gateway is closed by now, also where the terminal UI failed.
    await shown;
    return { exitCode: isClean ? exitCodes.ok : exitCodes.failed };
  },
});

async function loadDemo(): Promise<Record<string, JsonObject>> {
  const { demoServers } = await import('../../../demo/demo.ts');
  return Object.fromEntries(Object.entries(demoServers()).map(([name, server]) => [name, { ...server }]));
}

export class IdleExit {
  /** Resolves when nobody was there for the whole time. */
  readonly isOver: Promise<void>;
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #end: () => void;
  #timer: Timer | undefined;

  constructor(idleMs: number, clock: Clock) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.isOver = promise;
    this.#end = resolve;
    this.#idleMs = idleMs;
    this.#clock = clock;
  }

  /** With the usual time unless another is given. */
  static async forBackground(idleMs: number | undefined, clock: Clock): Promise<IdleExit> {
    const { limits } = await import('../../../config/config.ts');
    return new IdleExit(idleMs ?? limits.backgroundIdleExitMs, clock);
  }

  /** Takes the number of agents; the time restarts whenever there are none. */
  agents(count: number): void {
    this.#timer?.cancel();
    this.#timer = count === 0 ? this.#clock.after(this.#idleMs, this.#end) : undefined;
  }
}
