/** Promises about resources, prompts, completions and notifications of changes. */

import type { Requirement } from './requirement.ts';

function promises(source: string, sentences: Readonly<Record<string, string>>): Requirement[] {
  return Object.entries(sentences).map(([id, sentence]) => ({ id, sentence, source }));
}

export const offerRequirements: readonly Requirement[] = [
  ...promises('SPEC 8, resources', {
    'OFFER-01': "The gateway's own resources and templates are listed first, on every surface, with annotations.",
    'OFFER-02': 'The overview takes at most 500 tokens and speaks of the tools that its surface has.',
    'OFFER-03':
      'The list of servers says what each is for, its state, counts and last change; errors only to the owner.',
    'OFFER-04': 'The index of tools gives key and first sentence of what the principal may see.',
    'OFFER-05': 'A tool is read with its whole definition, whatever characters its name has.',
    'OFFER-06': 'A server is read with its state, instructions and what it has, as it is called here.',
    'OFFER-07': "A server's tools are read as TypeScript declarations.",
    'OFFER-08': "What is unknown, forbidden or of another project is each era's not-found, all alike.",
    'OFFER-09': 'At the door of one server only large results are ours, and at the plain one nothing is.',
    'OFFER-19':
      "A server's resources carry a priority by use, unless it gave one; from the first call on above unused ones.",
    'OFFER-23': 'A long index of tools comes in pages, each naming the next.',
    'OFFER-24': 'What of ours is too large at once is kept, and what is given of it says where.',
  }),
  ...promises('SPEC 8, prompts', {
    'OFFER-10': "The gateway's own prompts are listed before those of servers, with their arguments.",
    'OFFER-11': 'discover says how to work with the gateway on the surface that the agent has.',
    'OFFER-12': 'find_tool gives what fits a task, with the definition of the best match embedded.',
    'OFFER-13': 'server_status tells state, counts and latency of all servers or of one.',
    'OFFER-14': 'Missing, unknown and wrong arguments of prompts are invalid parameters in each era.',
  }),
  ...promises('SPEC 8, completions', {
    'OFFER-15': 'Arguments of templates complete from the live catalog, beginnings first, the most used first.',
    'OFFER-16': 'Ids of large results complete for the one whose they are.',
    'OFFER-17': 'Arguments of prompts complete, and those of servers by their servers.',
    'OFFER-18': "An unknown reference or argument is the protocol's error of each era.",
    'OFFER-25':
      'A server without completions has no values to offer, and one that tells of no changes is named as such.',
  }),
  ...promises('SPEC 8, lists', {
    'OFFER-20': 'Long lists come in pages, whole and in one order.',
    'OFFER-21': 'A cursor holds while servers come and go: what stays is neither skipped nor doubled.',
    'OFFER-22': 'A bad cursor is refused as invalid parameters on every list but those of the plain door.',
  }),
  ...promises('SPEC 8, notifications', {
    'OFFER-30': 'A server that comes, goes or is switched is told once at every door that shows it, and nowhere else.',
    'OFFER-31': 'Every real change of a server is told once within a second, in both eras, to those who see it.',
    'OFFER-32': 'A server that is edited is told of once, and not at all when it offers the same.',
    'OFFER-33': 'A server that is killed is told as a change of the resources, and so is its return.',
    'OFFER-34': 'A remote server that goes away is told without anybody calling it, and so is its return.',
    'OFFER-35': 'Links that are closed when idle and opened again are no news.',
    'OFFER-36':
      "The gateway's own resources can be subscribed to in both eras, and are told when they read differently.",
    'OFFER-37': "What a principal cannot see cannot be subscribed to: each era's not-found.",
    'OFFER-38': 'A storm of notices costs at most three lists, tells no agent of nothing and holds up no other news.',
    'OFFER-39': 'Servers that come together, and a refresh of all, are not told one by one.',
    'OFFER-40': 'Settings are told at each door by what its own list says, and nowhere else.',
    'OFFER-41': 'News of one server does not wait for another one that is being started anew.',
  }),
];
