/** The records of the optimizer in memory, for tests that run many prompts. */

import { Signal } from '../../src/base/signal.ts';
import { isFinal } from '../../src/store/optimizer/optimizer.ts';
import type {
  OptimizerStore,
  StoreChanges,
  StoredCandidate,
  StoredEvalRun,
  StoredJob,
  StoredPromotion,
  StoredPrompt,
  StoreEvent,
} from '../../src/store/store.ts';

export class MemoryOptimizer implements OptimizerStore, StoreChanges {
  readonly events = new Signal<StoreEvent>();
  candidates: StoredCandidate[] = [];
  prompts: StoredPrompt[] = [];
  readonly runs = new Map<string, StoredEvalRun>();
  readonly jobs = new Map<string, StoredJob>();

  async listCandidates(server: string, tool?: string): Promise<StoredCandidate[]> {
    return ofTool(this.candidates, server, tool);
  }

  async saveCandidates(candidates: readonly StoredCandidate[]): Promise<void> {
    this.candidates.push(...candidates);
  }

  async removeCandidate(): Promise<boolean> {
    return false;
  }

  async listPrompts(server: string, tool?: string): Promise<StoredPrompt[]> {
    return ofTool(this.prompts, server, tool);
  }

  async replacePrompts(server: string, tool: string, prompts: readonly StoredPrompt[]): Promise<void> {
    this.prompts = [...this.prompts.filter((one) => one.server !== server || one.toolName !== tool), ...prompts];
  }

  async listEvalRuns(server: string, tool?: string): Promise<StoredEvalRun[]> {
    return ofTool([...this.runs.values()], server, tool);
  }

  async addEvalRuns(runs: readonly StoredEvalRun[]): Promise<void> {
    for (const run of runs) if (!this.runs.has(run.id)) this.runs.set(run.id, run);
  }

  async listPromotions(): Promise<StoredPromotion[]> {
    return [];
  }

  async savePromotion(): Promise<void> {}

  async changeWatch(): Promise<void> {}

  async removePromotion(): Promise<boolean> {
    return false;
  }

  async listJobs(id?: string): Promise<StoredJob[]> {
    return [...this.jobs.values()].filter((job) => id === undefined || job.id === id);
  }

  async saveJob(job: StoredJob): Promise<StoredJob> {
    const stored = this.jobs.get(job.id);
    if (stored && isFinal(stored)) return stored;
    this.jobs.set(job.id, job);
    return job;
  }
}

function ofTool<Item extends { readonly server: string; readonly toolName: string }>(
  items: readonly Item[],
  server: string,
  tool: string | undefined,
): Item[] {
  return items.filter((item) => item.server === server && (tool === undefined || item.toolName === tool));
}
