/** Tools and search in the terminal. */

import { declareLooking, sharedDay } from '../browser/shared-day.ts';
import { tellStory } from './story.ts';

declareLooking();

tellStory(
  '[TUI-30] all tools, a search while it is typed, and a tool whole',
  async () => (await sharedDay()).dataDir,
  async ({ press, type, shows, sees }) => {
    await shows('forge-oss');
    await press('/');
    await shows(/billing:\S+ +(callable|after approval) +\d+ +\S+ %/);
    await sees('tools');
    await type('days between two dates');
    await shows(/› toolbox:days_between +█+░* +\S+ % +words \d/);
    await sees('tools-found');
    await press('Enter');
    await shows('Tool: toolbox:days_between');
    await shows('Improved description, which agents read');
    await shows('Parameters');
    await sees('tool');
    await press('Escape');
    await shows('Search: days between two dates');
    await press('Escape');
    await shows('type what an agent needs');
  },
);
