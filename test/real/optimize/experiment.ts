/** One way to get better descriptions, tried on a real gateway: candidates are chosen and decided by its jobs, then put in place. */

import { setTimeout as pause } from 'node:timers/promises';
import { GatewayError } from '../../../src/base/errors.ts';
import type { GatewayProcess } from '../kit/gateway-process.ts';
import { plainRanker, type RankedTool } from './plain-ranker.ts';
import type { WrittenPrompt } from './records.ts';

export const rankers = ['search', 'plain BM25'] as const;
export type Ranker = (typeof rankers)[number];

/** Which candidates are in place, from the least to the most evidence. */
export const policies = ['better and no theft', 'paired test too', 'every gate'] as const;
export type Policy = (typeof policies)[number];

/** The end of the candidates of one tool. */
export interface ToolOutcome {
  readonly tool: string;
  readonly candidateId: string;
  readonly description: string;
  readonly before: number;
  readonly after: number;
  readonly isPaired: boolean;
  readonly passes: boolean;
  readonly refusals: readonly string[];
}

/** The part of a job's outcome that is read here. */
interface JobRow {
  readonly candidateId?: string;
  readonly passes?: boolean;
  readonly refusals?: readonly string[];
  readonly pValue?: number;
  readonly metrics?: { readonly overall: number };
  readonly baseline?: { readonly overall: number };
  readonly kept?: string;
  readonly void?: string;
}

export class Experiment {
  readonly #gateway: GatewayProcess;
  readonly #canonical = new Map<string, Readonly<Record<string, unknown>>>();
  /** Descriptions in place, by address. */
  readonly #inPlace = new Map<string, string>();

  constructor(gateway: GatewayProcess) {
    this.#gateway = gateway;
  }

  /** Gives every tool its prompts; the gateway deals them to its halves. */
  async open(prompts: readonly WrittenPrompt[]): Promise<void> {
    const { admin } = this.#gateway;
    for (const server of new Set(prompts.map(({ tool }) => nameOf(tool).server))) {
      const { files } = await admin.run('optimize.export', { server });
      const tools = files.find(({ path }) => path === 'canonical-tools.json')?.content;
      for (const tool of tools as Readonly<Record<string, unknown>>[])
        this.#canonical.set(`${server}:${tool.name}`, tool);
    }
    for (const [tool, own] of Map.groupBy(prompts, (prompt) => prompt.tool))
      await admin.run('optimize.prompts', {
        ...nameOf(tool),
        prompts: own.map(({ category, prompt, instead }) => {
          const expected = {
            shouldCallTool: category !== 'negative',
            ...(instead === undefined ? {} : { tool: instead }),
          };
          return { category, prompt, expectedBehavior: expected };
        }),
      });
  }

  /** Proposes candidates; resolves with those that a check refused, each with the reason. */
  async propose(candidates: ReadonlyMap<string, readonly string[]>): Promise<string[]> {
    const refused: string[] = [];
    for (const [tool, texts] of candidates)
      for (const description of texts)
        await this.#gateway.admin
          .run('optimize.candidates', { ...nameOf(tool), description })
          .catch((error: unknown) => {
            if (!(error instanceof GatewayError) || error.code !== 'ARGUMENTS_INVALID') throw error;
            refused.push(`${tool}: ${error.message} ${description}`);
          });
    return refused;
  }

  /** Of every tool, in the order of their proposal. */
  async candidates(tools: readonly string[]): Promise<Map<string, string[]>> {
    const found = new Map<string, string[]>();
    for (const tool of tools) {
      const { candidates } = await this.#gateway.admin.run('optimize.candidates', nameOf(tool));
      found.set(
        tool,
        candidates.map(({ description }) => description),
      );
    }
    return found;
  }

