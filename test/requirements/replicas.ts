/** Promises about a store that several gateways share. */

import type { Requirement } from './requirement.ts';

export const replicaRequirements: readonly Requirement[] = [
  {
    id: 'REP-01',
    sentence: 'With store.url a PostgreSQL database, servers, tokens, calls and the audit are kept there and survive.',
    source: 'replicas',
  },
  {
    id: 'REP-02',
    sentence: 'Calls are answered while connections to the database are cut, and every call is counted once.',
    source: 'replicas',
  },
  {
    id: 'REP-03',
    sentence:
      'A store is copied from SQLite to PostgreSQL and back, with equal rows, and is used there like any other.',
    source: 'replicas',
  },
  {
    id: 'REP-04',
    sentence: 'A copy that was cut short goes on where it ended; until it is whole, no gateway uses it.',
    source: 'replicas',
  },
  {
    id: 'REP-05',
    sentence: 'toolcrib store copy copies a store that no gateway uses, and says what it copied.',
    source: 'replicas',
  },
  {
    id: 'REP-06',
    sentence:
      'Gateways that share a database have the same servers and tools: each change at one is at all within a second, and told to agents once.',
    source: 'replicas',
  },
  {
    id: 'REP-07',
    sentence:
      'The first gateway that sees a new wording decides about it for all, and an older decision never replaces a newer one.',
    source: 'replicas',
  },
  {
    id: 'REP-08',
    sentence:
      'Secrets, sign-ins to servers and signed-in browsers are the same at every gateway that shares a database, and a sign-in link works at each.',
    source: 'replicas',
  },
  {
    id: 'REP-09',
    sentence: 'A gateway that lost its connection to the database knows what changed meanwhile once it is back.',
    source: 'replicas',
  },
  {
    id: 'REP-10',
    sentence: 'A token or an approval that was given at one gateway is valid at every other at once.',
    source: 'replicas',
  },
  {
    id: 'REP-11',
    sentence: 'A token that was revoked at one gateway is refused at every other within a second, and its streams end.',
    source: 'replicas',
  },
  {
    id: 'REP-12',
    sentence:
      'While the database is unreachable, rights that were read count for access.cacheMs; then requests get 503 with Retry-After, and readyz says so, until it is back.',
    source: 'replicas',
  },
  {
    id: 'REP-18',
    sentence:
      'A gateway that cannot hear of changes, although its database answers, does not start, or counts as cut off from it.',
    source: 'replicas',
  },
  {
    id: 'REP-19',
    sentence:
      'While PostgreSQL takes no writes, calls are answered, doctor and status say that their records wait, and each is counted once later.',
    source: 'replicas',
  },
  {
    id: 'REP-13',
    sentence:
      'Events, the latest records and the figures of calls at one gateway include those of every other, each once.',
    source: 'replicas',
  },
  {
    id: 'REP-14',
    sentence:
      'A call that waits for approval is listed at every gateway on its database and answered at any, once; who comes second hears what was decided.',
    source: 'replicas',
  },
  {
    id: 'REP-15',
    sentence:
      'An approval for one call is good for one call at all gateways together; one for a session, or a refusal, counts at each.',
    source: 'replicas',
  },
  {
    id: 'REP-16',
    sentence:
      'A request to the owner outlives the gateway that asked; a request to the person at an agent of a gateway that is gone is listed nowhere ten seconds later.',
    source: 'replicas',
  },
  {
    id: 'REP-17',
    sentence: 'Nobody can read in the database what a call that waits for approval would send.',
    source: 'replicas',
  },
  {
    id: 'REP-20',
    sentence:
      '/metrics is for tokens with the scope "metrics" that are limited to no server or project, and can be switched off.',
    source: 'replicas',
  },
  {
    id: 'REP-21',
    sentence:
      '/metrics counts calls by server, tool and outcome since the start, with the durations of those that reached a tool.',
    source: 'replicas',
  },
  {
    id: 'REP-22',
    sentence: '/metrics tells the states of servers, open breakers, calls that wait for a turn, and searches by mode.',
    source: 'replicas',
  },
  {
    id: 'REP-23',
    sentence:
      '/metrics counts approvals, definitions and rows that wait, rows lost, sessions and streams, and describes the process.',
    source: 'replicas',
  },
  {
    id: 'REP-24',
    sentence:
      'Servers cannot make /metrics malformed or long, whatever they call their tools and however many they have.',
    source: 'replicas',
  },
  {
    id: 'REP-25',
    sentence: 'The Grafana dashboard asks only for metrics that are served.',
    source: 'replicas',
  },
  {
    id: 'REP-30',
    sentence:
      'Gateways on one PostgreSQL database list each other with address, version and age; /metrics counts them, and one that ends is gone at once.',
    source: 'replicas',
  },
  {
    id: 'REP-31',
    sentence:
      'doctor finds a replica with another key for secrets, another config (also after an edit) or other flags, an unreachable one, one on every address without listen.advertise, one whose clock differs from the database, and two with one address.',
    source: 'replicas',
  },
  {
    id: 'REP-32',
    sentence: 'A gateway on PostgreSQL starts only with its key for secrets in TOOLCRIB_SECRET_KEY, and says so.',
    source: 'replicas',
  },
  {
    id: 'REP-33',
    sentence:
      'A job of the optimizer is started once for all replicas, known to each with its progress, and cancelled by any.',
    source: 'replicas',
  },
  {
    id: 'REP-34',
    sentence:
      'When a replica is killed, another one goes on with its job and with roll-ups and retention: no prompt is lost, and none is judged twice.',
    source: 'replicas',
  },
  {
    id: 'REP-35',
    sentence: 'A sign-in to a remote server counts for every replica, and its token is renewed by one of them for all.',
    source: 'replicas',
  },
  {
    id: 'REP-36',
    sentence:
      'A browser may come back from a sign-in to any replica, once; whoever waits for its end hears of it on each.',
    source: 'replicas',
  },
  {
    id: 'REP-37',
    sentence: 'A remote server that is new to all replicas is listed by one of them; all know its tools then.',
    source: 'replicas',
  },
  {
    id: 'REP-40',
    sentence: 'A legacy session is good at every gateway on the same database, with its streams and questions.',
    source: 'replicas',
  },
  {
    id: 'REP-41',
    sentence: 'A session whose gateway is gone is unknown at the others, so that its agent opens another one.',
    source: 'replicas',
  },
  {
    id: 'REP-42',
    sentence: 'A call that waits for its agent goes on when the answer comes to another gateway on the same database.',
    source: 'replicas',
  },
  {
    id: 'REP-43',
    sentence: 'A call that waited at a gateway that is gone ends with SERVER_DISCONNECTED and what to do.',
    source: 'replicas',
  },
  {
    id: 'REP-44',
    sentence:
      'A replica that stops takes no new connections, refuses requests on those that a balancer keeps open, and waits for the calls that it passed on.',
    source: 'replicas',
  },
  {
    id: 'REP-45',
    sentence: 'A gateway on PostgreSQL that is killed under load loses no acknowledged call, and counts none twice.',
    source: 'replicas',
  },
  {
    id: 'REP-50',
    sentence:
      'A large result that one gateway kept is read in pages, searched, listed and loaded by programs at every other on the same database.',
    source: 'replicas',
  },
  {
    id: 'REP-51',
    sentence: 'A large result outlives the gateway that kept it, also one that was killed.',
    source: 'replicas',
  },
  {
    id: 'REP-52',
    sentence:
      'At every gateway only the principal that made the call can read its large result; to others it reads like one that never was.',
    source: 'replicas',
  },
  {
    id: 'REP-53',
    sentence:
      'Large results expire at every gateway, and take at most calls.resultStoreBytes in the database: the oldest of the principal that stores the most go first.',
    source: 'replicas',
  },
  {
    id: 'REP-54',
    sentence:
      'While the database is unreachable, a large result is kept and read at its own gateway; /metrics counts it until the others can read it too.',
    source: 'replicas',
  },
  {
    id: 'REP-55',
    sentence:
      'What several gateways learn of tools that served a query adds up in their database, and each ranks by all of it a minute later.',
    source: 'replicas',
  },
  {
    id: 'REP-56',
    sentence:
      'The watch over a promotion counts the calls at all gateways together, compares them once, and ends once.',
    source: 'replicas',
  },
];
