/** Records of the optimizer: candidates, golden prompts, eval runs, promotions and jobs, each as one JSON document. */

import type { Generated, Kysely, Transaction } from 'kysely';
import type { JsonObject } from '../../base/json.ts';
import { asText, asWord, type RowIn, rowsOf, type StoredColumn, toText } from '../columns.ts';
import { createTable, runSql, type StoreRecord, upsert, workInChunks } from '../record.ts';

export const promptCategories = ['direct', 'indirect', 'negative'] as const;
export type PromptCategory = (typeof promptCategories)[number];

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
  readonly author: 'hand' | 'rewriter' | 'model';
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
  readonly author: 'hand' | 'mined' | 'model';
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
  readonly result: {
    readonly toolCalled: boolean;
    /** null: void, which is neither right nor wrong. */
    readonly correct: boolean | null;
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

/** One promotion a tool. */
export interface StoredPromotion extends OfTool {
  readonly candidateId: string;
  readonly promotedAt: string;
  readonly description: string;
  readonly example?: string | undefined;
  readonly metrics: PromotionMetrics;
  readonly baseline: PromotionMetrics;
  /** Right and all prompts of the deciding half, by category. */
  readonly counts: Readonly<Partial<Record<PromptCategory, { readonly right: number; readonly all: number }>>>;
  readonly judge: StoredEvalRun['judge'];
  /** Of the canonical name, description and input schema: the promotion holds for no others. */
  readonly fingerprint: string;
  readonly by: string;
  readonly forced?: boolean | undefined;
  readonly why?: string | undefined;
  /** `weak`: without a paired test. */
  readonly evidence: 'paired' | 'weak';
  /** How it does in real use since it was promoted. */
  readonly watch?: JsonObject | undefined;
}

export type JobState = 'queued' | 'running' | 'done' | 'cancelled' | 'failed';

export interface StoredJob {
  readonly id: string;
  /** Empty: all servers. */
  readonly server: string;
  readonly state: JobState;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly by: string;
  /** The request, as it was made. */
  readonly order: JsonObject;
  readonly progress: JsonObject;
  /** The outcome, or why it failed. */
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
  /** Adds them; a run whose id is known stays as it was. */
  addEvalRuns(runs: readonly StoredEvalRun[]): Promise<void>;
  /** Of all servers. */
  listPromotions(): Promise<StoredPromotion[]>;
  savePromotion(promotion: StoredPromotion): Promise<void>;
  /** False when there was none. */
  removePromotion(server: string, tool: string): Promise<boolean>;
  listJobs(): Promise<StoredJob[]>;
  saveJob(job: StoredJob): Promise<void>;
}

/** A row of every table here. */
interface Document<Body> {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly body: Body;
}

/** Only ever what this file wrote. */
function asBody<Body>(): StoredColumn<Body, string> {
  return { sql: 'text not null', write: (body) => JSON.stringify(body), read: (kept) => JSON.parse(kept) as Body };
}

function rowsWith<Body>() {
  return rowsOf<Document<Body>>()({ id: asWord(), server: asText, tool: asText, body: asBody<Body>() });
}

const candidateRows = rowsWith<StoredCandidate>();
const promptRows = rowsWith<StoredPrompt>();
const runRows = rowsWith<StoredEvalRun>();
const promotionRows = rowsWith<StoredPromotion>();
const jobRows = rowsWith<StoredJob>();

type DocumentRow = RowIn<typeof candidateRows>;
type TableName = 'optimizer_candidate' | 'optimizer_prompt' | 'optimizer_run' | 'optimizer_promotion' | 'optimizer_job';
/** The number orders rows by when they were first saved. */
type OptimizerTables = Record<TableName, DocumentRow & { readonly number: Generated<number> }>;

const tableNames: readonly TableName[] = [
  'optimizer_candidate',
  'optimizer_prompt',
  'optimizer_run',
  'optimizer_promotion',
  'optimizer_job',
];

export const optimizerRecord: StoreRecord<OptimizerTables, OptimizerStore> = {
  migrations: { '0013-optimizer': createTables },
  open: ({ read, write }) => {
    const list = <Body>(
      table: TableName,
      rows: ReturnType<typeof rowsWith<Body>>,
      server?: string,
      tool?: string,
    ): Promise<Body[]> =>
      read(async (db) => (await select(db, table, server, tool)).map((row) => rows.toRecord(row).body));
    return {
      listCandidates: (server, tool) => list('optimizer_candidate', candidateRows, server, tool),
      saveCandidates: (candidates) =>
        write((db) =>
          upsert(
            db,
            'optimizer_candidate',
            ['id'],
            candidates.map((one) => candidateRows.toRow(ofTool(one))),
          ),
        ),
      removeCandidate: (server, id) => write((db) => remove(db, 'optimizer_candidate', keyOf(server, id))),
      listPrompts: (server, tool) => list('optimizer_prompt', promptRows, server, tool),
      replacePrompts: (server, tool, prompts) =>
        write(async (db) => {
          await db
            .deleteFrom('optimizer_prompt')
            .where('server', '=', toText(server))
            .where('tool', '=', toText(tool))
            .execute();
          await upsert(
            db,
            'optimizer_prompt',
            ['id'],
            prompts.map((one) => promptRows.toRow(ofTool(one))),
          );
        }),
      listEvalRuns: (server, tool) => list('optimizer_run', runRows, server, tool),
      addEvalRuns: (runs) =>
        write((db) =>
          workInChunks(runs, (chunk) =>
            db
              .insertInto('optimizer_run')
              .values(chunk.map((run) => runRows.toRow(ofTool(run))))
              .onConflict((conflict) => conflict.column('id').doNothing())
              .execute(),
          ),
        ),
      listPromotions: () => list('optimizer_promotion', promotionRows),
      savePromotion: (promotion) =>
        write(async (db, tell) => {
          const row = { ...ofTool({ id: promotion.toolName, ...promotion }), body: promotion };
          await upsert(db, 'optimizer_promotion', ['id'], [promotionRows.toRow(row)]);
          tell({ type: 'promotions' });
        }),
      removePromotion: (server, tool) =>
        write(async (db, tell) => {
          const wasThere = await remove(db, 'optimizer_promotion', keyOf(server, tool));
          if (wasThere) tell({ type: 'promotions' });
          return wasThere;
        }),
      listJobs: () => list('optimizer_job', jobRows),
      saveJob: (job) =>
        write((db) =>
          upsert(db, 'optimizer_job', ['id'], [jobRows.toRow({ id: job.id, server: job.server, tool: '', body: job })]),
        ),
    };
  },
};

function ofTool<Body extends OfTool & { readonly id: string }>(body: Body): Document<Body> {
  return { id: keyOf(body.server, body.id), server: body.server, tool: body.toolName, body };
}

/** An id is unique within its server. As JSON, because a name may hold any sign: two joined by one could read like two others. */
function keyOf(server: string, id: string): string {
  return JSON.stringify([server, id]);
}

function select(
  db: Kysely<OptimizerTables>,
  table: TableName,
  server: string | undefined,
  tool: string | undefined,
): Promise<DocumentRow[]> {
  return db
    .selectFrom(table)
    .select(['id', 'server', 'tool', 'body'])
    .$if(server !== undefined, (query) => query.where('server', '=', toText(server ?? '')))
    .$if(tool !== undefined, (query) => query.where('tool', '=', toText(tool ?? '')))
    .orderBy('number')
    .execute();
}

async function remove(db: Transaction<OptimizerTables>, table: TableName, id: string): Promise<boolean> {
  const removed = await db.deleteFrom(table).where('id', '=', id).returning('id').execute();
  return removed.length > 0;
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  for (const table of tableNames) {
    await createTable(db, table, '"number" integer primary key autoincrement', candidateRows, 'unique ("id")');
    await runSql(db, `create index "${table}_by_tool" on "${table}" ("server", "tool")`);
  }
}
