/** One thread that runs programs: started, given one program at a time, and ended from outside if it does not end by itself. */

import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../base/errors.ts';
import { limits as named } from '../config/config.ts';
import type { FromThread, RunBounds, RunOrder, ThreadData, ToThread } from './thread-messages.ts';
import type { MachineModule } from './virtual-machine.ts';

/** The source runs as it is and also compiled: the thread's file ends like this one. */
const threadFile = new URL(`./chain-thread${extname(import.meta.url)}`, import.meta.url);

const bounds: RunBounds = {
  questions: named.chainQuestions,
  requestChars: named.chainRequestChars,
  waitingChars: named.chainWaitingChars,
  resultChars: named.chainResultChars,
  timers: named.chainTimers,
  logLineChars: named.chainLogLineChars,
  logLines: named.chainLogLines,
  stackBytes: named.chainStackBytes,
};

export interface Loss {
  readonly message: string;
  readonly wasReady: boolean;
  readonly isOutOfMemory: boolean;
}

/** A thread, as the pool uses it. */
export interface ChainThread {
  /** Log lines of the present program that were not kept. */
  readonly lostLogs: number;
  begin(order: RunOrder, onMessage: (message: FromThread) => void): void;
  tell(message: ToThread): void;
  /** Stops listening to the present program. */
  release(): void;
  /** Idempotent. */
  end(): Promise<unknown>;
}

/** Rejects if there is no room for a thread; one that fails later is reported as lost, unless it was ended. */
export type StartThread = (onLoss: (loss: Loss) => void) => Promise<ChainThread>;

/** The part of WebAssembly in use, which the types of Node do not declare. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<MachineModule> };
let machine: Promise<MachineModule> | undefined;

export async function startThread(onLoss: (loss: Loss) => void): Promise<ChainThread> {
  machine ??= compileMachine();
  try {
    return new PoolThread(await machine, onLoss);
  } catch (error) {
    machine = undefined;
    throw error;
  }
}

async function compileMachine(): Promise<MachineModule> {
  return WebAssembly.compile(await readFile(new URL(import.meta.resolve('quickjs-wasi/quickjs.wasm'))));
}

/** Nothing of the gateway's own but the folder of compiled code, without which a thread takes twice as long to start. */
function threadEnvironment(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}

class PoolThread implements ChainThread {
  readonly #worker: Worker;
  readonly #lostLogs: Int32Array;
  #onMessage: (message: FromThread) => void = () => {};
  #isReady = false;
  #error: unknown;
  #ending: Promise<unknown> | undefined;

  /** Throws where the system has no room for a thread. */
  constructor(wasm: MachineModule, onLoss: (loss: Loss) => void) {
    const lostLogs = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    this.#lostLogs = new Int32Array(lostLogs);
    const workerData: ThreadData = { wasm, bounds, lostLogs };
    this.#worker = new Worker(threadFile, {
      workerData,
      // Not the options of this process, and no word on stderr that stripping types is new in Node.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: threadEnvironment(),
      argv: [],
      // Output of a thread must not mix with the gateway's own; reading it would keep the process alive.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: named.chainThreadHeapMb, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 },
    });
    this.#worker.on('message', (message: FromThread) => {
      if (message.kind === 'ready') this.#isReady = true;
      else this.#onMessage(message);
    });
    this.#worker.on('messageerror', (error) => this.#fail(error));
    this.#worker.on('error', (error) => {
      this.#error = error;
    });
    this.#worker.once('exit', () => {
      if (this.#ending === undefined) onLoss(this.#loss());
    });
    // A thread without a program must not keep the process alive.
    this.#worker.unref();
  }

  get lostLogs(): number {
    return Atomics.load(this.#lostLogs, 0);
  }

  begin(order: RunOrder, onMessage: (message: FromThread) => void): void {
    Atomics.store(this.#lostLogs, 0, 0);
    this.#onMessage = onMessage;
    this.#worker.ref();
    this.#worker.postMessage(order);
  }

  tell(message: ToThread): void {
    if (this.#ending === undefined) this.#worker.postMessage(message);
  }

  release(): void {
    this.#onMessage = () => {};
    this.#worker.unref();
  }

  end(): Promise<unknown> {
    this.release();
    this.#ending ??= this.#worker.terminate();
    return this.#ending;
  }

  #fail(error: unknown): void {
    this.#error = error;
    void this.#worker.terminate();
  }

  #loss(): Loss {
    const isOutOfMemory = (this.#error as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    const message = this.#error === undefined ? 'It ended without a message.' : messageOf(this.#error);
    return { message, wasReady: this.#isReady, isOutOfMemory };
  }
}
