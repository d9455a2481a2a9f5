/** Promises about running the gateway: where it listens, how it is stopped, its log, and its start at login. */

import type { Requirement } from './requirement.ts';

export const runningRequirements: readonly Requirement[] = [
  {
    id: 'GET-40',
    sentence: 'The gateway listens where the flag says, else the environment, else the config, else on 127.0.0.1:3333.',
    source: 'commands',
  },
  {
    id: 'GET-41',
    sentence: 'A change of "listen" while the gateway runs is reported as waiting for a restart.',
    source: 'config',
  },
  {
    id: 'GET-42',
    sentence:
      'A gateway that cannot have its port starts no server; the message names who has the port, and of a gateway its data folder.',
    source: 'commands',
  },
  {
    id: 'GET-43',
    sentence: 'A gateway that listens on all addresses prints one for this machine and one for others, and both work.',
    source: 'commands',
  },
  {
    id: 'GET-44',
    sentence:
      'Stop ends the gateway of the data folder, lets running calls finish, and returns when it has gone; without one it exits with 5.',
    source: 'commands',
  },
  {
    id: 'GET-45',
    sentence: 'Logs prints the last lines of the log of any gateway and follows it across rotation and restart.',
    source: 'commands',
  },
  {
    id: 'GET-46',
    sentence:
      'Service install has the system run the gateway at login without root, and uninstall takes it away; a failed install leaves everything as it was.',
    source: 'commands',
  },
];
