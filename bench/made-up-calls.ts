/** Made-up calls, the same for the same seed: tools of unequal use, slow and quick, with habits, queries and a few failures. */

import type { CallRecord, OutcomeKind } from '../src/metrics/metrics.ts';
import { seededRandom } from './usage-week.ts';

const servers = 20;
const tools = 200;
const queries = 1_000;
const queryShare = 0.3;
/** How often somebody stops for a while. */
const restShare = 0.3;
/** How often a tool is called that neither habit nor query would lead to. */
const whimShare = 0.05;
const dayMs = 24 * 60 * 60 * 1_000;

/** `days`: over how long they are spread, the oldest first. */
export function* makeCalls(count: number, days: number, now: number, seed = 1): Generator<CallRecord> {
  const random = seededRandom(seed);
  const upTo = (most: number) => Math.floor(random() * most);
  let previous: number | null = null;
  for (let at = 0; at < count; at += 1) {
    const query = random() < queryShare ? Math.floor(queries * random() ** 2) : null;
    const number = chooseTool(random, previous, query);
    const outcome = outcomeFor(random());
    yield {
      at: Math.floor(now - days * dayMs * (1 - at / count)),
      server: serverOf(number),
      tool: nameOf(number),
      outcome,
      errorType: outcome === 'ok' ? null : 'TOOL_FAILED',
      error: outcome === 'ok' ? null : `The tool ${nameOf(number)} said no.`,
      ms: (1 + (number % 50)) * Math.exp(2 * random()),
      requestBytes: upTo(500),
      resultBytes: upTo(20_000),
      way: 'execute',
      isCached: random() < 0.05,
      principal: 'owner',
      session: `session-${upTo(50)}`,
      previous: previous === null ? null : `${serverOf(previous)}:${nameOf(previous)}`,
      query: query === null ? null : `how to do thing ${query}`,
      suggestedFor: random() < 0.01 ? `server-1:tool_${upTo(servers)}` : null,
    };
    previous = random() < restShare ? null : number;
  }
}

/** Mostly by habit: a tool has three that usually follow it, a query has two that usually serve it. */
function chooseTool(random: () => number, previous: number | null, query: number | null): number {
  if (random() < whimShare) return Math.floor(tools * random() ** 3);
  if (query !== null) return (query * 31 + Math.floor(2 * random() ** 2)) % tools;
  if (previous !== null) return (previous * 7 + Math.floor(3 * random() ** 2)) % tools;
  return Math.floor(tools * random() ** 3);
}

function serverOf(tool: number): string {
  return `server-${tool % servers}`;
}

function nameOf(tool: number): string {
  return `tool_${tool}`;
}

function outcomeFor(share: number): OutcomeKind {
  if (share < 0.9) return 'ok';
  if (share < 0.94) return 'tool';
  if (share < 0.96) return 'arguments';
  if (share < 0.98) return 'timeout';
  return share < 0.99 ? 'server' : 'cancelled';
}
