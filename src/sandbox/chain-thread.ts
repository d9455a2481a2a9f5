/** The program of a thread that runs programs of agents, one after the other; everything it does is asked for by message. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { ChainRun } from './chain-run.ts';
import { ReadyMachine } from './ready-machine.ts';
import type { FromThread, RunOrder, ThreadData, ToThread } from './thread-messages.ts';

const data = workerData as ThreadData;
/** V8 collects the garbage itself if programs follow each other faster. */
const quietMs = 200;
let current: ChainRun | undefined;
/** For the program that comes next. */
let next: Promise<ReadyMachine> | undefined;
let collect: (() => void) | undefined;
let quiet: NodeJS.Timeout | undefined;

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'run') void run(message);
  else if (message.run === current?.number) {
    current.answered(message.id, message.text);
    post({ kind: 'taken', run: message.run, id: message.id });
  }
});
post({ kind: 'ready' });

async function run(order: RunOrder): Promise<void> {
  clearTimeout(quiet);
  const chain = new ChainRun(order, data, takeMachine, post);
  current = chain;
  const end = await chain.end();
  current = undefined;
  post({ kind: 'end', run: order.run, end, machineBytes: chain.machineBytes });
  chain.drop();
  prepare(order);
  quiet = setTimeout(collectGarbage, quietMs);
}

/** The one that is ready, or another where it does not suit. */
async function takeMachine(order: RunOrder): Promise<ReadyMachine> {
  // A machine that could not be made is tried again; a second failure ends the run.
  const ready = await next?.catch(() => undefined);
  next = undefined;
  if (ready?.suits(order)) return ready;
  ready?.machine.drop();
  return ReadyMachine.make(data, order);
}

/** Most programs are followed by others of the same agent. */
function prepare(order: RunOrder): void {
  if (next !== undefined) return;
  next = ReadyMachine.make(data, order);
  next.catch(() => {});
}

function post(message: FromThread): void {
  parentPort?.postMessage(message);
}

/** Gives memory back at once, in a few milliseconds: V8 would keep the machines of ended programs until it needs the room. */
function collectGarbage(): void {
  if (collect === undefined) {
    // V8 hands the function out only in contexts that were made after it was asked to.
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
