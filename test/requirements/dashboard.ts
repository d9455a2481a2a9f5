/** Promises about the dashboard in the browser. */

import type { Requirement } from './requirement.ts';

export const dashboardRequirements: readonly Requirement[] = [
  {
    id: 'DASH-01',
    sentence:
      'The files of the dashboard are small, kept as long as they are good, and may load nothing from elsewhere.',
    source: 'surfaces',
  },
  {
    id: 'DASH-02',
    sentence: 'Nothing but the files of the build is served, whatever path is asked for.',
    source: 'access',
  },
  { id: 'DASH-03', sentence: 'A command opens the dashboard, signed in, or prints the link.', source: 'surfaces' },
  {
    id: 'DASH-10',
    sentence: 'A link signs one browser in, and its page says why another does not work.',
    source: 'access',
  },
  { id: 'DASH-11', sentence: 'A page of somebody else neither signs in nor orders anything.', source: 'access' },
  {
    id: 'DASH-12',
    sentence: 'A page that lost its gateway says so, and goes on by itself after a restart.',
    source: 'surfaces',
  },
  { id: 'DASH-13', sentence: 'A change is shown as it happens, without being asked for.', source: 'surfaces' },
  {
    id: 'DASH-14',
    sentence: 'Whatever servers, tools and agents say is shown as text: nothing of it runs, leaves or hides.',
    source: 'trust',
  },
  { id: 'DASH-15', sentence: 'Every page can be used with a screen reader, in light and dark.', source: 'surfaces' },
  {
    id: 'DASH-16',
    sentence: 'The dashboard works below a path, behind a front end that takes the path away.',
    source: 'surfaces',
  },
  {
    id: 'DASH-30',
    sentence: 'The page Search shows what anybody gets for a need, takes each score apart and compares two modes.',
    source: 'search',
  },
  { id: 'DASH-50', sentence: 'The first page shows everything that waits for the owner.', source: 'surfaces' },
  {
    id: 'DASH-51',
    sentence: 'Calls are shown as they are made, by any filter, and hold still for a reader.',
    source: 'surfaces',
  },
  { id: 'DASH-52', sentence: 'While a server is recorded, every page says so.', source: 'surfaces' },
  {
    id: 'DASH-53',
    sentence: 'The page Usage shows which tools are used, fail, follow each other or are never called.',
    source: 'surfaces',
  },
  {
    id: 'DASH-54',
    sentence: 'A call that was refused names what was asked for, and says to the owner why.',
    source: 'surfaces',
  },
  {
    id: 'DASH-70',
    sentence:
      'What an owner comes for takes a few clicks from the first page: why a tool is missing, an upgrade, a try, a token, failures.',
    source: 'surfaces',
  },
  {
    id: 'DASH-71',
    sentence: 'A dialog takes the focus to its first input and gives it back; a page that is gone to takes it.',
    source: 'surfaces',
  },
  { id: 'DASH-72', sentence: 'On a phone, a row has what matters within its width.', source: 'surfaces' },
  {
    id: 'DASH-31',
    sentence:
      'The page Optimizer shows each description with its figures, prompts and confusions, follows jobs, promotes and reverts.',
    source: 'optimizer',
  },
];
