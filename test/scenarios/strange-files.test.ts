/** Broken, endless, huge or irregular files of others: every command that reads them ends soon, in little memory, with an answer or a clear error. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { agentIds } from '../../src/agent-files/agent-files.ts';
import { type RanCommand, runCommands } from '../kit/command-runner.ts';
import { type PlantedFile, StrangeFiles } from '../kit/strange-files.ts';

/** The number of homes, each with 25 files. */
const homes = process.env.TOOLCRIB_TEST_FULL === '1' ? 80 : 4;
/** A gateway without servers already takes 200 MB. */
const mostBytes = 700 * 1_024 * 1_024;
const mostMs = 20_000;

/** A command that ended as it should: with an answer, or with errors that say what is wrong. */
function assertEnded({ argv, code, stdout, stderr, ms }: RanCommand, seed: number): void {
  const about = `seed ${seed}: ${argv.join(' ')}\n${stdout.slice(0, 2_000)}\n${stderr.slice(0, 2_000)}`;
  assert.ok([0, 1, 2, 3].includes(code), about);
  assert.doesNotMatch(`${stdout}${stderr}`, /INTERNAL|RangeError|Maximum call stack/, about);
  if (stderr !== '') assert.match(JSON.parse(stderr).error.message, /\S/, about);
  assert.ok(ms < mostMs, `${ms} ms, ${about}`);
}

/** Files that cannot be read are named by `import`, and good ones are not. */
function assertNamed({ stdout }: RanCommand, planted: readonly PlantedFile[]): void {
  const { skippedFiles } = JSON.parse(stdout) as { skippedFiles: { file: string; message: string }[] };
  for (const { path, kind, end } of planted) {
    const message = skippedFiles.find(({ file }) => file === path)?.message;
    if (end === 'refused') assert.ok(message?.startsWith(path), `${kind}: ${message}`);
    if (end === 'read') assert.equal(message, undefined, kind);
  }
}

for (let seed = 1; seed <= homes; seed += 1) {
  test(`[GET-14] strange files end in an answer or a clear error, in bounded memory (seed ${seed})`, async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'toolcrib-strange-'));
    const cwd = join(home, 'project');
    const files = new StrangeFiles();
    try {
      await Promise.all([cwd, join(home, 'data')].map((folder) => mkdir(folder)));
      await writeFile(join(home, 'data', 'toolcrib.json'), '{ "access": { "keyring": "off" } }');
      const planted = await files.plant(home, cwd, seed);
      const lines = [
        ['import', '--dry-run'],
        ['install', ...agentIds, '--dry-run'],
        ['install', 'claude-code', 'cursor', 'vscode', 'codex', '--scope', 'project', '--dry-run'],
        ['uninstall', '--all', '--dry-run'],
        ...planted.map(({ path }) => ['config', 'check', path]),
        ...planted.filter(({ end }) => end !== 'read').map(({ path }) => ['call', 'no:such', `@${path}`]),
      ];
      const { commands, peakBytes } = await runCommands(
        lines.map((line) => [...line, '--json']),
        { cwd, env: { HOME: home, TOOLCRIB_DATA: join(home, 'data') } },
      );
      for (const command of commands) assertEnded(command, seed);
      assertNamed(commands[0] as RanCommand, planted);
      const peak = `${Math.round(peakBytes / 1_024 / 1_024)} MiB at most for ${planted.length} files`;
      t.diagnostic(peak);
      assert.ok(peakBytes < mostBytes, `${peak}, seed ${seed}`);
    } finally {
      files.close();
      await rm(home, { recursive: true, force: true });
    }
  });
}
