/** A terminal whose locale has no Unicode gets nothing else than ASCII, also where a line is cut. */

import assert from 'node:assert/strict';
import { declareLooking, sharedDay } from '../browser/shared-day.ts';
import { openTui, terminalTest } from './story.ts';

declareLooking();

/** Keys, and the screen that they lead to. */
const walk: readonly (readonly [keys: readonly string[], shown: string | RegExp])[] = [
  [[], '> billing'],
  [['Enter'], 'Server billing'],
  // Whichever records are on top: some names of actions are cut within their column.
  [['l'], /^. \d\d:\d\d:\d\d \S+ +[a-z]+\.[a-z.]+ /m],
  [['Enter'], 'Request id'],
  [['v'], 'Review'],
  [['Enter'], 'Arguments:'],
  [['o'], 'days_between'],
  [['Home', 'Down', 'd'], 'DECIDING PROMPTS'],
  [['p'], 'Success Rate'],
  [['w'], 'With:'],
  [['C-o'], 'prompts of 2 tools'],
  [['i'], 'claude mcp add'],
  [['C-k'], 'Do: #'],
  [['Escape', 'C-a'], 'Command or URL'],
  [['Escape', '/'], 'FOR AGENTS'],
];

terminalTest('[TUI-43] a narrow terminal without Unicode shows ASCII alone, in every view', async () => {
  const { dataDir } = await sharedDay();
  await using terminal = await openTui(dataDir, { columns: 60, rows: 16 }, { LC_ALL: 'C' });
  await terminal.shows('> billing');
  // In one go: the second key comes before the length of the page is known.
  await terminal.type('?\x1b[F');
  assert.doesNotMatch(await terminal.shows('PgUp PgDn'), /[^\x00-\x7f]/);
  await terminal.press('Escape');
  for (const [keys, shown] of walk) {
    await terminal.press(...keys);
    assert.doesNotMatch(await terminal.shows(shown), /[^\x00-\x7f]/);
  }
  await terminal.type('days between two dates');
  assert.doesNotMatch(await terminal.shows(/toolbox:days_between +#+\.* /), /[^\x00-\x7f]/);
  await terminal.press('Enter');
  assert.doesNotMatch(await terminal.shows('Improved description'), /[^\x00-\x7f]/);
});
