/** Kills a process that records calls, as often as is asked for: `node test/kills/metrics.ts --kills 300 --seed 1`. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../../exam/kit/random.ts';
import { killRecorder } from './kill-recorder.ts';

/** A new file now and then: the recorder reads all of it at each start. */
const killsPerFile = 25;

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' } },
});
const [kills, seed] = [Number(values.kills), Number(values.seed)];
const random = new Random(seed);
const sum = { kills: 0, acknowledged: 0, found: 0, midBatch: 0 };
const folder = await mkdtemp(join(tmpdir(), 'toolcrib-kills-'));
console.info(`${kills} kills, seed ${seed}`);
while (sum.kills < kills) {
  const file = join(folder, `${sum.kills}.db`);
  const report = await killRecorder(file, Math.min(killsPerFile, kills - sum.kills), random);
  sum.kills += report.kills;
  sum.acknowledged += report.acknowledged;
  sum.found += report.found;
  sum.midBatch += report.midBatch;
  await rm(file);
  console.info(JSON.stringify(sum));
}
await rm(folder, { recursive: true });
console.info(`${sum.kills} kills: ${sum.acknowledged} acknowledged calls, none lost, none counted twice.`);
