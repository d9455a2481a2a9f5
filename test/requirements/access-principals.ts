/** Promises about tokens, signing in, and the limits of principals. */

import type { Requirement } from './requirement.ts';

export const principalRequirements: readonly Requirement[] = [
  {
    id: 'ACC-10',
    sentence: 'Without a credential no route answers any method, but for the few that are open to everybody.',
    source: 'access',
  },
  { id: 'ACC-11', sentence: 'Each operation is refused to every token that lacks its scope.', source: 'access' },
  { id: 'ACC-12', sentence: 'A token comes in with its own rights in both eras.', source: 'access' },
  {
    id: 'ACC-13',
    sentence: 'When a token is revoked, its sessions, streams and running calls end and it is refused at once.',
    source: 'access',
  },
  { id: 'ACC-14', sentence: 'A token that has expired is refused.', source: 'access' },
  { id: 'ACC-15', sentence: 'When a server is switched off, what is open at its door ends.', source: 'access' },
  { id: 'ACC-16', sentence: 'A token is told once; no file, log or other answer holds it.', source: 'access' },
  {
    id: 'ACC-17',
    sentence: 'A session is no use to another token, and a token that is not well described is not made.',
    source: 'access',
  },
  {
    id: 'ACC-18',
    sentence: 'The project of a request is that of its path, else header, else envelope, else token.',
    source: 'access',
  },
  {
    id: 'ACC-19',
    sentence: 'A token in the envelope counts on stdio and from trusted front ends alone, and reaches no server.',
    source: 'access',
  },
  {
    id: 'ACC-20',
    sentence: 'A browser signs in with a link that is good once and soon, and is signed out with whom it acts for.',
    source: 'access',
  },
  {
    id: 'ACC-21',
    sentence: 'Only our own page signs a browser in, and its token is for the page and the API alone.',
    source: 'access',
  },
  {
    id: 'ACC-22',
    sentence: 'Who fails to sign in too often has to wait, and nobody else does.',
    source: 'access',
  },
  {
    id: 'ACC-23',
    sentence: 'A token makes as many calls in a minute as it may, and hears when it may again.',
    source: 'access',
  },
  {
    id: 'ACC-24',
    sentence: 'Sessions, streams and watched resources of one token have a limit of their own.',
    source: 'access',
  },
  {
    id: 'ACC-64',
    sentence: 'At most "limits.tokens" tokens are active; one more is refused, and the error names the setting.',
    source: 'access',
  },
  {
    id: 'ACC-25',
    sentence: 'Tokens are made, listed and revoked at the command line, with clear words for mistakes.',
    source: 'access',
  },
  {
    id: 'ACC-26',
    sentence: 'With a limited token the commands do what it may and end with 4 where it may not.',
    source: 'access',
  },
  {
    id: 'ACC-55',
    sentence:
      'Who may not come in any more when the body of a request is read has said nothing: nothing is carried out, at any door.',
    source: 'access',
  },
  {
    id: 'ACC-56',
    sentence: 'Each message is acted with the rights of the moment at which it is begun, also the last one of a batch.',
    source: 'access',
  },
  {
    id: 'ACC-57',
    sentence: 'Requests that name nobody yet have a limit, by sender and all together, and hinder nobody with a token.',
    source: 'reliability',
  },
  {
    id: 'ACC-58',
    sentence: 'What came by somebody in between is not from this machine, unless a trusted front end says so.',
    source: 'access',
  },
  {
    id: 'ACC-59',
    sentence: 'The code of a link is in no address that a browser asks for, so that no log, proxy or prefetch has it.',
    source: 'access',
  },
  { id: 'ACC-61', sentence: 'A browser that is signed in stays so after a restart.', source: 'access' },
  {
    id: 'ACC-63',
    sentence: 'The link for a browser leads to an address at which a browser can use it.',
    source: 'access',
  },
  {
    id: 'ACC-62',
    sentence: 'The owner sees which browsers are signed in, and signs any of them out.',
    source: 'access',
  },
  {
    id: 'ACC-27',
    sentence: 'A token cannot give what it does not have, and what was made with it is named when it is revoked.',
    source: 'access',
  },
];
