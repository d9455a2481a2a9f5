/** Promises about agents with tokens of an issuer. */

import type { Requirement } from './requirement.ts';

const source = 'access';

export const issuerRequirements: readonly Requirement[] = [
  {
    id: 'OAUTH-20',
    sentence: 'Who gives tokens for a door is told to everybody, and nothing else with it.',
    source,
  },
  { id: 'OAUTH-21', sentence: 'Who has no good token is told which one is needed and where to get it.', source },
  { id: 'OAUTH-22', sentence: 'A forged, foreign or outdated token lets nobody in and has nothing fetched.', source },
  { id: 'OAUTH-23', sentence: 'A good token lets agents of both eras in, with its scopes and no others.', source },
  { id: 'OAUTH-24', sentence: 'Claims limit the servers and the project of a token where the owner says so.', source },
  { id: 'OAUTH-25', sentence: 'A token of an agent reaches no server, log or file.', source },
  { id: 'OAUTH-26', sentence: 'What a token has open ends when it expires, unless a newer one came in time.', source },
  {
    id: 'OAUTH-27',
    sentence: "The owner's own token is good on this machine, others only where they are kept.",
    source,
  },
  { id: 'OAUTH-28', sentence: 'While the issuer is away nobody loses a good token over it.', source: 'reliability' },
  {
    id: 'OAUTH-29',
    sentence: 'A client finds out by itself how to get in, signs in, and gets more rights later.',
    source,
  },
  { id: 'OAUTH-30', sentence: 'Other settings of the issuer are in force at once, also for who is there.', source },
];
