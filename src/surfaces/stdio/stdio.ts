/** `toolcrib stdio`: the agent door on stdin and stdout, a thin bridge to the running gateway. Stdout carries messages only. */

import type { Readable, Writable } from 'node:stream';
import { sleep, systemClock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import { Bridge } from './bridge.ts';
import { bridgeLimits } from './bridge-limits.ts';
import type { Connect } from './gateway-finder.ts';
import { LineReader } from './line-reader.ts';
import { LineWriter } from './line-writer.ts';

export interface StdioOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly dataDir: string;
  /** The config of a gateway that has to be started. */
  readonly configPath?: string | undefined;
  readonly input?: Readable;
  readonly output?: Writable;
  /** Finds the gateway or starts one; by default the one of the data folder. */
  readonly connect?: Connect;
}

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Runs until the agent has gone; resolves with the exit code. */
export async function runStdio(options: StdioOptions): Promise<number> {
  const input = options.input ?? process.stdin;
  const writer = new LineWriter(options.output ?? process.stdout);
  const clock = systemClock;
  const log = createLog({
    level: 'warn',
    format: 'line',
    write: (line) => process.stderr.write(`toolcrib stdio: ${line}`),
    now: clock.now,
  });
  const connect = options.connect ?? (() => connectByDataFolder(options));
  const bridge = new Bridge({ connect, surface: options.env.TOOLCRIB_SURFACE || undefined, writer, clock, log });
  // Timers alone do not keep a process alive, and a promise that waits for one would never be kept.
  const staying = setInterval(() => {}, 2 ** 30);
  const stop = new Stop();
  if ('isTTY' in input && input.isTTY)
    log.warn('This speaks MCP on stdin and stdout: an agent launches it, not a person');
  try {
    read(input, bridge, () => stop.soon());
    void writer.gone.then(() => stop.now());
    for (const signal of signals) process.on(signal, stop.onSignal);
    await stop.asked;
    input.pause();
    await bridge.close(stop.hurried);
    await Promise.race([writer.flush(), sleep(clock, bridgeLimits.flushMs)]);
    return 0;
  } finally {
    for (const signal of signals) process.off(signal, stop.onSignal);
    clearInterval(staying);
    input.destroy();
  }
}

/** Feeds the bridge, no faster than it can take it. */
function read(input: Readable, bridge: Bridge, onEnd: () => void): void {
  const reader = new LineReader(bridgeLimits.lineBytes, {
    onLine: (line) => bridge.onLine(line),
    onOversized: (head, tail) => bridge.onOversized(head, tail),
  });
  input.on('data', (chunk: Buffer) => {
    reader.push(chunk);
    if (!bridge.isCongested) return;
    input.pause();
    void bridge.relieved().then(() => input.resume());
  });
  input.once('end', () => {
    reader.end();
    onEnd();
  });
  input.once('error', onEnd);
  input.once('close', onEnd);
}

/** The ways to end: in good order first, at once when asked again or when nobody listens. */
class Stop {
  readonly #asked = Promise.withResolvers<void>();
  readonly #hurried = Promise.withResolvers<void>();
  #isAsked = false;

  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  get hurried(): Promise<void> {
    return this.#hurried.promise;
  }

  soon(): void {
    this.#isAsked = true;
    this.#asked.resolve();
  }

  now(): void {
    this.soon();
    this.#hurried.resolve();
  }

  readonly onSignal = (): void => (this.#isAsked ? this.now() : this.soon());
}

/** Loaded only when it is needed: with the gateway's lock comes much that a bridge has no other use for. */
async function connectByDataFolder({ dataDir, env, configPath }: StdioOptions): ReturnType<Connect> {
  const { ensureGateway } = await import('../cli/cli.ts');
  return ensureGateway({ dataDir, env, configPath });
}
