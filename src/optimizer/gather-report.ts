/** Gathers the facts of a report: records, prompts judged by the search, and what agents did. */

import type { Catalog } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import type { CallMetrics } from '../metrics/metrics.ts';
import type { ToolSearch } from '../search/search.ts';
import type { OptimizerStore } from '../store/store.ts';
import { findConfusions } from './diagnose.ts';
import type { Promotions } from './promotions.ts';
import { type OptimizationReport, reportAll, reportTools, type ServerOptimization } from './report.ts';
import { SearchJudge } from './search-judge.ts';
import { countNotTaken, mostCallsRead, trafficIn } from './traffic.ts';

export interface ReportOptions {
  readonly catalog: Pick<Catalog, 'snapshot'>;
  readonly store: OptimizerStore;
  readonly metrics: Pick<CallMetrics, 'recentCalls' | 'queries'>;
  readonly search: Pick<ToolSearch, 'trial'>;
  readonly config: () => Pick<Config, 'optimize'>;
}

/** Queries of agents that are searched again; the most frequent ones tell most. */
const mostQueriesRead = 500;
/** Tools of an answer that an agent may have looked at. */
const mostLookedAt = 10;

export async function gatherReport(
  { catalog, store, metrics, search, config }: ReportOptions,
  servers: readonly string[],
  promotions: Pick<Promotions, 'inEffect'>,
  signal: AbortSignal,
): Promise<OptimizationReport> {
  const trial = search.trial();
  const judge = new SearchJudge({ trial: () => trial });
  try {
    await trial.follow();
    const rank = async (query: string) => (await trial.rank(query, mostLookedAt, signal)).map(({ key }) => key);
    const traffic = trafficIn(await metrics.recentCalls(mostCallsRead));
    const notTaken = await countNotTaken(await metrics.queries({ limit: mostQueriesRead }), rank);
    const reports: ServerOptimization[] = [];
    for (const server of servers) {
      const tools = (catalog.snapshot.servers.get(server)?.tools ?? []).filter((tool) => tool.name === tool.serverName);
      const prompts = await store.listPrompts(server);
      const ofServer = promotions.inEffect().filter((promotion) => promotion.server === server);
      reports.push(
        reportTools({
          ...{ server, tools, prompts, traffic, notTaken, settings: config().optimize },
          candidates: await store.listCandidates(server),
          runs: await store.listEvalRuns(server),
          promotions: new Map(ofServer.map((promotion) => [promotion.toolName, promotion])),
          findings: await findConfusions(judge, tools, prompts, signal),
        }),
      );
    }
    return reportAll(reports);
  } finally {
    await trial.close();
  }
}
