/** Which queries a session asked lately and which tools each answer offered: what a call was led to by. */

import type { Clock } from '../../base/clock.ts';
import { redactText } from '../../base/redact.ts';

export const recentLimits = Object.freeze({
  /** A call that comes later has another reason than the query. */
  ageMs: 30 * 60 * 1_000,
  /** Sessions that are remembered; the ones unused for longest are forgotten. */
  sessions: 1_000,
  /** Queries of one session that are remembered. */
  queries: 10,
  /** Tools of one answer that are remembered. */
  offers: 100,
  /** Queries that one call is credited to. */
  credited: 3,
});

interface Asked {
  readonly query: string;
  readonly offered: readonly string[];
  /** In monotonic time. */
  readonly at: number;
}

export class RecentQueries {
  readonly #clock: Clock;
  /** The oldest query first; the session unused for longest first. */
  readonly #sessions = new Map<string, readonly Asked[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `offered`: the tools of each query's answer, in the order of the queries, or one list for all of them. */
  asked(
    session: string,
    queries: readonly string[],
    offered: readonly string[] | readonly (readonly string[])[],
  ): void {
    const at = this.#clock.elapsed();
    const asked = new Map((this.#sessions.get(session) ?? []).map((each) => [each.query, each]));
    for (const [place, text] of queries.entries()) {
      const query = normaliseQuery(text);
      const offers = offersAt(offered, place).slice(0, recentLimits.offers);
      // Asked again, it is the newest.
      asked.delete(query);
      if (query !== '' && offers.length > 0) asked.set(query, { query, offered: offers, at });
    }
    this.#keep(session, [...asked.values()].slice(-recentLimits.queries));
  }

  /** The queries whose answer offered the tool, the newest first and each once; as they are remembered, not as typed. */
  queriesBehind(session: string, toolKey: string): string[] {
    const asked = this.#sessions.get(session);
    if (!asked) return [];
    const since = this.#clock.elapsed() - recentLimits.ageMs;
    const recent = asked.filter(({ at }) => at >= since);
    this.#keep(session, recent);
    return recent
      .filter(({ offered }) => offered.includes(toolKey))
      .map(({ query }) => query)
      .reverse()
      .slice(0, recentLimits.credited);
  }

  #keep(session: string, asked: readonly Asked[]): void {
    this.#sessions.delete(session);
    if (asked.length > 0) this.#sessions.set(session, asked);
    const [oldest] = this.#sessions.keys();
    if (oldest !== undefined && this.#sessions.size > recentLimits.sessions) this.#sessions.delete(oldest);
  }
}

function offersAt(offered: readonly string[] | readonly (readonly string[])[], place: number): readonly string[] {
  return isOneList(offered) ? offered : (offered[place] ?? []);
}

function isOneList(offered: readonly string[] | readonly (readonly string[])[]): offered is readonly string[] {
  return offered.every((offer) => typeof offer === 'string');
}

/** Characters of a query that are remembered. */
export const rememberedQueryChars = 300;
/** Characters that are read: later ones could only be kept if nearly all before were spaces. */
const readQueryChars = 4 * rememberedQueryChars;

/** Empty for a query that says nothing. Remembered queries outlive the conversation, so secrets in them are masked. */
export function normaliseQuery(query: string): string {
  const squeezed = query.trimStart().slice(0, readQueryChars).replace(/\s+/g, ' ');
  return redactText(squeezed)
    .toLowerCase()
    .slice(0, rememberedQueryChars)
    .replace(/[\ud800-\udbff]$/, '') // half a character, where the cut went through it
    .trimEnd();
}
