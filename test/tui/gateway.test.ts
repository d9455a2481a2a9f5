/** What the terminal UI does when the gateway has news, is away, refuses, or is not there. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { openProgram, openTui, terminalTest } from './story.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-tui-'));
after(() => rm(dataDir, { recursive: true }));
const { servers } = hostServers({ one: { tools: 'default' } });
const open = () => openTestGateway({ dataDir, servers });

terminalTest('[TUI-47] a call appears as it is made, and a gateway that restarts is found again', async () => {
  const first = await open();
  await using terminal = await openTui(dataDir);
  await terminal.shows(`Port: ${new URL(first.url).port}`);
  await terminal.press('l');
  await new ModernAgent(first).say('one.echo', { text: 'hello' });
  await terminal.shows('one:echo');
  await first.close();
  await terminal.shows('Reconnecting…');
  await using second = await open();
  await terminal.shows(`Port: ${new URL(second.url).port}`);
  await terminal.press('c');
  await terminal.shows('Nothing yet');
  await new ModernAgent(second).say('one.echo', { text: 'hello again' });
  assert.doesNotMatch(await terminal.shows('one:echo'), /Reconnecting/);
});

terminalTest('[TUI-47] who is refused reads why', async () => {
  await using gateway = await open();
  for (const [token, reason] of [
    ['wrong', /TOOLCRIB_TOKEN/],
    [gateway.gateway.tokens.agent, /owner/],
  ] as const) {
    await using terminal = await openTui(dataDir, undefined, { TOOLCRIB_TOKEN: token });
    const screen = await terminal.shows('ended');
    assert.match(screen, reason);
    assert.match(screen, /ended 4, line as before$/);
  }
});

terminalTest('[TUI-47] without a gateway or a terminal it says so and ends', async () => {
  const line = ['tui', '--data', dataDir];
  await using alone = await openProgram(line);
  const screen = await alone.shows('ended');
  assert.match(screen, /^No gateway is running\.\nhint: Start one here: /);
  assert.match(screen, /ended 5, line as before$/);
  await using dumb = await openProgram(line, { env: { TERM: 'dumb' } });
  assert.match(await dumb.shows('ended'), /^This needs a terminal that can move its cursor\.\nhint: [\s\S]+ended 2, /);
  await using machine = await CliMachine.make();
  const { code, stderr } = await machine.run('tui');
  assert.deepEqual([code, stderr.split('\n')[0]], [2, 'This needs a terminal that can move its cursor.']);
});
