/** Promises about the command line as people expect it: help, output, progress, arguments of calls, completions and mistakes. */

import type { Requirement } from './requirement.ts';

export const commandLineRequirements: readonly Requirement[] = [
  {
    id: 'GET-60',
    sentence: 'Help shows every command under a title, the first steps on top; the name alone prints a few lines.',
    source: 'SPEC 2',
  },
  { id: 'GET-61', sentence: 'ls and rm stand for list and remove.', source: 'SPEC 2' },
  {
    id: 'GET-62',
    sentence: 'With --quiet a command prints errors and the data that was asked for, and nothing else.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-63',
    sentence: 'Every command is plain where its output is piped, and has no colour with NO_COLOR.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-64',
    sentence: 'Long work shows seconds, and where its size is known a bar with an estimate, on a terminal alone.',
    source: 'SPEC 2',
  },
  { id: 'GET-65', sentence: 'A call shows the progress that its tool reports while it runs.', source: 'SPEC 2' },
  {
    id: 'GET-66',
    sentence: 'A call takes its arguments, or single values, from files and stdin.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-67',
    sentence: 'A call saves images and other binary content on request, and otherwise says how to.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-68',
    sentence: 'Completions know the names of servers and tools, with a running gateway and without one.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-69',
    sentence: 'Every command prints the JSON that the reference describes.',
    source: 'SPEC 2',
  },
  {
    id: 'GET-70',
    sentence: 'A likely mistake on the command line gets its exit code, what is wrong and what to do.',
    source: 'SPEC 2',
  },
];
