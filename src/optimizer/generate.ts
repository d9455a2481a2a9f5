/** Generates candidates and golden prompts: by the first author that can write, else by rule or from traffic. */

import { canonicalOf, type Entry } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import type { CallMetrics } from '../metrics/metrics.ts';
import type { PromptCategory, StoredCandidate, StoredPrompt } from '../store/store.ts';
import { type Author, Authors } from './author.ts';
import { candidateQuestion, type PromptKind, promptKinds, promptQuestion, type ToolFacts } from './author-questions.ts';
import { refuseHiddenPrompt } from './check-candidate.ts';
import { checkPrompts } from './check-prompts.ts';
import { nothingToMine, reasonAgainst, tooManyRecords, unusableRecord } from './find-records.ts';
import type { GivenPrompt } from './given-records.ts';
import { minePrompts, mostQueriesMined } from './mine.ts';
import { askedWith, rewriteDescription, rewriterNote, rivalOf } from './rewrite.ts';
import { type FactsOptions, gatherToolFacts } from './tool-facts.ts';

export interface GenerateOptions extends FactsOptions {
  readonly metrics: FactsOptions['metrics'] & Pick<CallMetrics, 'queries'>;
  readonly config: () => Pick<Config, 'optimize' | 'search'>;
}

export interface GenerateRequest {
  readonly entry: Entry;
  /** The available authors, the best first. */
  readonly authors: readonly Author[];
  /** Servers whose tools an author may see. */
  readonly reach: readonly string[];
  readonly signal: AbortSignal;
}

interface CandidateRequest extends GenerateRequest {
  readonly count: number;
  /** Prompts of all tools, for the rewriter. */
  readonly allPrompts: () => Promise<readonly StoredPrompt[]>;
  /** Checks and stores a text. */
  readonly propose: (
    description: string,
    author: StoredCandidate['author'],
  ) => Promise<{ readonly candidateId: string }>;
}

export async function generateCandidates(options: GenerateOptions, request: CandidateRequest) {
  const { entry, count, propose, reach, signal } = request;
  const { server, serverName: tool } = entry;
  const { maxChars, maxCandidatesPerTool } = options.config().optimize;
  const known = await options.store.listCandidates(server, tool);
  const room = maxCandidatesPerTool - known.length;
  if (room <= 0) throw tooManyRecords('candidates', { server, tool }, maxCandidatesPerTool);
  const wanted = Math.min(count, room);
  const texts = new Set(known.map(({ description }) => description));
  const candidateIds: string[] = [];
  const take = (text: unknown, author: StoredCandidate['author']) =>
    reasonAgainst(async () => {
      if (typeof text !== 'string') throw unusableRecord('It has no "description".');
      if (texts.has(text)) throw unusableRecord('There is a candidate with this text already.');
      candidateIds.push((await propose(text, author)).candidateId);
      texts.add(text);
    });
  const authors = new Authors(request.authors, signal);
  if (!authors.isEmpty) {
    const question = candidateQuestion(await gatherToolFacts(options, entry, reach, signal), maxChars);
    const author = await authors.write((name) => ({
      ...question,
      count: wanted,
      take: ({ description }) => take(description, name),
    }));
    if (author) return { candidateIds, author, ...authors.account };
  }
  const prompts = await request.allPrompts();
  const address = `${server}:${tool}`;
  const rival = rivalOf(prompts, address, options.catalog.snapshot.tools);
  const source = { definition: canonicalOf(entry), ...askedWith(prompts, address), rival, maxChars };
  for (const description of rewriteDescription(source, wanted)) await take(description, 'rewriter');
  return { candidateIds, author: 'rewriter' as const, ...authors.account, note: rewriterNote };
}

interface PromptRequest extends GenerateRequest {
  readonly counts: Readonly<Record<PromptCategory, number>>;
  /** Checks and stores all prompts of the tool. */
  readonly save: (
    prompts: readonly GivenPrompt[],
    author: StoredPrompt['author'],
  ) => Promise<{ readonly warnings: readonly string[] }>;
}

