/** Promises about looking at servers and tools in the dashboard. */

import type { Requirement } from './requirement.ts';

export const dashboardToolRequirements: readonly Requirement[] = [
  {
    id: 'DASH-41',
    sentence:
      'The owner sees every tool of every server, and why agents do not see it, as any token or project has it.',
    source: 'SPEC 12',
  },
  {
    id: 'DASH-42',
    sentence: 'A large result of a call by hand can be read page by page.',
    source: 'SPEC 12',
  },
  {
    id: 'DASH-43',
    sentence: 'A tool can be tried by a form made of its input schema, with the same call as a command.',
    source: 'SPEC 12',
  },
  { id: 'DASH-44', sentence: 'The page shows a large answer of a tool page by page.', source: 'SPEC 12' },
  {
    id: 'DASH-45',
    sentence: 'Permissions change in place, and the page says in one sentence why a tool is missing.',
    source: 'SPEC 12',
  },
  {
    id: 'DASH-46',
    sentence:
      'A form adds a server and shows its tools; agents see nothing of it until it is kept, and closing the page ends its trial.',
    source: 'SPEC 12',
  },
  {
    id: 'DASH-73',
    sentence:
      'The connection of a server is changed by a form that shows no secret; its tools are shown first, and agents use the old one until the new one is kept.',
    source: 'SPEC 12',
  },
  { id: 'DASH-47', sentence: 'A person signs in to a remote server from its page.', source: 'SPEC 12' },
];
