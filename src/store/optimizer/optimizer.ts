/** Records of the optimizer: candidates, golden prompts, eval runs, promotions and jobs, each as one JSON document. */

import type { Kysely } from 'kysely';
import type { JsonObject } from '../../base/json.ts';
import { asBody, asText, asWord, rowsOf } from '../columns.ts';
import { createTable, RecordTable, runSql, type StoreRecord } from '../record.ts';
import { checkTerm, type DutyTerm } from '../replica/replica.ts';

export const promptCategories = ['direct', 'indirect', 'negative'] as const;
export type PromptCategory = (typeof promptCategories)[number];

/** `sampling`: the model of the calling agent; `model`: the configured one; `agent`: that of an agent program. */
export const modelAuthors = ['sampling', 'model', 'agent'] as const;
export type ModelAuthor = (typeof modelAuthors)[number];

/** Names a tool of a server by the name that the server gives it. */
interface OfTool {
  readonly server: string;
  readonly toolName: string;
}

export interface StoredCandidate extends OfTool {
  readonly id: string;
  readonly description: string;
  readonly example?: string | undefined;
  /** In code points, of the description alone. */
  readonly charCount: number;
  /** ISO 8601, like every time here. */
  readonly createdAt: string;
  readonly author: 'hand' | 'rewriter' | ModelAuthor;
}

export interface StoredPrompt extends OfTool {
  readonly id: string;
  readonly category: PromptCategory;
  readonly prompt: string;
  readonly expectedBehavior: {
    readonly shouldCallTool: boolean;
    /** For a negative: `server:tool` of the tool that is right instead; left out, none is. */
    readonly tool?: string | undefined;
    readonly arguments?: JsonObject | undefined;
    readonly notes?: string | undefined;
  };
  /** Candidates are chosen by one half of the prompts; gates look only at the other. */
  readonly part: 'choosing' | 'deciding';
  readonly author: 'hand' | 'mined' | ModelAuthor;
  readonly createdAt: string;
}

export interface StoredEvalRun extends OfTool {
  readonly id: string;
  /** `canonical` for the server's own description. */
  readonly candidateId: string;
  readonly promptId: string;
  readonly timestamp: string;
  /** `self`: recorded by the agent that evaluated. */
  readonly judge: 'self' | 'search' | 'model' | 'agent';
  /** The job that ran it; null where an agent recorded it. */
  readonly jobId: string | null;
  /** Counts the repeats of one prompt in one job from 0. */
  readonly repeat: number;
  /** Of a judge that costs something: runs with the same key were asked the same. */
  readonly key?: string | undefined;
  /** Read from a file: nobody here saw it happen. */
  readonly imported?: true | undefined;
  /** True where the answer of an earlier job to the same question was used again. */
  readonly reused?: true | undefined;
  readonly result: {
    readonly toolCalled: boolean;
    /** null: void, which is neither right nor wrong. */
    readonly correct: boolean | null;
    /** Right tool, right arguments and no other call; left out by a judge that writes no arguments. */
    readonly strict?: boolean | undefined;
    readonly error?: string | undefined;
    readonly reasoning?: string | undefined;
    readonly durationMs: number;
    readonly tool?: string | undefined;
    readonly arguments?: JsonObject | undefined;
    readonly calls?: readonly JsonObject[] | undefined;
  };
}

/** Shares between 0 and 1; null where a category has no prompts. */
export interface PromotionMetrics {
  readonly directSuccess: number | null;
  readonly indirectSuccess: number | null;
  readonly negativeSuccess: number | null;
  readonly overall: number;
}

/** Prompts that are right, those that are right in the strict sense where that is known, and all. */
export type PromptCounts = {
  readonly right: number;
  readonly strict?: number | undefined;
  readonly all: number;
};