  /** One job a tool; each sees in place what was better before it. */
  async decide(tools: readonly string[]): Promise<ToolOutcome[]> {
    const { admin } = this.#gateway;
    const outcomes: ToolOutcome[] = [];
    for (const tool of tools) {
      const { server, tool: name } = nameOf(tool);
      const row = await this.#runJob(server, name);
      if (row.void !== undefined) throw new Error(`${tool}: ${row.void}`);
      const { candidateId, metrics, baseline, pValue = 1, passes = false, refusals = [] } = row;
      if (candidateId === undefined || !metrics || !baseline) continue;
      const { candidates } = await admin.run('optimize.candidates', nameOf(tool));
      const description = candidates.find(({ id }) => id === candidateId)?.description ?? '';
      const [before, after] = [baseline.overall, metrics.overall];
      outcomes.push({ tool, candidateId, description, before, after, isPaired: pValue <= 0.05, passes, refusals });
      if (isInPlace(outcomes.at(-1), 'better and no theft')) await this.#promote(tool, candidateId, description);
    }
    return outcomes;
  }

  /** Leaves in place only what the policy lets through; true where something was reverted. */
  async keep(outcomes: readonly ToolOutcome[], policy: Policy): Promise<boolean> {
    const before = this.#inPlace.size;
    for (const outcome of outcomes) {
      if (isInPlace(outcome, policy) || !this.#inPlace.has(outcome.tool)) continue;
      await this.#gateway.admin.run('optimize.revert', nameOf(outcome.tool));
      this.#inPlace.delete(outcome.tool);
    }
    return this.#inPlace.size < before;
  }

  get inPlace(): ReadonlySet<string> {
    return new Set(this.#inPlace.keys());
  }

  /** For each prompt whether its tool comes first. */
  async place(ranker: Ranker, prompts: readonly WrittenPrompt[]): Promise<boolean[]> {
    const plain = ranker === 'search' ? undefined : plainRanker(this.#texts());
    const found: boolean[] = [];
    for (const { prompt, tool } of prompts) found.push((plain ? plain(prompt) : await this.#firstOf(prompt)) === tool);
    return found;
  }

  async #firstOf(query: string): Promise<string | undefined> {
    const { tools } = await this.#gateway.admin.run('tools.search', { query, limit: 1, detailLevel: 'minimal' });
    return (tools as { toolKey: string }[])[0]?.toolKey;
  }

  async #runJob(server: string, tool: string): Promise<JobRow> {
    const { admin } = this.#gateway;
    const started = await admin.run('optimize.run', { server, tools: [tool] });
    if (!('jobId' in started)) throw new Error('No job was started.');
    for (;;) {
      const [job] = (await admin.run('optimize.jobs', { id: started.jobId })).jobs;
      if (job?.state === 'done') return (job.outcome?.tools as JobRow[] | undefined)?.[0] ?? {};
      if (job?.state !== 'queued' && job?.state !== 'running') throw new Error(JSON.stringify(job));
      await pause(20);
    }
  }

  async #promote(tool: string, candidateId: string, description: string): Promise<void> {
    const why = 'Better on the deciding prompts, and no theft.';
    await this.#gateway.admin.run('optimize.promote', { ...nameOf(tool), candidateId, force: true, why });
    this.#inPlace.set(tool, description);
  }

  #texts(): RankedTool[] {
    return [...this.#canonical].map(([address, { name, description, inputSchema }]) => {
      const { properties = {} } = inputSchema as { properties?: Record<string, { description?: string }> };
      const parameters = Object.entries(properties).map(([key, value]) => `${key} ${value.description ?? ''}`);
      const text = [name, this.#inPlace.get(address) ?? description ?? '', ...parameters].join(' ');
      return { address, text: text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2') };
    });
  }
}

/** True where a candidate may be in place under the policy. */
export function isInPlace(outcome: ToolOutcome | undefined, policy: Policy): boolean {
  if (!outcome) return false;
  const { before, after, isPaired, passes, refusals } = outcome;
  if (policy === 'every gate') return passes;
  const isTheft = refusals.some((sentence) => sentence.startsWith('It steals'));
  return after > before && !isTheft && (isPaired || policy === 'better and no theft');
}

function nameOf(address: string): { readonly server: string; readonly tool: string } {
  const [server = '', ...rest] = address.split(':');
  return { server, tool: rest.join(':') };
}
