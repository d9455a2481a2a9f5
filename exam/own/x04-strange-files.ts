/** X04: files of other programs that are endless, pipes, huge or nested without end, where commands look for configs. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { agentIds } from '../../src/agent-files/agent-files.ts';
import { readLock, tryLockFile } from '../../src/store/lock/lock.ts';
import { CliMachine } from '../../test/kit/cli.ts';
import { type RanCommand, runCommands } from '../../test/kit/command-runner.ts';
import { eventually } from '../../test/kit/processes.ts';
import { type PlantedFile, StrangeFiles } from '../../test/kit/strange-files.ts';
import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

/** Each is a home with a project, and has a strange file of every kind where agents keep their configs. */
const sizes = { quick: { homes: 1 }, full: { homes: 12 } };
const megabyte = 1_024 * 1_024;
/** Node and the program take 200 MB of it; a file counts to its limit. */
const mostBytes = 700 * megabyte;
const mostMs = 20_000;
const comesToWaitMs = 1_500;
/** By itself it gives up after 20 s, so that even a quick examination can tell. */
const endsWithinMs = 10_000;

export const strangeFiles: Check = {
  id: 'X04',
  kind: 'own',
  title: 'Strange files of other programs',
  passes: 'import, install and uninstall end in 20 s and 700 MB, name what they cannot read, and end on SIGTERM',
  eras: ERAS,
  async run(rig, size) {
    const setup = await rig.open({ servers: {} });
    for (let home = 0; home < sizes[size].homes; home += 1)
      await rig.part(`home ${home}`, () => readAll(rig, setup, rig.seed + home));
    await rig.part('SIGTERM', () => endsOnSignal(rig));
    // The gateway that was asked meanwhile is as it was.
    for (const era of ERAS) {
      const { said } = await (await setup.agent(era)).call('sibling.echo', { text: 'still here' });
      rig.expect(said === 'still here', `${era}: ${said.slice(0, 200)}`);
    }
  },
};

async function readAll(rig: Rig, setup: Setup, seed: number): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'toolcrib-exam-strange-'));
  const files = new StrangeFiles();
  try {
    const cwd = join(home, 'project');
    await mkdir(cwd);
    const planted = await files.plant(home, cwd, seed);
    const lines = [
      ['import', '--dry-run'],
      ['install', ...agentIds, '--dry-run'],
      ['uninstall', '--all', '--dry-run'],
    ].map((line) => [...line, '--json']);
    const { commands, peakBytes } = await runCommands(lines, {
      cwd,
      env: { HOME: home, TOOLCRIB_DATA: setup.dataDir },
    });
    for (const command of commands) expectEnded(rig, command);
    expectNamed(rig, commands[0], planted);
    rig.figure('files', planted.length);
    rig.figure('most MB', peakBytes / megabyte);
    rig.expect(peakBytes < mostBytes, `They took ${Math.round(peakBytes / megabyte)} MB.`);
  } finally {
    files.close();
    await rm(home, { recursive: true, force: true });
  }
}

function expectEnded(rig: Rig, { argv: [command], code, stdout, stderr, ms }: RanCommand): void {
  const printed = `${stdout}${stderr}`;
  rig.expect([0, 1, 2, 3].includes(code), () => `${command} ended with ${code}: ${printed.slice(0, 300)}`);
  const bug = /INTERNAL|RangeError|Maximum call stack/.exec(printed);
  rig.expect(bug === null, () => `${command} says ${printed.slice(bug?.index, (bug?.index ?? 0) + 300)}`);
  rig.figure(`${command} ms`, ms);
  rig.expect(rig.isInTime(ms, mostMs), `${command} took ${Math.round(ms)} ms.`);
}

/** What no program can read is named, and what it can is not. */
function expectNamed(rig: Rig, imported: RanCommand | undefined, planted: readonly PlantedFile[]): void {
  const { skippedFiles } = JSON.parse(imported?.stdout ?? '') as { skippedFiles: { file: string; message: string }[] };
  for (const { path, kind, end } of planted) {
    const isNamed = skippedFiles.some(({ file, message }) => file === path && message.startsWith(path));
    if (end !== 'either') rig.expect(isNamed === (end === 'refused'), `${kind}: it is ${isNamed ? '' : 'not '}named.`);
  }
}

/** A command that waits for another one leaves when it is asked to. */
async function endsOnSignal(rig: Rig): Promise<void> {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  await writeFile(join(machine.home, '.claude.json'), '{}');
  const release = tryLockFile(join(machine.dataDir, 'agents.lock'));
  const waiting = machine.spawn(['install', 'claude-code']);
  await eventually('it has the data folder', async () => (await readLock(machine.dataDir)) ?? undefined);
  // Nothing tells when it has come to its wait.
  await pause(comesToWaitMs);
  const askedAt = performance.now();
  const { code, stderr } = await waiting.stop();
  const tookMs = performance.now() - askedAt;
  release?.();
  rig.expect(tookMs < endsWithinMs, `Asked to end, it took ${Math.round(tookMs)} ms.`);
  rig.expect(code === 1 && stderr.includes('Stopped by SIGTERM.'), `It ended with ${code}: ${stderr.slice(0, 300)}`);
}
