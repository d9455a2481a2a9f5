/** Keys that reach the terminal UI together act one after the other, each on what the one before it left. */

import { declareLooking, sharedDay } from '../browser/shared-day.ts';
import { tellStory } from './story.ts';

declareLooking();

tellStory(
  '[TUI-42] a row that is chosen and acted on in one go, and a command that is found and chosen in one go',
  async () => (await sharedDay()).dataDir,
  async ({ press, type, shows }) => {
    await shows('› billing');
    // The last one was added at run time: one of the config file cannot be removed here.
    await type('Gx');
    await shows('Remove wiki-public ');
    await press('n');
    await shows('› wiki-public ');
    await press('Enter');
    await shows('Server wiki-public');
    await type('\x1b\x1b[A');
    await shows(/^› (?!wiki-public)/m);
    await type('\x0bhelp\r');
    await shows('PgUp PgDn');
  },
);