/** Adds prompts to those that the tool has: real queries first; authors write the rest. */
export async function generatePrompts(options: GenerateOptions, request: PromptRequest) {
  const { entry, counts, save, reach, signal } = request;
  const { server, serverName: tool } = entry;
  const ofServer = await options.store.listPrompts(server);
  const known = ofServer.filter(({ toolName }) => toolName === tool);
  const others = ofServer.filter(({ toolName }) => toolName !== tool);
  const { maxPromptsPerTool } = options.config().optimize;
  if (known.length + counts.direct + counts.indirect + counts.negative > maxPromptsPerTool)
    throw tooManyRecords('golden prompts', { server, tool }, maxPromptsPerTool);
  const { mined, refusal } = await mineFresh(options, request, known);
  const fresh = new Map<StoredPrompt['author'], readonly GivenPrompt[]>([['mined', mined]]);
  const added = () => [...fresh.values()].flat();
  const take = (given: GivenPrompt, author: Author['name']) => {
    if ([...known, ...added()].some(({ prompt }) => prompt === given.prompt))
      throw unusableRecord('There is a prompt with this text already.');
    checkPrompts([given], { entry, others, tools: options.catalog.snapshot.tools });
    refuseHiddenPrompt(given.prompt);
    fresh.set(author, [...(fresh.get(author) ?? []), given]);
  };
  const authors = new Authors(request.authors, signal);
  if (!authors.isEmpty) {
    const facts = await gatherToolFacts(options, entry, reach, signal);
    for (const [kind, count] of lacking(mined, counts, facts))
      await authors.write((author) => ({
        ...promptQuestion(facts, kind),
        count,
        take: (item) => reasonAgainst(async () => take(readPrompt(item, kind, facts), author)),
      }));
  }
  if (refusal !== undefined && added().length === 0)
    throw nothingToMine(refusal, { server, tool }, authors.account.notes);
  let saved: readonly GivenPrompt[] = known;
  let warnings: readonly string[] = [];
  for (const [author, prompts] of fresh) {
    if (prompts.length === 0) continue;
    // Others may have saved some while these were written.
    saved = await options.store.listPrompts(server, tool);
    const texts = new Set(saved.map(({ prompt }) => prompt));
    saved = [...saved, ...prompts.filter(({ prompt }) => !texts.has(prompt))];
    ({ warnings } = await save(saved, author));
  }
  const byAuthor = Object.fromEntries([...fresh].map(([author, { length }]) => [author, length]));
  return { count: added().length, byAuthor, saved: saved.length, ...authors.account, warnings };
}

/** New prompts from real traffic; `refusal`: why there can be none. */
async function mineFresh(
  { config, metrics }: GenerateOptions,
  { entry, counts }: PromptRequest,
  known: readonly StoredPrompt[],
): Promise<{ readonly mined: readonly GivenPrompt[]; readonly refusal?: string }> {
  const toolKey = `${entry.server}:${entry.serverName}`;
  if (!config().search.usage) return { mined: [], refusal: 'No query is remembered while "search.usage" is off.' };
  const tool = { toolKey, toolName: entry.serverName, definition: canonicalOf(entry) };
  const mined = minePrompts(tool, await metrics.queries({ limit: mostQueriesMined }), counts);
  if (!mined.some(({ category }) => category !== 'negative'))
    return { mined: [], refusal: `No query led to a successful call of "${toolKey}" yet.` };
  return { mined: mined.filter(({ prompt }) => !known.some((one) => one.prompt === prompt)) };
}

/** How many of each kind are still to be written. Half of the negatives need no tool; the others are tasks of neighbours, if it has some. */
function lacking(
  mined: readonly GivenPrompt[],
  counts: PromptRequest['counts'],
  { neighbours }: ToolFacts,
): readonly (readonly [PromptKind, number])[] {
  const lack = (of: PromptCategory) => counts[of] - mined.filter(({ category }) => category === of).length;
  const negative = lack('negative');
  const general = neighbours.size === 0 ? negative : Math.min(negative, Math.floor(counts.negative / 2));
  const kinds = { direct: lack('direct'), indirect: lack('indirect'), neighbour: negative - general, general };
  return promptKinds.map((kind) => [kind, kinds[kind]] as const).filter(([, count]) => count > 0);
}

/** Throws if the item has the wrong form. */
function readPrompt(
  { prompt, tool }: Readonly<Record<string, unknown>>,
  kind: PromptKind,
  { neighbours }: ToolFacts,
): GivenPrompt {
  if (typeof prompt !== 'string') throw unusableRecord('It has no "prompt".');
  if (kind === 'direct' || kind === 'indirect') return { category: kind, prompt };
  const expectedBehavior = { shouldCallTool: false };
  if (kind === 'general') return { category: 'negative', prompt, expectedBehavior };
  if (typeof tool !== 'string' || !neighbours.has(tool)) throw unusableRecord('Its "tool" is none of the neighbours.');
  return { category: 'negative', prompt, expectedBehavior: { ...expectedBehavior, tool } };
}
