/** The process that is killed: call metrics on a real store, under load, with a line for each call once it is recorded. */

import { writeSync } from 'node:fs';
import { setImmediate as giveWay, setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { systemCodeOf } from '../../src/base/errors.ts';
import { createLog } from '../../src/base/log.ts';
import { CallMetrics } from '../../src/metrics/metrics.ts';
import { createSqliteStore, RecordWriter } from '../../src/store/store.ts';
import { soleReplica } from '../kit/sole-replica.ts';
import { numberedCall } from './numbered-call.ts';

const [file = '', firstText = '0', lanesText = '1'] = process.argv.slice(2);
const write = (line: string) => void writeSync(2, line);
const log = createLog({ level: 'error', format: 'json', write, now: () => Date.now() });
const store = createSqliteStore({ file, clock: systemClock, log });
await store.open();
const writer = new RecordWriter({ store, clock: systemClock, log });
const metrics = new CallMetrics({
  store,
  writer,
  clock: systemClock,
  log,
  retentionDays: () => 1,
  replicas: soleReplica(systemClock),
});
await metrics.open();
let next = Number(firstText);

/** Not through a stream, which keeps in memory what the reader is too slow for. */
async function say(line: string): Promise<void> {
  for (;;) {
    try {
      return void writeSync(1, line);
    } catch (error) {
      if (systemCodeOf(error) !== 'EAGAIN') throw error;
      await giveWay();
    }
  }
}

async function recordForEver(): Promise<never> {
  for (;;) {
    const number = next;
    next += 1;
    await metrics.record(numberedCall(number, Date.now()));
    // A call that waits in the queue, because the store refused it for too long, is not promised to survive.
    const { queued, dropped } = metrics.status;
    await say(queued + dropped === 0 ? `${number}\n` : `?${number}\n`);
    await wait(1);
  }
}

async function rollUpForEver(): Promise<never> {
  for (;;) await metrics.rollUp();
}

await Promise.all([rollUpForEver(), ...Array.from({ length: Number(lanesText) }, recordForEver)]);
