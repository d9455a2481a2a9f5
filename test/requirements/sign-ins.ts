/** Promises about signing in to remote servers. */

import type { Requirement } from './requirement.ts';

const source = 'links, access';

export const signInRequirements: readonly Requirement[] = [
  {
    id: 'OAUTH-01',
    sentence: 'A server that wants a sign-in says so, works after it, and gets a token that is its own.',
    source,
  },
  { id: 'OAUTH-02', sentence: 'A sign-in ends once, with its own state and in its own time.', source },
  { id: 'OAUTH-03', sentence: 'Without a browser here, the address that it ended at can be pasted.', source },
  { id: 'OAUTH-04', sentence: 'Rights that an operation lacks are added to those that were granted.', source },
  { id: 'OAUTH-05', sentence: 'A client that the owner registered is used instead of registering one.', source },
  { id: 'OAUTH-06', sentence: 'Where nobody lets us register, the owner is told what to do.', source },
  { id: 'OAUTH-07', sentence: 'Signing out forgets the token here and at the authorization server.', source },
  { id: 'OAUTH-08', sentence: "One server's token never reaches another.", source },
  { id: 'OAUTH-09', sentence: 'A gateway with a public address describes itself to authorization servers.', source },
  { id: 'OAUTH-10', sentence: "The owner's own header wins over a sign-in, and one can be ruled out.", source },
  {
    id: 'OAUTH-11',
    sentence: 'A hundred calls on an expired token: one renewal, a hundred answers.',
    source: 'reliability',
  },
  { id: 'OAUTH-12', sentence: 'A token is renewed before it expires.', source: 'reliability' },
  { id: 'OAUTH-13', sentence: 'A sign-in that was withdrawn needs a person, and says so.', source: 'reliability' },
  {
    id: 'OAUTH-14',
    sentence: 'While the authorization server is away, credentials are kept, and it heals by itself.',
    source: 'reliability',
  },
  {
    id: 'OAUTH-15',
    sentence: 'An answer that is cut off after a rotation loses no more than it must.',
    source: 'reliability',
  },
  {
    id: 'OAUTH-16',
    sentence: 'Tokens survive a restart, cannot be read at rest, and are for one address only.',
    source,
  },
  { id: 'OAUTH-17', sentence: 'What was agreed with one authorization server is never used at another.', source },
  {
    id: 'OAUTH-18',
    sentence: 'A server cannot send the gateway or a browser where they must not go.',
    source: 'reliability',
  },
  { id: 'OAUTH-19', sentence: 'The command line says what to do, signs in and out.', source: 'running it' },
  { id: 'OAUTH-31', sentence: 'A server that is removed takes its sign-in along.', source },
  {
    id: 'OAUTH-32',
    sentence: 'A code that came by way of another authorization server is redeemed nowhere.',
    source: 'reliability',
  },
  { id: 'CONF-04', sentence: 'The gateway passes what the suite asks of a client that signs in.', source: 'protocol' },
];
