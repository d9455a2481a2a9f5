/** Reads files of records back, one at a time: checks each record, keeps the good ones, and says what it refused. */

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { plural } from '../base/plural.ts';
import type { Entry } from '../catalog/catalog.ts';
import {
  modelAuthors,
  type OptimizerStore,
  type StoredCandidate,
  type StoredEvalRun,
  type StoredPromotion,
  type StoredPrompt,
} from '../store/store.ts';
import { readInput } from '../tools/tools.ts';
import { checkCandidate } from './check-candidate.ts';
import { checkPrompts, type PromptTool } from './check-prompts.ts';
import { dealPrompts } from './deal-prompts.ts';
import { canonicalId } from './decide-promotion.ts';
import type { RecordFile } from './export-records.ts';
import { reasonAgainst, tooManyRecords, unusableRecord } from './find-records.ts';
import { givenPrompt, givenResult, jsonObject } from './given-records.ts';
import { regradeResult } from './judge.ts';
import { judgeResult } from './judge-result.ts';

export interface ImportContext {
  readonly server: string;
  readonly store: OptimizerStore;
  /** True: prompts that are here give way to those of the file. */
  readonly replaces: boolean;
  /** Puts a promotion in place; throws where it may not be. Left out: promotions of the file are only named. */
  readonly restore?: ((promotion: StoredPromotion) => Promise<void>) | undefined;
  readonly promotionOf: (toolName: string) => StoredPromotion | undefined;
  /** When and by whom this promotion was reverted here, in a sentence; empty where it was not. */
  readonly sayReverted: (promotion: StoredPromotion) => Promise<string>;
  /** Every tool by `server:tool`. */
  readonly tools: ReadonlyMap<string, Pick<Entry, 'definition'>>;
  /** Throws if the tool belongs to another server. Only the name is known of a removed tool. */
  readonly definitionOf: (toolName: string) => Readonly<Record<string, unknown>>;
  readonly limits: {
    readonly maxChars: number;
    readonly maxCandidatesPerTool: number;
    readonly maxPromptsPerTool: number;
  };
  readonly now: string;
}

export interface ImportOutcome {
  readonly candidates: number;
  readonly prompts: number;
  readonly runs: number;
  readonly promotions: number;
  readonly refused: readonly NamedRecord[];
  /** Promotions that were put in place, and those that nobody asked for. */
  readonly restored: readonly NamedRecord[];
  readonly waiting: readonly NamedRecord[];
}

interface NamedRecord {
  readonly what: string;
  readonly why: string;
}

type Count = Exclude<keyof ImportOutcome, 'refused' | 'restored' | 'waiting'>;

const time = z.iso.datetime({ error: 'must be a time such as 2026-01-31T09:30:00Z' });
const id = z.string().regex(/^[\w.:@-]{1,128}$/, { error: 'must be letters, digits and . _ : @ -' });
const name = z.string().min(1).max(1_000);
const counts = z.record(z.string(), z.object({ right: z.number(), strict: z.number().optional(), all: z.number() }));
const share = z.number().min(0).max(1);
const metrics = z.object({
  directSuccess: share.nullable(),
  indirectSuccess: share.nullable(),
  negativeSuccess: share.nullable(),
  overall: share,
});

const candidateSchema = z.object({
  id,
  toolName: name,
  description: z.string(),
  example: z.string().optional(),
  createdAt: time.optional(),
  author: z.enum(['hand', 'rewriter', ...modelAuthors]).default('hand'),
  /** Exports have no server here: the folder names it. */
  server: z.string().optional(),
});

const promptSchema = givenPrompt.extend({
  id: id.optional(),
  toolName: name,
  expectedBehavior: givenPrompt.shape.expectedBehavior.unwrap(),
  part: z.enum(['choosing', 'deciding']).optional(),
  author: z.enum(['hand', 'mined', ...modelAuthors]).default('hand'),
  createdAt: time.optional(),
});

const runSchema = z.object({
  id,
  candidateId: z.string().min(1),
  promptId: z.string().min(1),
  timestamp: time,
  judge: z.enum(['self', 'search', 'model', 'agent']).default('self'),
  jobId: z.string().nullable().default(null),
  repeat: z.number().int().min(0).default(0),
  result: givenResult.extend({ durationMs: z.number().min(0).default(0) }),
});

const promotionSchema = z.object({
  candidateId: z.string().min(1),
  promotedAt: time,
  description: z.string(),
  example: z.string().optional(),
  metrics,
  baseline: metrics,
  counts,
  judge: z.enum(['self', 'search', 'model', 'agent']),
  fingerprint: z.string().min(1),
  by: z.string(),
  forced: z.boolean().optional(),
  why: z.string().optional(),
  evidence: z.enum(['paired', 'weak', 'forced']).default('weak'),
  watch: jsonObject.optional(),
});

