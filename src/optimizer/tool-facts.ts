/** Gathers the facts about a tool that an author of its candidates and prompts needs. */

import { givenText } from '../base/text.ts';
import { type Catalog, canonicalOf, type Entry } from '../catalog/catalog.ts';
import type { CallMetrics } from '../metrics/metrics.ts';
import type { ToolSearch } from '../search/search.ts';
import type { OptimizerStore } from '../store/store.ts';
import type { ToolFacts } from './author-questions.ts';
import { diagnose, findConfusions } from './diagnose.ts';
import { SearchJudge } from './search-judge.ts';
import { mostCallsRead, trafficIn } from './traffic.ts';

export interface FactsOptions {
  readonly catalog: Pick<Catalog, 'snapshot'>;
  readonly store: OptimizerStore;
  readonly metrics: Pick<CallMetrics, 'recentCalls'>;
  readonly search: Pick<ToolSearch, 'trial'>;
}

const mostNeighbours = 8;

/**
 * Prompts of the deciding half, which no author may know, play no part in it. `reach`: the servers whose tools the author may
 * hear of.
 */
export async function gatherToolFacts(
  { catalog, store, metrics, search }: FactsOptions,
  entry: Entry,
  reach: readonly string[],
  signal: AbortSignal,
): Promise<ToolFacts> {
  const { server, serverName: toolName } = entry;
  const address = `${server}:${toolName}`;
  const definition = canonicalOf(entry);
  const tools = new Map<string, Entry>(
    [...catalog.snapshot.tools.values()]
      .filter((tool) => reach.includes(tool.server))
      .map((tool) => [`${tool.server}:${tool.serverName}`, tool] as const),
  );
  const prompts = (await store.listPrompts(server, toolName)).filter(({ part }) => part === 'choosing');
  const judge = new SearchJudge(search);
  try {
    const found = (await findConfusions(judge, [entry], prompts, signal)).get(address);
    const confusions = (found?.confusions ?? []).filter(({ tool }) => tools.has(tool));
    const description = givenText(definition.description);
    const { offered } = await judge.choose({ server, toolName, description }, `${toolName} ${description}`, signal);
    const near = [...new Set([...confusions.map(({ tool }) => tool), ...offered])].filter((tool) => tool !== address);
    const neighbours = near.flatMap((tool) => {
      const known = tools.get(tool);
      return known ? [[tool, canonicalOf(known)] as const] : [];
    });
    const traffic = trafficIn(await metrics.recentCalls(mostCallsRead)).get(address);
    const finding = { all: 0, right: 0, ...found, confusions };
    const { advice } = diagnose(definition, { finding, traffic, foundNotTaken: 0 });
    return { address, definition, neighbours: new Map(neighbours.slice(0, mostNeighbours)), advice };
  } finally {
    await judge.close();
  }
}
