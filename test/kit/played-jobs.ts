/** Jobs over records in memory, with a judge that answers as a test says. */

import { silentLog } from '../../src/base/log.ts';
import type { Config } from '../../src/config/config.ts';
import type { JobOrder } from '../../src/optimizer/job-run.ts';
import { Jobs } from '../../src/optimizer/jobs.ts';
import type { DescriptionJudge, JudgeName, Wording } from '../../src/optimizer/judge.ts';
import type { ModelBudget, ModelUse } from '../../src/optimizer/model-budget.ts';
import type { Replicas, StoredCandidate, StoredJob } from '../../src/store/store.ts';
import { goldenPrompts } from './eval-records.ts';
import { ManualClock } from './manual-clock.ts';
import { MemoryOptimizer } from './memory-optimizer.ts';
import { soleReplica } from './sole-replica.ts';
import { type WrittenTools, writtenSnapshot } from './written-catalog.ts';

const weather: WrittenTools = { weather: { forecast: 'Does it.', history: 'Temperatures of past years.' } };

export const evaluating: JobOrder = {
  kind: 'evaluate',
  judge: 'search',
  tools: [{ server: 'weather', tool: 'forecast' }],
  candidatesPerTool: 4,
  repeats: 1,
  autoPromote: false,
};
export const optimizing: JobOrder = { ...evaluating, kind: 'optimize', autoPromote: true };

export function candidateOf(id: string, description = `Says ${id}.`): StoredCandidate {
  const named = { server: 'weather', toolName: 'forecast', createdAt: '', author: 'hand' } as const;
  return { id, ...named, description, charCount: description.length };
}

/** The settings of the optimizer that jobs and gates use. */
export const gateSettings = {
  ...{ minOverall: 0.85, minNegative: 0.8, minImprovement: 0.05, maxRegression: 0.1 },
  ...{ minPrompts: 5, strict: false, timeoutMs: 1_000, maxCalls: 200_000 },
  ...{ maxModelCalls: 2_000, maxModelTokens: 2_000_000 },
} as Config['optimize'];

/** Prompts of one category, half of them to choose by. */
export function bothHalves(category: 'direct' | 'indirect' | 'negative', count: number) {
  return goldenPrompts(category, count).map((prompt, at) => ({
    ...prompt,
    part: at % 2 === 0 ? ('deciding' as const) : ('choosing' as const),
  }));
}

/** A judge that is right as a test says, and counts what it was asked. */
export class PlayedJudge implements DescriptionJudge {
  readonly name: JudgeName = 'search';
  readonly asked: string[] = [];
  readonly isRight: (wording: Wording, prompt: string) => boolean;
  /** Called before each answer. */
  before: (wording: Wording, prompt: string) => void | Promise<void> = () => {};
  insanity: string | null = null;

  constructor(isRight: PlayedJudge['isRight'] = () => true) {
    this.isRight = isRight;
  }

  async begin() {}

  async checkSanity() {
    return this.insanity;
  }

  async choose(wording: Wording, prompt: string) {
    await this.before(wording, prompt);
    const isOwn = prompt.startsWith('A need with the id');
    const own = `${wording.server}:${wording.toolName}`;
    if (isOwn) this.asked.push(`${wording.description} | ${prompt}`);
    const isRight = isOwn && this.isRight(wording, prompt);
    const shouldCall = !prompt.includes('negative');
    const tool = isRight === shouldCall && isOwn ? own : 'weather:history';
    return { tool, isDoubted: false, offered: [] };
  }

  async close() {}
}

/** The same as a judge that costs something: a request and 90 tokens for each answer. */
export class PaidJudge extends PlayedJudge {
  override readonly name: JudgeName = 'model';
  readonly estimate: ModelUse = { calls: 1, tokens: 100 };
  model = 'one';
  budget: ModelBudget | undefined;

  async price({ description }: Wording, prompt: string) {
    return { key: JSON.stringify([this.model, description, prompt]), ...this.estimate };
  }

  override async choose(wording: Wording, prompt: string) {
    const settle = await this.budget?.begin(this.estimate);
    const chosen = await super.choose(wording, prompt);
    await settle?.({ calls: 1, tokens: 90 });
    return { ...chosen, calls: [{ tool: chosen.tool, arguments: {} }] };
  }
}

export function playedJobs(judge = new PlayedJudge(), store = new MemoryOptimizer(), replicas?: Replicas) {
  const promoted: string[] = [];
  const reached: string[] = [];
  const optimize = { ...gateSettings };
  const snapshot = writtenSnapshot(weather);
  const clock = new ManualClock();
  const jobs = new Jobs({
    store,
    catalog: { snapshot, settle: async () => {} },
    config: () => ({ optimize }),
    clock,
    log: silentLog,
    replicas: replicas ?? soleReplica(clock),
    judge(name, budget) {
      if (!(judge instanceof PaidJudge)) return judge;
      if (name === 'search') return new PlayedJudge();
      judge.budget = budget;
      return judge;
    },
    async generate(_tool, count, { reach }) {
      reached.push(...reach);
      await store.saveCandidates(Array.from({ length: count }, (_, at) => candidateOf(`made-${at}`)));
      return { author: 'rewriter', notes: [] };
    },
    hasAuthor: () => false,
    promote: async (_tool, candidateId) => promoted.push(candidateId) > 0,
  });
  const steps: StoredJob[] = [];
  jobs.changed.on((job) => steps.push(job));
  const ended = (id: string) =>
    new Promise<StoredJob>((resolve) => {
      const stop = jobs.changed.on((job) => {
        if (job.id !== id || job.state === 'queued' || job.state === 'running') return;
        stop();
        resolve(job);
      });
    });
  return { jobs, store, judge, clock, promoted, reached, steps, ended, optimize };
}