/** Canonical tools are for readers: the server itself says what they are. */
export async function importRecords({ path, content }: RecordFile, context: ImportContext): Promise<ImportOutcome> {
  const [folder = ''] = path.split('/', 1);
  const reader = readers.get(folder);
  const none = { candidates: 0, prompts: 0, runs: 0, promotions: 0, refused: [], restored: [], waiting: [] };
  if (folder === 'canonical-tools.json') return none;
  if (!reader) return { ...none, refused: [{ what: 'file', why: 'It is not a file of an export.' }] };
  const { count, kept, ...named } = await reader(content, context);
  return { ...none, [count]: kept, ...named };
}

interface ReadFile {
  readonly count: Count;
  readonly kept: number;
  readonly refused: readonly NamedRecord[];
  readonly restored?: readonly NamedRecord[];
  readonly waiting?: readonly NamedRecord[];
}

/** Keyed by the first part of a path, which can be any word. */
const readers = new Map<string, (content: unknown, context: ImportContext) => Promise<ReadFile>>([
  ['candidates', importCandidates],
  ['prompts', importPrompts],
  ['eval-runs', importRuns],
  ['promotions.json', importPromotions],
]);

async function importCandidates(content: unknown, context: ImportContext): Promise<ReadFile> {
  const { server, store, limits, now } = context;
  const known = new Map((await store.listCandidates(server)).map((candidate) => [candidate.id, candidate]));
  const read = listIn(content, 'candidate', candidateSchema, (given): StoredCandidate => {
    const { id, toolName, description, example, author } = given;
    if (given.server !== undefined && given.server !== server)
      throw unusableRecord(`Candidate "${id}" belongs to server "${given.server}", not to "${server}".`);
    const definition = context.definitionOf(toolName);
    checkCandidate({ description, example }, { definition, prompts: [], maxChars: limits.maxChars });
    const same = known.get(id);
    if (same && (same.toolName !== toolName || same.description !== description || same.example !== example))
      throw unusableRecord(`Candidate "${id}" has another text here.`);
    const said = { description, ...(example === undefined ? {} : { example }) };
    const createdAt = given.createdAt ?? now;
    return { id, server, toolName, ...said, charCount: [...description].length, createdAt, author };
  });
  for (const toolName of new Set(read.kept.map((one) => one.toolName))) {
    const ids = new Set((await store.listCandidates(server, toolName)).map((one) => one.id));
    for (const one of read.kept) if (one.toolName === toolName) ids.add(one.id);
    if (ids.size > limits.maxCandidatesPerTool)
      throw tooManyRecords('candidates', { server, tool: toolName }, limits.maxCandidatesPerTool);
  }
  await store.saveCandidates(read.kept);
  return { count: 'candidates', kept: read.kept.length, refused: read.refused };
}

/**
 * Replaces the prompts of each tool in the file; mined ones that it does not hold stay, because exports leave them out. Prompts
 * that would be lost keep the file out, unless they are to be replaced.
 */
async function importPrompts(content: unknown, context: ImportContext): Promise<ReadFile> {
  const { server, store, tools, limits, now } = context;
  const all = await store.listPrompts(server);
  const read = listIn(content, 'prompt', promptSchema, (given) => {
    context.definitionOf(given.toolName);
    const entry: PromptTool = { server, name: given.toolName, serverName: given.toolName };
    const others = all.filter((prompt) => prompt.toolName !== given.toolName);
    const [checked] = checkPrompts([given], { entry, others, tools }).prompts;
    if (!checked) throw new Error('A checked prompt is missing.');
    return { ...checked, given };
  });
  let kept = 0;
  const left = [...read.refused];
  for (const [toolName, prompts] of Map.groupBy(read.kept, ({ given }) => given.toolName)) {
    const byId = new Map(prompts.map((prompt) => [prompt.id, prompt]));
    const unique = [...byId.values()];
    const own = all.filter((prompt) => prompt.toolName === toolName);
    const stay = own.filter((prompt) => prompt.author === 'mined' && !byId.has(prompt.id));
    const lost = own.filter((prompt) => !stay.includes(prompt) && !isSamePrompt(prompt, byId.get(prompt.id)));
    if (lost.length > 0 && !context.replaces) {
      const why = `${plural(lost.length, 'prompt')} here would be lost: not in the file, or worded differently.`;
      left.push({ what: `prompts of "${toolName}"`, why: `${why} Ask to replace.` });
      continue;
    }
    if (unique.length + stay.length > limits.maxPromptsPerTool)
      throw tooManyRecords('golden prompts', { server, tool: toolName }, limits.maxPromptsPerTool);
    const told = unique.flatMap(({ id, category, given: { part } }) => (part ? [{ id, category, part }] : []));
    const dealt = dealPrompts(unique, [...told, ...own]);
    const saved = unique.map(({ given, ...prompt }, at): StoredPrompt => {
      const { author, createdAt = now } = given;
      return { server, toolName, ...prompt, part: dealt[at] ?? 'deciding', author, createdAt };
    });
    await store.replacePrompts(server, toolName, [...saved, ...stay]);
    kept += saved.length;
  }
  return { count: 'prompts', kept, refused: left };
}

