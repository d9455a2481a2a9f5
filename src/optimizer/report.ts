/** The report of the optimizer: every tool with its state, figures and diagnosis, the one with the most to gain first. */

import { givenText } from '../base/text.ts';
import { type Catalog, canonicalOf, type Entry } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import type { CallMetrics } from '../metrics/metrics.ts';
import type { ToolSearch } from '../search/search.ts';
import type {
  OptimizerStore,
  PromotionMetrics,
  StoredCandidate,
  StoredEvalRun,
  StoredPromotion,
  StoredPrompt,
} from '../store/store.ts';
import { compareJudges, type JudgeDisagreement } from './compare-judges.ts';
import { canonicalId, comparableRuns, promotionMetrics } from './decide-promotion.ts';
import { diagnose, findConfusions, type PromptFinding, type ToolDiagnosis } from './diagnose.ts';
import { measure } from './measure.ts';
import { type Promotions, shownPromotion } from './promotions.ts';
import { SearchJudge } from './search-judge.ts';
import { countNotTaken, mostCallsRead, type ToolTraffic, trafficIn } from './traffic.ts';

export interface ToolReport {
  readonly name: string;
  /** `baseline`: it has runs, and nothing is promoted. */
  readonly status: 'optimized' | 'baseline' | 'unoptimized';
  /** Of the promotion, or of the canonical description. */
  readonly metrics?: PromotionMetrics | undefined;
  /** The canonical figures that the promotion was compared with. */
  readonly baseline?: PromotionMetrics | undefined;
  readonly candidateCount: number;
  readonly promptCount: number;
  readonly lastOptimized?: string | undefined;
  readonly canonicalDescription: string;
  readonly promotedDescription?: string | undefined;
  readonly promotion?: ReturnType<typeof shownPromotion> | undefined;
  /** Left out where judges agree, or only one has judged. */
  readonly disagreements?: readonly JudgeDisagreement[] | undefined;
  readonly diagnosis: ToolDiagnosis;
}

export interface ReportTotals {
  readonly toolCount: number;
  readonly optimizedCount: number;
  readonly totalEvals: number;
  /** In shares of prompts, over the promoted tools; null while there are none. */
  readonly avgImprovement: number | null;
}

export interface ServerOptimization extends ReportTotals {
  readonly serverName: string;
  readonly tools: readonly ToolReport[];
}

export interface OptimizationReport {
  readonly servers: readonly ServerOptimization[];
  readonly totals: ReportTotals;
}

/** The facts about one server. */
export interface ReportSource {
  readonly server: string;
  readonly tools: readonly Entry[];
  readonly candidates: readonly StoredCandidate[];
  readonly prompts: readonly StoredPrompt[];
  readonly runs: readonly StoredEvalRun[];
  /** Those in effect, by the server's name of the tool. */
  readonly promotions: ReadonlyMap<string, StoredPromotion>;
  /** The next three by `server:tool`. */
  readonly findings: ReadonlyMap<string, PromptFinding>;
  readonly traffic: ReadonlyMap<string, ToolTraffic>;
  readonly notTaken: ReadonlyMap<string, number>;
  readonly settings: Config['optimize'];
}

interface ReportOptions {
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

export function reportTools(source: ReportSource): ServerOptimization {
  const { server, tools, runs, promotions } = source;
  const reports = tools.map((tool) => reportTool(tool, source));
  reports.sort((a, b) => b.diagnosis.expectedGain - a.diagnosis.expectedGain || (a.name < b.name ? -1 : 1));
  const promoted = tools.flatMap((tool) => promotions.get(tool.serverName) ?? []);
  return {
    serverName: server,
    toolCount: tools.length,
    optimizedCount: promoted.length,
    totalEvals: runs.filter(({ reused }) => !reused).length,
    avgImprovement: averageOf(promoted.map(({ metrics, baseline }) => metrics.overall - baseline.overall)),
    tools: reports,
  };
}

export function reportAll(servers: readonly ServerOptimization[]): OptimizationReport {
  const sum = (figure: 'toolCount' | 'optimizedCount' | 'totalEvals') =>
    servers.reduce((total, server) => total + server[figure], 0);
  const gains = servers.flatMap(({ tools }) =>
    tools.flatMap(({ promotion, metrics, baseline }) =>
      promotion && metrics && baseline ? [metrics.overall - baseline.overall] : [],
    ),
  );
  return {
    servers,
    totals: {
      toolCount: sum('toolCount'),
      optimizedCount: sum('optimizedCount'),
      totalEvals: sum('totalEvals'),
      avgImprovement: averageOf(gains),
    },
  };
}

function reportTool(tool: Entry, source: ReportSource): ToolReport {
  const { server, serverName: name } = tool;
  const isOwn = (record: { readonly toolName: string }) => record.toolName === name;
  const prompts = source.prompts.filter(isOwn);
  const runs = source.runs.filter(isOwn);
  const promotion = source.promotions.get(name);
  const measured = measure(prompts, comparableRuns({ prompts, runs, candidateId: canonicalId }).runs, canonicalId);
  const canonical = measured.overall.all > 0 ? promotionMetrics(measured) : undefined;
  const address = `${server}:${name}`;
  const disagreements = compareJudges(prompts, runs, source.settings);
  const diagnosis = diagnose(tool.definition, {
    finding: source.findings.get(address),
    traffic: source.traffic.get(address),
    foundNotTaken: source.notTaken.get(address) ?? 0,
  });
  return {
    name,
    status: promotion ? 'optimized' : runs.length > 0 ? 'baseline' : 'unoptimized',
    ...(promotion || canonical ? { metrics: promotion?.metrics ?? canonical } : {}),
    candidateCount: source.candidates.filter(isOwn).length,
    promptCount: prompts.length,
    canonicalDescription: givenText(canonicalOf(tool).description),
    ...(promotion && {
      baseline: promotion.baseline,
      lastOptimized: promotion.promotedAt,
      promotedDescription: promotion.description,
      promotion: shownPromotion(promotion, 'active'),
    }),
    ...(disagreements.length > 0 && { disagreements }),
    diagnosis: { ...diagnosis, advice: [...disagreements.map(({ sentence }) => sentence), ...diagnosis.advice] },
  };
}

function averageOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
