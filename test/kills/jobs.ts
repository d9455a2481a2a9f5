/** Kills gateways in the middle of jobs of 200 prompts: `npm run kills:jobs -- --kills 60 --seed 1`. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../../exam/kit/random.ts';
import { killJob } from './kill-job.ts';

const killsPerJob = 4;

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
const random = new Random(Number(values.seed));
let [kills, jobs] = [0, 0];
while (kills < Number(values.kills)) {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-kills-'));
  const report = await killJob(folder, Math.min(killsPerJob, Number(values.kills) - kills), random);
  await rm(folder, { recursive: true });
  kills += report.kills;
  jobs += 1;
  console.info(JSON.stringify(report));
}
console.info(`${kills} kills in ${jobs} jobs of 200 prompts: none lost, none judged twice.`);