type ReadPrompt = Pick<StoredPrompt, 'prompt' | 'category' | 'expectedBehavior'> & {
  readonly given: { readonly part?: StoredPrompt['part'] | undefined };
};

function isSamePrompt(here: StoredPrompt, read: ReadPrompt | undefined): boolean {
  if (!read || (read.given.part ?? here.part) !== here.part) return false;
  const { prompt, category, expectedBehavior } = here;
  const told = { prompt: read.prompt, category: read.category, expectedBehavior: read.expectedBehavior };
  return isDeepStrictEqual({ prompt, category, expectedBehavior }, told);
}

/**
 * Graded again by what was called, and marked: a file can say anything. Answers in it are not used again, and it adds nothing to a
 * job of this gateway.
 */
async function importRuns(content: unknown, { server, store, tools }: ImportContext): Promise<ReadFile> {
  const known = new Set((await store.listEvalRuns(server)).map((run) => run.id));
  const jobs = new Set((await store.listJobs()).map((job) => job.id));
  const prompts = new Map((await store.listPrompts(server)).map((prompt) => [prompt.id, prompt]));
  const candidates = new Map((await store.listCandidates(server)).map((one) => [one.id, one.toolName]));
  const read = listIn(content, 'run', runSchema, ({ result, ...run }): StoredEvalRun => {
    const prompt = prompts.get(run.promptId);
    if (!prompt) throw unusableRecord(`There is no golden prompt "${run.promptId}".`);
    const { toolName } = prompt;
    if (run.candidateId !== canonicalId && candidates.get(run.candidateId) !== toolName)
      throw unusableRecord(`There is no candidate "${run.candidateId}" for tool "${toolName}".`);
    if (run.jobId !== null && jobs.has(run.jobId) && !known.has(run.id))
      throw unusableRecord(`Job "${run.jobId}" ran here, and not this.`);
    const isSelf = run.judge === 'self';
    const judged = isSelf
      ? judgeResult(result, prompt)
      : regradeResult(result, prompt, (address) => tools.get(address)?.definition);
    if (result.toolCalled && !judged.toolCalled)
      throw unusableRecord(`"toolCalled" is true, but there is no call of "${server}:${toolName}".`);
    return { ...run, server, toolName, imported: true, result: judged };
  });
  await store.addEvalRuns(read.kept);
  return { count: 'runs', kept: read.kept.length, refused: read.refused };
}

async function importPromotions(content: unknown, context: ImportContext): Promise<ReadFile> {
  const { server, limits } = context;
  const members = isObject(content) ? Object.entries(content) : [];
  const given = members.map(([toolName, promotion]) => ({ toolName, promotion }));
  const schema = z.object({ toolName: name, promotion: promotionSchema });
  const read = listIn(given, 'promotion', schema, ({ toolName, promotion }): StoredPromotion => {
    const { description, example } = promotion;
    const definition = context.definitionOf(toolName);
    checkCandidate({ description, example }, { definition, prompts: [], maxChars: limits.maxChars });
    return { ...promotion, server, toolName };
  });
  const left = [...read.refused];
  const named: NamedRecord[] = [];
  let kept = 0;
  for (const promotion of read.kept) {
    const { toolName: what, candidateId, promotedAt } = promotion;
    const here = context.promotionOf(what);
    if (here?.candidateId === candidateId && here.promotedAt === promotedAt) {
      kept += 1;
      continue;
    }
    const why = `${sayPromoted(promotion)}${await context.sayReverted(promotion)}`;
    const reason = await reasonAgainst(async () => context.restore?.(promotion));
    if (reason === undefined) named.push({ what, why });
    else left.push({ what, why: reason });
  }
  if (!context.restore) return { count: 'promotions', kept, refused: left, waiting: named };
  return { count: 'promotions', kept: kept + named.length, refused: left, restored: named };
}

function sayPromoted({ candidateId, promotedAt, by, forced, why }: StoredPromotion): string {
  return `Candidate "${candidateId}", promoted at ${promotedAt} by ${by}${forced ? `, forced: ${why}` : '.'}`;
}

/** Each record of a list by itself: one that is wrong does not keep the others out. */
function listIn<S extends z.ZodType, Kept>(
  content: unknown,
  noun: string,
  schema: S,
  read: (given: z.infer<S>) => Kept,
): { readonly kept: Kept[]; readonly refused: NamedRecord[] } {
  if (!Array.isArray(content)) return { kept: [], refused: [{ what: 'file', why: 'It does not hold a list.' }] };
  const kept: Kept[] = [];
  const refused: NamedRecord[] = [];
  for (const [at, given] of content.entries()) {
    const what = `${noun} ${at + 1}`;
    const reading = readInput(schema, given, 'it');
    try {
      if ('mistakes' in reading) refused.push({ what, why: `${reading.mistakes}.` });
      else kept.push(read(reading.value));
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      refused.push({ what, why: error.message });
    }
  }
  return { kept, refused };
}
