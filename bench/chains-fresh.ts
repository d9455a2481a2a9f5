/** The cost of a program without warm threads: a new thread and virtual machine each time. */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { QuickJS } from 'quickjs-wasi';

/** Runs code that gives a number, in a thread that is started for it and ended after it. */
export async function runFresh(code: string): Promise<number> {
  const thread = new Worker(new URL(import.meta.url), { workerData: code });
  try {
    return await new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject));
  } finally {
    await thread.terminate();
  }
}

if (!isMainThread) {
  const wasm = await readFile(fileURLToPath(import.meta.resolve('quickjs-wasi/quickjs.wasm')));
  const machine = await QuickJS.create({ wasm });
  parentPort?.postMessage(machine.evalCode(String(workerData), 'fresh.js').toNumber());
}
