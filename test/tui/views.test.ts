/** What the terminal UI shows of a gateway with thirty servers and a day behind it. */

import assert from 'node:assert/strict';
import { declareLooking, sharedDay } from '../browser/shared-day.ts';
import { tellStory } from './story.ts';

declareLooking();
const day = async () => (await sharedDay()).dataDir;

tellStory(
  '[TUI-01] servers, activity, help and the menu, by keys',
  day,
  async ({ terminal, press, type, shows, sees }) => {
    await shows('forge-oss');
    await sees('servers');
    const colours = await terminal.readColours();
    assert.equal(/\x1b\[3[0-7]m/.test(colours), terminal.size.columns === 80, 'colours only where they are wanted');
    await press('Down', 'End');
    await sees('servers-end');
    await press('l');
    await shows('OUTCOME');
    await press('c');
    await shows('Nothing yet');
    await press('?');
    await sees('help');
    await press('C-k');
    await type('serv');
    await sees('menu');
    await press('Enter');
    await shows('NAME');
    await terminal.resize(60, 16);
    await shows(/^ +\d+–\d+ of 29$/m);
    await sees('servers');
  },
);
