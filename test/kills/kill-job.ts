/** Kills a gateway in the middle of a job, again and again, and checks that no prompt is lost and none judged twice. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Random } from '../../exam/kit/random.ts';
import { connectAdmin } from '../../src/admin/client/client.ts';
import { type GatewayProcess, startGatewayProcess } from '../kit/gateway-process.ts';
import { manyPrompts, weather } from '../kit/optimizing-agent.ts';

const promptCount = 200;
/** Each prompt is judged by the candidate and by the server's own description. */
export const runCount = 2 * promptCount;
const tool = { server: 'weather', tool: 'get_current' };

interface JobKills {
  readonly kills: number;
  /** Runs that were stored at each kill. */
  readonly stored: readonly number[];
  /** Judgements of all starts. */
  readonly calls: number;
}

/** Runs one job and kills its gateway `kills` times, or fewer if the job ends first. */
export async function killJob(dataDir: string, kills: number, random: Random): Promise<JobKills> {
  const open = () => startGatewayProcess({ servers: { weather }, config: { optimize: { enabled: true } }, dataDir });
  const stored: number[] = [];
  let jobId: string | undefined;
  let before: ReadonlyMap<string, string> = new Map();
  for (;;) {
    await using gateway = await open();
    const admin = adminOf(gateway);
    const wanted = stored.length < kills ? before.size + random.whole(1, (runCount - before.size) / 2) : runCount;
    for await (const event of admin.events(AbortSignal.timeout(600_000))) {
      if (event.kind !== 'begin' && event.kind !== 'job') continue;
      if (event.kind === 'begin') jobId ??= await beginJob(admin);
      // A resumed job may have ended before this stream began.
      const [job] = jobId === undefined ? [] : (await admin.run('optimize.jobs', { id: jobId })).jobs;
      if (job?.state === 'done') {
        const runs = runsIn(dataDir);
        assert.equal(runs.size, runCount, 'none is lost');
        for (const [id, run] of before) assert.equal(runs.get(id), run, 'what was stored stays as it was');
        const { calls } = job.outcome as { readonly calls: number };
        assert.equal(calls, runCount, 'none that was stored is judged again');
        return { kills: stored.length, stored, calls };
      }
      assert.ok(job?.state !== 'failed' && job?.state !== 'cancelled', JSON.stringify(job));
      const isOurs = event.kind === 'job' && event.data.jobId === jobId;
      if (stored.length >= kills || !isOurs || runsIn(dataDir).size < wanted) continue;
      gateway.kill('SIGKILL');
      await gateway.exited;
      break;
    }
    const now = runsIn(dataDir);
    for (const [id, run] of before) assert.equal(now.get(id), run, 'what was stored stays as it was');
    before = now;
    stored.push(now.size);
  }
}

export function adminOf({ url, ownerHeaders }: GatewayProcess) {
  return connectAdmin(url, (ownerHeaders.authorization ?? '').replace('Bearer ', ''));
}

/** A job of 200 prompts on the server `weather`. */
export async function beginJob(admin: ReturnType<typeof adminOf>): Promise<string> {
  await admin.run('servers.refresh', {});
  const prompts = manyPrompts(Math.ceil(promptCount / 3)).slice(0, promptCount);
  await admin.run('optimize.prompts', { ...tool, prompts });
  const description = 'An everyday sentence about a city: sun, rain and wind of now.';
  await admin.run('optimize.candidates', { ...tool, description });
  const begun = await admin.run('optimize.run', { server: 'weather', promptsPerCategory: promptCount });
  assert.ok('jobId' in begun);
  return begun.jobId;
}

/** The stored runs by their id, as they are in the file. */
function runsIn(dataDir: string): ReadonlyMap<string, string> {
  const db = new DatabaseSync(join(dataDir, 'toolcrib.db'), { readOnly: true });
  try {
    const rows = db.prepare('select id, body from optimizer_run').all();
    return new Map(rows.map(({ id, body }) => [String(id), String(body)]));
  } finally {
    db.close();
  }
}
