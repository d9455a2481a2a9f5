/** Promises about the edges: what is dialled, started, stored, printed and passed on. */

import type { Requirement } from './requirement.ts';

export const edgeRequirements: readonly Requirement[] = [
  {
    id: 'EDGE-01',
    sentence: 'Secrets of servers and arguments of agents stand in no log, error, database or state that is shown.',
    source: 'reliability',
  },
  {
    id: 'EDGE-02',
    sentence: 'Servers that were added are sealed at rest, and files are for their owner alone.',
    source: 'access',
  },
  {
    id: 'EDGE-03',
    sentence: 'With the wrong key the gateway does not start, says why, and changes nothing.',
    source: 'access',
  },
  {
    id: 'EDGE-04',
    sentence: 'A server process gets its declared environment and safe defaults, nothing else.',
    source: 'reliability',
  },
  {
    id: 'EDGE-05',
    sentence: 'No URL of the config leads to link-local, unspecified or oddly spelled addresses.',
    source: 'reliability',
  },
  {
    id: 'EDGE-06',
    sentence: 'Nobody who is asked can send the gateway elsewhere, by redirect or by name.',
    source: 'reliability',
  },
  {
    id: 'EDGE-07',
    sentence: 'No header of an agent reaches a server, and no header of one server another.',
    source: 'reliability',
  },
  {
    id: 'EDGE-08',
    sentence: 'Variables that decide what is run are taken from the owner only, or after a confirmation.',
    source: 'reliability',
  },
  {
    id: 'EDGE-09',
    sentence: 'A command is never read by a shell, and one that needs it is explained.',
    source: 'links',
  },
  { id: 'EDGE-10', sentence: 'No name becomes a path outside the data folder.', source: 'reliability' },
  {
    id: 'EDGE-11',
    sentence: 'What servers print or call themselves cannot forge a line of the log or steer a terminal.',
    source: 'reliability',
  },
  {
    id: 'EDGE-12',
    sentence:
      'No name forges a row or reads like another in what the owner sees, and each can be typed as it is printed.',
    source: 'access',
  },
  {
    id: 'EDGE-13',
    sentence: 'A disk that is full or read-only is reported by readyz, status, list, doctor and the next command.',
    source: 'reliability',
  },
];
