/** What the terminal UI shows of descriptions that were measured and improved. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { declareLooking, sharedDay } from '../browser/shared-day.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { openTui, tellStory, terminalTest } from './story.ts';

declareLooking();
const day = async () => (await sharedDay()).dataDir;

tellStory(
  '[TUI-20] [TUI-22] [TUI-23] the optimizer shows servers, tools, one description and its prompts',
  day,
  async ({ press, shows, sees }) => {
    await shows('forge-oss');
    await press('o');
    await shows('days_between');
    await press('Home');
    await sees('optimizer');
    await press('Enter');
    await shows('web_search');
    await press('Enter', 'Down', 'd');
    await shows('DECIDING PROMPTS');
    await sees('description');
    await press('End');
    await shows('Counts the days between two dates.');
    await press('p');
    await shows('Success Rate: 11/12 (92 %)');
    await press(...Array.from({ length: 7 }, () => 'Down'));
    await sees('golden-prompts');
    await press('w', 'w');
    await shows('Success Rate: 7/12 (58 %)');
    await press('Escape');
    await shows('DECIDING PROMPTS');
    await press('Escape');
    await shows('time_since');
    await press('w');
    await shows('Tools and outcome'.toUpperCase());
    await sees('jobs');
  },
);

tellStory(
  '[TUI-21] [TUI-24] a job is prepared for one server or for all, with its estimate',
  day,
  async ({ press, shows, sees }) => {
    await shows('forge-oss');
    await press('o');
    await shows('days_between');
    await press('Home', 'o');
    await shows('21 prompts of 2 tools');
    await sees('start-job');
    await press('Down', 'Right', 'Right');
    await shows('at most 14');
    await press('a');
    await shows('Selected: 12/12 tools');
    await press('a');
    await shows('Choose at least one tool');
    await press('C-o');
    await shows('21 prompts of 2 tools');
    await sees('batch');
  },
);

tellStory('[TUI-25] the report is written to a file that somebody names', day, async ({ press, type, shows }) => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-report-'));
  try {
    const file = join(folder, 'report.html');
    await shows('forge-oss');
    await press('C-e');
    await shows('optimizer-report.md');
    await press('C-u');
    await type(file);
    await shows(/File: .*report\.html/);
    await press('Enter');
    await shows('Written to');
    assert.match(await readFile(file, 'utf8'), /^<!doctype html>/i);
    await writeFile(file, 'mine');
    await press('Enter');
    await shows('exists. Replace it?');
    await press('n');
    await shows(/^Enter Write/m);
    assert.equal(await readFile(file, 'utf8'), 'mine');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

terminalTest('[TUI-20] where the optimizer is off, it says how to switch it on', async () => {
  await using gateway = await openTestGateway();
  await using terminal = await openTui(gateway.dataDir, { columns: 80, rows: 24 });
  await terminal.shows('Optimizations: off');
  await terminal.press('o');
  await terminal.shows('--enable-optimization');
});
