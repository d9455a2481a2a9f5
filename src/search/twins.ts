/** Tools of different servers that do the same: one of them is enough in an answer, with the others named, other accounts apart. */

import type { Vector } from '../meaning/meaning.ts';
import type { SearchDocument } from './document.ts';
import type { Hit, SearchOptions } from './hit.ts';
import { stemOf, tokensOf } from './words.ts';

/** Two tools of one name whose descriptions mean the same are at least so near; the servers' names keep them from being equal. */
const nearEnough = 0.88;

/** In characters: "Get a user by ID." is said of users of every kind. */
const shortestText = 24;

/** The least that twins have in common; the server and the order of words in a name do not count. */
export interface Likeness {
  readonly server: string;
  readonly name: string;
  readonly text: string;
  /** Names, in one order. */
  readonly parameters: string;
}

export function likenessOf(document: SearchDocument): Likeness {
  // Parts only: `readFile` counts as a compound too, `read_file` does not.
  const words = tokensOf(document.name).flatMap(({ parts }) => parts);
  return {
    server: document.server,
    name: [...new Set(words.map(stemOf))].sort().join(' '),
    text: document.description,
    parameters: document.parameters
      .map((parameter) => parameter.name)
      .sort()
      .join(' '),
  };
}

export interface Candidate {
  readonly likeness: Likeness;
  readonly vector: Vector | null;
}

interface Group {
  hit: Hit;
  /** The server of `hit`. */
  server: string;
  readonly candidate: Candidate;
  /** The keys of the other tools by their server. */
  readonly others: Map<string, string>;
}

export function areTwins(a: Candidate, b: Candidate): boolean {
  if (a.likeness.server === b.likeness.server || a.likeness.name !== b.likeness.name) return false;
  // Many tools are called `search` or `delete`: what says nothing more than that is not taken to be the same.
  if (a.likeness.parameters !== b.likeness.parameters) return false;
  if (Math.min(a.likeness.text.length, b.likeness.text.length) < shortestText) return false;
  if (a.likeness.text === b.likeness.text) return true;
  return a.vector !== null && b.vector !== null && cosine(a.vector, b.vector) >= nearEnough;
}

/**
 * Keeps the first of each group of twins, at its place, and names the others there: the first that is not down, where there is one.
 * A group has one tool of a server at most. Another account never represents one that is down.
 */
export function collapseTwins(
  hits: readonly Hit[],
  limit: number,
  candidateOf: (key: string) => Candidate,
  { down = new Set(), areAccounts = () => false }: Pick<SearchOptions, 'down' | 'areAccounts'> = {},
): Hit[] {
  const groups = new Map<string, Group[]>();
  const kept: Group[] = [];
  for (const hit of hits) {
    const candidate = candidateOf(hit.key);
    const known = groups.get(candidate.likeness.name) ?? [];
    const { server } = candidate.likeness;
    const hasServer = (group: Group) => group.server === server || group.others.has(server);
    const twin = known.find((group) => !hasServer(group) && areTwins(group.candidate, candidate));
    if (twin) {
      const isLiveFirst = down.has(twin.hit.key) && !down.has(hit.key) && !areAccounts(twin.server, server);
      if (isLiveFirst) {
        twin.others.set(twin.server, twin.hit.key);
        Object.assign(twin, { hit, server });
      } else twin.others.set(server, hit.key);
    } else if (kept.length < limit) {
      const group = { hit, server, candidate, others: new Map() };
      groups.set(candidate.likeness.name, [...known, group]);
      kept.push(group);
    }
  }
  return kept.map(({ hit, server, others }) => {
    const isAccount = ([other]: [string, string]) => (areAccounts(server, other) ? 'accounts' : 'equals');
    const { equals = [], accounts = [] } = Object.groupBy(others, isAccount);
    return { ...hit, equals: equals.map(([, key]) => key), accounts: accounts.map(([, key]) => key) };
  });
}

function cosine(a: Vector, b: Vector): number {
  let sum = 0;
  for (let at = 0; at < a.values.length; at += 1) sum += (a.values[at] ?? 0) * (b.values[at] ?? 0);
  return sum * a.scale * b.scale;
}
