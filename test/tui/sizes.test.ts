/** Terminals of every size, and terminals that stand still. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAdmin } from '../../src/admin/client/client.ts';
import { declareLooking, sharedDay } from '../browser/shared-day.ts';
import { compareScreen, openProgram, openTui, terminalTest } from './story.ts';

declareLooking();

terminalTest('[TUI-44] any size will do: too small says so, and a larger one shows everything again', async () => {
  await using terminal = await openTui((await sharedDay()).dataDir);
  await compareScreen(terminal, 'servers');
  await terminal.resize(20, 5);
  assert.equal(await terminal.shows('Too small'), 'Too small (at least…');
  await terminal.resize(1, 1);
  await terminal.shows('…');
  for (let step = 1; step < 30; step += 1) await terminal.resize(1 + ((step * 37) % 200), 1 + ((step * 11) % 50));
  await terminal.resize(80, 24);
  await compareScreen(terminal, 'servers');
  await terminal.press('End', 'x');
  await terminal.resize(44, 12);
  await terminal.shows(/^Remove wiki-pub… y = yes, any other key = no$/m);
});

terminalTest('[TUI-45] a terminal that stands still holds up nobody, and then shows how it is', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-tui-'));
  const config = join(dataDir, 'toolcrib.json');
  await writeFile(config, JSON.stringify({ access: { keyring: 'off' } }));
  const line = ['start', '--tui', '--port', '0', '--data', dataDir, '--config', config];
  await using terminal = await openProgram(line, { columns: 200, rows: 100 });
  const screen = await terminal.shows(/Port: \d+/);
  const url = `http://127.0.0.1:${/Port: (\d+)/.exec(screen)?.[1]}`;
  const admin = connectAdmin(url, (await readFile(join(dataDir, 'owner-token'), 'utf8')).trim());
  await terminal.press('l');
  const reader = await terminal.readerPid();
  process.kill(reader, 'SIGSTOP');
  try {
    // Frames of ten thousand characters, several a second: more than the system keeps for a terminal.
    for (let step = 0; step < 400; step += 1) {
      const name = `none-${step}-${'x'.repeat(step % 40)}`;
      await assert.rejects(admin.run('servers.refresh', { name }), { code: 'SERVER_NOT_FOUND' });
    }
  } finally {
    process.kill(reader, 'SIGCONT');
  }
  await terminal.shows('none-399');
  await terminal.press('q');
  await terminal.shows('ended 0, line as before');
  await rm(dataDir, { recursive: true });
});
