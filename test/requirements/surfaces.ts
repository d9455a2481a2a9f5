/** Promises about the command line and the bridge. */

import type { Requirement } from './requirement.ts';

export const surfaceRequirements: readonly Requirement[] = [
  { id: 'CLI-01', sentence: 'Start prints how an agent connects and what to do next.', source: 'commands' },
  {
    id: 'CLI-02',
    sentence:
      'Start refuses with a reason when another gateway, a taken port, a bad config or an unsafe wish is in the way.',
    source: 'commands',
  },
  { id: 'CLI-03', sentence: 'SIGTERM and SIGINT let running calls finish and end with 0.', source: 'commands' },
  { id: 'CLI-04', sentence: 'The demo is there for one run and leaves nothing behind.', source: 'commands' },
  {
    id: 'CLI-05',
    sentence: 'Add registers, connects and prints the tools; a server that does not work stays registered.',
    source: 'commands',
  },
  {
    id: 'CLI-06',
    sentence: 'Call types its arguments by the schema and ends with the code of what went wrong.',
    source: 'commands',
  },
  { id: 'CLI-07', sentence: 'What a server says cannot steer the terminal.', source: 'commands' },
  { id: 'CLI-08', sentence: 'Doctor finds what is wrong and says what to do.', source: 'commands' },
  { id: 'CLI-09', sentence: 'Config check names every mistake with file, line and column.', source: 'commands' },
  {
    id: 'CLI-10',
    sentence: 'On an old Node a checkout runs with its own; elsewhere the message names the Node that is needed.',
    source: 'commands',
  },
  { id: 'CLI-11', sentence: 'Completions come from the declarations, and bash can read its own.', source: 'commands' },
  { id: 'CLI-12', sentence: 'Search finds, limits and explains.', source: 'commands' },
  {
    id: 'CLI-14',
    sentence: 'add says within a second what it waits for, and ends at once when the program has exited.',
    source: 'commands',
  },
  { id: 'CLI-13', sentence: 'Every command in the README prints what the README shows.', source: 'commands' },
  {
    id: 'STDIO-01',
    sentence: 'An agent that launches a process lists and calls tools through the bridge, in either era.',
    source: 'commands',
  },
  { id: 'STDIO-02', sentence: 'Every step of progress arrives before the answer.', source: 'commands' },
  { id: 'STDIO-03', sentence: 'A cancelled call is cancelled at the server.', source: 'commands' },
  { id: 'STDIO-04', sentence: 'The bridge ends when its agent leaves.', source: 'commands' },
  { id: 'STDIO-05', sentence: 'A restart of the gateway is not noticed by the agent.', source: 'commands' },
  {
    id: 'STDIO-06',
    sentence: 'Without a running gateway the bridge starts one, and another when that was killed.',
    source: 'commands',
  },
  { id: 'STDIO-07', sentence: 'Junk on its input harms nothing.', source: 'commands' },
];
