/** Settings without effect are named with their position. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CliMachine } from '../kit/cli.ts';

const idle = `{
  "search": { "mode": "cloud" },
  "optimize": {},
  "llm": { "model": "m" },
  "surfaces": { "tokens": { "agnet": "direct" } },
  "mcpServers": { "far": { "url": "https://far.example/mcp", "env": { "A": "1" } } },
}
`;

const expected: readonly (readonly [line: number, says: RegExp])[] = [
  [2, /"search.mode" is "cloud", but "search.cloud.url" is not set/],
  [4, /"llm.model" has no effect without "llm.provider"/],
  [5, /agnet/],
  [6, /"mcpServers\.far\.env"/],
];

test('[ADVICE-05] each setting without effect is a note with file and line, and the check ends with 0', async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  const file = join(machine.dataDir, 'toolcrib.json');
  await writeFile(file, idle);
  for (const command of [
    ['config', 'check'],
    ['doctor', '--config', file],
  ]) {
    const { code, stdout } = await machine.run(...command);
    const notes = stdout.split('\n').filter((line) => line.includes(`${file}:`));
    for (const [line, says] of expected) {
      const found = notes.find((note) => note.includes(`${file}:${line}:`) && says.test(note));
      assert.ok(found, `${command.join(' ')}: line ${line} ${says}\n${stdout}`);
    }
    if (command[0] === 'config') assert.equal(code, 0, stdout);
  }
});

test('[ADVICE-06] the provider "agent" without a program that may be started is named', async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  await writeFile(join(machine.dataDir, 'toolcrib.json'), '{ "llm": { "provider": "agent" } }');
  const { code, stdout } = await machine.run('config', 'check');
  assert.equal(code, 0);
  assert.match(stdout, /toolcrib\.json:1:\d+: .*"llm\.provider" is "agent", but "optimize\.agent" is not set/);
});