/** One promotion a tool. */
export interface StoredPromotion extends OfTool {
  readonly candidateId: string;
  readonly promotedAt: string;
  readonly description: string;
  readonly example?: string | undefined;
  readonly metrics: PromotionMetrics;
  readonly baseline: PromotionMetrics;
  /** Of the deciding half, by category. */
  readonly counts: Readonly<Partial<Record<PromptCategory, PromptCounts>>>;
  readonly judge: StoredEvalRun['judge'];
  /** Of the canonical name, description and input schema: the promotion holds for no others. */
  readonly fingerprint: string;
  readonly by: string;
  readonly forced?: boolean | undefined;
  readonly why?: string | undefined;
  /** `weak`: without a paired test; `forced`: past the gates, by somebody who says why. */
  readonly evidence: 'paired' | 'weak' | 'forced';
  /** How it does in real use since it was promoted. */
  readonly watch?: JsonObject | undefined;
}

/** Names one promotion of a tool: the same candidate may be promoted again. */
type PromotionKey = Pick<StoredPromotion, 'server' | 'toolName' | 'candidateId' | 'promotedAt'>;
export type ChangeWatch = (watch: JsonObject) => JsonObject;

/** `paused`: it reached a limit, and goes on when the same order is given again. */
export type JobState = 'queued' | 'running' | 'paused' | 'done' | 'cancelled' | 'failed';

export interface StoredJob {
  readonly id: string;
  /** Empty: all servers. */
  readonly server: string;
  readonly state: JobState;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly by: string;
  /** The replica that has it; another one goes on with it once that one is gone. */
  readonly runner?: string | undefined;
  /** The servers that an author may hear of; left out: those of its tools. */
  readonly reach?: readonly string[] | undefined;
  /** The request, as it was made. */
  readonly order: JsonObject;
  readonly progress: JsonObject;
  /** By server, the projects that it named itself when the job began: who may know of the job once the server is gone. */
  readonly projects?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The cost that was expected; left out where there is none. */
  readonly estimate?: JsonObject | undefined;
  /** The outcome, so far where it is paused, and why it failed or stopped. */
  readonly outcome?: JsonObject | undefined;
}

export interface OptimizerStore {
  /** Of one server, or of one of its tools; in the order in which they were saved first, as all lists here. */
  listCandidates(server: string, tool?: string): Promise<StoredCandidate[]>;
  saveCandidates(candidates: readonly StoredCandidate[]): Promise<void>;
  /** False when there was none. */
  removeCandidate(server: string, id: string): Promise<boolean>;
  listPrompts(server: string, tool?: string): Promise<StoredPrompt[]>;
  /** These are the prompts of the tool from now on. All or none. */
  replacePrompts(server: string, tool: string, prompts: readonly StoredPrompt[]): Promise<void>;
  listEvalRuns(server: string, tool?: string): Promise<StoredEvalRun[]>;
  /** Adds them; a run whose id is known stays as it was. With a term: throws once that is over. */
  addEvalRuns(runs: readonly StoredEvalRun[], term?: DutyTerm): Promise<void>;
  /** Of all servers, or of one. */
  listPromotions(server?: string): Promise<StoredPromotion[]>;
  savePromotion(promotion: StoredPromotion): Promise<void>;
  /**
   * Changes how this promotion is watched, one gateway at a time, unless another one has taken its place. `change` may be run again
   * from the start.
   */
  changeWatch(promotion: PromotionKey, change: ChangeWatch): Promise<void>;
  /** False when there was none. */
  removePromotion(server: string, tool: string): Promise<boolean>;
  /** All, or the one with this id. */
  listJobs(id?: string): Promise<StoredJob[]>;
  /**
   * With a term: throws once that is over. Resolves with the job as it stands: this one, or the one that had ended before.
   */
  saveJob(job: StoredJob, term?: DutyTerm): Promise<StoredJob>;
}

/** A row of every table here. */
interface Document<Body> {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly body: Body;
}

