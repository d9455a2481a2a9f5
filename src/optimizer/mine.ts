/** Golden prompts mined from real traffic: a query that was followed by a successful call is a labelled prompt. */

import { mask } from '../base/redact.ts';
import type { QueryMetrics } from '../metrics/metrics.ts';
import type { PromptCategory } from '../store/store.ts';
import type { GivenPrompt } from './given-records.ts';
import { maskPersonal } from './mask-personal.ts';
import { plainWords } from './plain-words.ts';

/** A tool by the names under which its calls are counted and its prompts are saved. */
interface MinedTool {
  readonly toolKey: string;
  readonly toolName: string;
  /** As the server gave it. */
  readonly definition: Readonly<Record<string, unknown>>;
}

/** Remembered queries that are read, the most frequent first. */
export const mostQueriesMined = 10_000;
/** A query must say this much besides what is masked. */
const leastChars = 10;
const leastWords = 2;

/**
 * The best prompts of each category, as many as wanted or as there are: direct ones share a word with the name of the tool,
 * indirect ones do not, and negative ones led to another tool, the likest first.
 */
export function minePrompts(
  { toolKey, toolName, definition }: MinedTool,
  queries: readonly QueryMetrics[],
  wanted: Readonly<Record<PromptCategory, number>>,
): GivenPrompt[] {
  const labelled = labelledQueries(queries);
  const own = labelled.filter(({ tool }) => tool === toolKey).toSorted((a, b) => b.ok - a.ok);
  const name = new Set(plainWords(toolName));
  const isDirect = ({ words }: Labelled) => words.some((word) => name.has(word));
  const about = new Set([...name, ...plainWords(String(definition.description ?? ''))]);
  const likeness = ({ words }: Labelled) => words.filter((word) => about.has(word)).length / words.length;
  const others = labelled
    .filter(({ tool, tried }) => tool !== toolKey && !tried.has(toolKey))
    .toSorted((a, b) => likeness(b) - likeness(a));
  const positive = { shouldCallTool: true };
  const take = (category: PromptCategory, from: readonly Labelled[]): GivenPrompt[] =>
    from.slice(0, wanted[category]).map(({ query, tool }) => ({
      category,
      prompt: query,
      expectedBehavior: category === 'negative' ? { shouldCallTool: false, tool } : positive,
    }));
  return [
    ...take('direct', own.filter(isDirect)),
    ...take(
      'indirect',
      own.filter((query) => !isDirect(query)),
    ),
    ...take('negative', others),
  ];
}

interface Labelled {
  /** Masked. */
  readonly query: string;
  readonly words: readonly string[];
  /** The tool that it led to most often with success. */
  readonly tool: string;
  readonly ok: number;
  /** Every tool that was called for it with success. */
  readonly tried: ReadonlySet<string>;
}

/** Queries whose calls mostly failed, or that say too little, are left out. */
function labelledQueries(queries: readonly QueryMetrics[]): Labelled[] {
  const byText = Map.groupBy(queries, ({ query }) => maskPersonal(query));
  return [...byText].flatMap(([query, calls]): Labelled[] => {
    const left = query.replaceAll(mask, ' ').replace(/\s+/g, ' ').trim();
    const words = plainWords(left);
    if ([...left].length < leastChars || words.length < leastWords) return [];
    const best = calls.toSorted((a, b) => b.ok - a.ok)[0];
    if (!best || best.ok * 2 <= best.count) return [];
    const tried = new Set(calls.filter(({ ok }) => ok > 0).map(({ toolKey }) => toolKey));
    return [{ query, words, tool: best.toolKey, ok: best.ok, tried }];
  });
}
