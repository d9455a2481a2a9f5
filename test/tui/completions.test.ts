/** Completions in a real bash: the names of servers and tools, with a running gateway and without one. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliMachine } from '../kit/cli.ts';
import { serverCommand } from '../servers/launch.ts';
import { terminalTest } from './story.ts';
import { Terminal } from './terminal.ts';

const program = fileURLToPath(new URL('../../bin/toolcrib.js', import.meta.url));

/** A tool whose name would do harm in a shell that expands it. */
const hostile = { name: 'x$(touch expanded)', description: 'Waits.', inputSchema: { type: 'object' } };

async function openBash(machine: CliMachine): Promise<Terminal> {
  const { stdout: script } = await machine.run('completions', 'bash');
  const rc = join(machine.home, 'bashrc');
  await writeFile(rc, `PS1='ready> '\ntoolcrib() { '${process.execPath}' '${program}' "$@"; }\n${script}`);
  return Terminal.open({
    ...{ columns: 80, rows: 12, command: ['bash', '--noprofile', '--rcfile', rc, '-i'] },
    env: { HOME: machine.home, TOOLCRIB_DATA: machine.dataDir },
  });
}

for (const isRunning of [false, true]) {
  terminalTest(`[GET-68] bash completes names ${isRunning ? 'of a running gateway' : 'while none runs'}`, async () => {
    await using machine = await CliMachine.make();
    if (isRunning) await machine.start();
    for (const [name, spec] of Object.entries({ library: {}, odd: { tools: [hostile] } })) {
      const { command, args } = serverCommand(spec);
      assert.equal((await machine.run('add', name, '--', command, ...args)).code, 0);
    }
    await using terminal = await openBash(machine);
    await terminal.shows('ready>');
    const cases: [typed: string, completed: string][] = [
      ['toolcrib call library:whoa', 'toolcrib call library:whoami '],
      ['toolcrib info lib', 'toolcrib info library:'],
      ['toolcrib rm lib', 'toolcrib rm library '],
      ['toolcrib tools --server lib', 'toolcrib tools --server library '],
      ['toolcrib metrics library:whoa', 'toolcrib metrics library:whoami '],
      ['toolcrib optimize rep', 'toolcrib optimize report '],
    ];
    for (const [typed, completed] of cases) {
      await terminal.type(typed);
      await terminal.press('Tab');
      await terminal.shows(`ready> ${completed.trimEnd()}`);
      await terminal.press('C-u', 'C-l');
    }
    const listed = (await machine.run('tools', '--json')).json<{ toolKey: string }[]>();
    assert.ok(
      listed.some(({ toolKey }) => toolKey.includes('$')),
      'there is a name to leave out',
    );
    const offered = (await machine.run('names', 'tools', '--json')).json<string[]>();
    assert.deepEqual([offered.length > 0, offered.filter((name) => /[^\w:-]/.test(name))], [true, []]);
  });
}
