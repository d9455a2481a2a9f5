/** Tests of homes of agent programs: the owner's alone, few at once, and gone after a run and after a kill. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { silentLog } from '../base/log.ts';
import { limits } from '../config/config.ts';
import { AgentHomes } from './agent-homes.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'homes-test-'));
after(() => rmSync(dataDir, { recursive: true }));
const never = new AbortController().signal;

test('a home is below the data folder, where only the owner can write, and gone afterwards', async () => {
  const homes = new AgentHomes({ dataDir, log: silentLog });
  const home = await homes.use(async (path) => {
    const modes = [path, dirname(path)].map((folder) => statSync(folder).mode & 0o777);
    assert.deepEqual([modes, dirname(dirname(path))], [[0o700, 0o700], dataDir]);
    writeFileSync(join(path, 'file'), 'of the agent');
    return path;
  }, never);
  assert.equal(existsSync(home), false);
});

test('homes that a killed gateway left are removed at the next start', async () => {
  const left = join(dataDir, 'agent-homes', 'run-left', 'work');
  mkdirSync(left, { recursive: true });
  await new AgentHomes({ dataDir, log: silentLog }).open();
  assert.equal(existsSync(left), false);
});

test('few programs run at once, some wait, and more are refused', async () => {
  const homes = new AgentHomes({ dataDir, log: silentLog });
  const { agentPrograms, agentProgramQueue } = limits;
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [now, most] = [0, 0];
  const act = async () => {
    now += 1;
    most = Math.max(most, now);
    if (now === agentPrograms) begun.resolve();
    await end.promise;
    now -= 1;
  };
  const uses = Array.from({ length: agentPrograms + agentProgramQueue }, () => homes.use(act, never));
  const said = `${agentPrograms} agent programs are running and ${agentProgramQueue} waiting.`;
  await assert.rejects(homes.use(act, never), { code: 'MODEL_FAILED', message: said });
  await begun.promise;
  end.resolve();
  await Promise.all(uses);
  assert.deepEqual([now, most], [0, agentPrograms]);
});
