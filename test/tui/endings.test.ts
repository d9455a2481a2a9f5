/** However the terminal UI ends, the terminal is as it was, the reason can be read, and nothing is left running. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { declareLooking, sharedDay } from '../browser/shared-day.ts';
import { CliMachine } from '../kit/cli.ts';
import { planServers } from '../kit/planned-servers.ts';
import { allGone } from '../kit/processes.ts';
import { openProgram, openTui, terminalTest } from './story.ts';
import type { Terminal } from './terminal.ts';

declareLooking();
const day = async () => (await sharedDay()).dataDir;

const endings: Readonly<Record<string, (terminal: Terminal) => Promise<unknown>>> = {
  q: (terminal) => terminal.press('q'),
  'Ctrl-C': (terminal) => terminal.press('C-c'),
  SIGTERM: async (terminal) => process.kill(await terminal.pid(), 'SIGTERM'),
  SIGHUP: async (terminal) => process.kill(await terminal.pid(), 'SIGHUP'),
};

for (const [name, end] of Object.entries(endings))
  terminalTest(`[TUI-40] ${name} ends it, and leaves the terminal as it was`, async () => {
    await using terminal = await openTui(await day());
    await terminal.shows('forge-oss');
    await end(terminal);
    assert.equal((await terminal.shows('ended')).trim(), 'ended 0, line as before');
  });

for (const [name, before] of [
  ['', []],
  [', also where no signal tells', ['setsid', '--wait']],
] as const)
  terminalTest(`[TUI-40] it ends with its terminal${name}`, async () => {
    const terminal = await openProgram(['tui', '--data', await day()], { before });
    await terminal.shows('forge-oss');
    const pid = await terminal.pid();
    await terminal[Symbol.asyncDispose]();
    await allGone([pid]);
  });

/** Has a view draw what no gateway says. */
const brokenView = `const read = JSON.parse;
JSON.parse = (...given) => {
  const value = read(...given);
  if (value?.servers && value.revisions) value.servers[0].state = {};
  return value;
};`;

/** Something throws outside of every view. */
const brokenElsewhere = "process.on('SIGUSR2', () => { throw new Error('This was made up.'); });";

terminalTest('[TUI-40] an error in a view is printed when the terminal is as it was', async () => {
  await using terminal = await openTui(await day(), undefined, preload(brokenView));
  const screen = await terminal.shows('ended');
  assert.match(screen, /^Internal error: .+ is not a function\n/);
  assert.match(screen, /ended 1, line as before$/);
});

terminalTest('[TUI-40] so is one that nothing catches', async () => {
  await using terminal = await openTui(await day(), undefined, preload(brokenElsewhere));
  await terminal.shows('forge-oss');
  process.kill(await terminal.pid(), 'SIGUSR2');
  const screen = await terminal.shows('ended');
  assert.match(screen, /^Internal error: This was made up\.\n/);
  assert.match(screen, /ended 1, line as before$/);
});

/** Run before the program itself. */
function preload(code: string): Record<string, string> {
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` };
}

const gatewayEndings: Readonly<Record<string, (terminal: Terminal, dataDir: string) => Promise<unknown>>> = {
  q: (terminal) => terminal.press('q'),
  'Ctrl-C': (terminal) => terminal.press('C-c'),
  'toolcrib stop': async (_terminal, dataDir) => {
    await using machine = await CliMachine.make();
    assert.equal((await machine.run('stop', '--data', dataDir)).code, 0);
  },
};

for (const [name, end] of Object.entries(gatewayEndings))
  terminalTest(
    `[TUI-41] start --tui: ${name} ends the gateway with its servers, and the log is in its file`,
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-tui-'));
      const config = join(dataDir, 'toolcrib.json');
      const plan = planServers({ one: { tools: 'default' } });
      await writeFile(config, JSON.stringify({ access: { keyring: 'off' }, mcpServers: plan.servers }));
      await using terminal = await openProgram([
        'start',
        '--tui',
        '--port',
        '0',
        '--data',
        dataDir,
        '--config',
        config,
      ]);
      await terminal.shows(/one +connected/);
      const servers = plan.pidsOf('one');
      assert.notEqual(servers.length, 0);
      const gateway = await terminal.pid();
      await end(terminal, dataDir);
      assert.equal((await terminal.shows('ended')).trim(), 'ended 0, line as before');
      await allGone([gateway, ...servers]);
      assert.match(await readFile(join(dataDir, 'gateway.log'), 'utf8'), /"The gateway is running"/);
      await rm(dataDir, { recursive: true });
    },
  );