/** The number orders documents by when they were first saved. */
function documents<Body>(name: string) {
  const rows = rowsOf<Document<Body>>()({ id: asWord(), server: asText, tool: asText, body: asBody<Body>() });
  const table = new RecordTable(name, rows, ['id'], 'number');
  const create = async (db: Kysely<unknown>) => {
    await createTable(db, name, '"number" integer primary key autoincrement', rows, 'unique ("id")');
    await runSql(db, `create index "${name}_by_tool" on "${name}" ("server", "tool")`);
  };
  return { table, create };
}

const candidates = documents<StoredCandidate>('optimizer_candidate');
const prompts = documents<StoredPrompt>('optimizer_prompt');
const runs = documents<StoredEvalRun>('optimizer_run');
const promotions = documents<StoredPromotion>('optimizer_promotion');
const jobs = documents<StoredJob>('optimizer_job');

export const optimizerRecord: StoreRecord<unknown, OptimizerStore> = {
  migrations: {
    async '0013-optimizer'(db) {
      for (const { create } of [candidates, prompts, runs, promotions, jobs]) await create(db);
    },
  },
  open: ({ read, write, change }) => {
    const list = async <Body>({ table }: ReturnType<typeof documents<Body>>, server?: string, tool?: string) =>
      (await read((db) => table.list(db, { server, tool }))).map(({ body }) => body);
    return {
      listCandidates: (server, tool) => list(candidates, server, tool),
      saveCandidates: (saved) => write((db) => candidates.table.save(db, saved.map(ofTool))),
      removeCandidate: (server, id) =>
        write(async (db) => (await candidates.table.remove(db, { id: keyOf(server, id) })) > 0),
      listPrompts: (server, tool) => list(prompts, server, tool),
      replacePrompts: (server, tool, present) =>
        write(async (db) => {
          await prompts.table.remove(db, { server, tool });
          await prompts.table.save(db, present.map(ofTool));
        }),
      listEvalRuns: (server, tool) => list(runs, server, tool),
      addEvalRuns: (added, term) =>
        write(async (db) => {
          if (term) await checkTerm(db, term);
          await runs.table.add(db, added.map(ofTool));
        }),
      listPromotions: (server) => list(promotions, server),
      savePromotion: (body) => {
        const { server, toolName: tool } = body;
        return change('promotions', (db) =>
          promotions.table.save(db, [{ id: keyOf(server, tool), server, tool, body }]),
        );
      },
      async changeWatch({ server, toolName, candidateId, promotedAt }, changeOf) {
        await write(async (db, tell) => {
          const [row] = await promotions.table.list(db, { id: keyOf(server, toolName) });
          const { watch } = row?.body ?? {};
          if (!watch || row?.body.candidateId !== candidateId || row.body.promotedAt !== promotedAt) return;
          await promotions.table.save(db, [{ ...row, body: { ...row.body, watch: changeOf(watch) } }]);
          tell({ type: 'promotions', server });
        });
      },
      removePromotion: (server, tool) =>
        change('promotions', async (db) => (await promotions.table.remove(db, { id: keyOf(server, tool) })) > 0),
      listJobs: async (id) => (await read((db) => jobs.table.list(db, { id }))).map(({ body }) => body),
      saveJob: (body, term) =>
        write(async (db, tell) => {
          if (term) await checkTerm(db, term);
          const [stored] = await jobs.table.list(db, { id: body.id });
          if (stored && isFinal(stored.body)) return stored.body;
          await jobs.table.save(db, [{ id: body.id, server: body.server, tool: '', body }]);
          tell({ type: 'jobs', id: body.id });
          return body;
        }),
    };
  },
};

/** True for a stored job that has ended: nothing replaces it, because who saves it may have missed the end. */
export function isFinal({ state }: StoredJob): boolean {
  return state === 'cancelled' || state === 'done' || state === 'failed';
}

function ofTool<Body extends OfTool & { readonly id: string }>(body: Body): Document<Body> {
  return { id: keyOf(body.server, body.id), server: body.server, tool: body.toolName, body };
}

/** An id is unique within its server. As JSON, because a name may hold any sign: two joined by one could read like two others. */
function keyOf(server: string, id: string): string {
  return JSON.stringify([server, id]);
}
