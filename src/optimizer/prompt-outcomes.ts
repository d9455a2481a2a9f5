/** How each prompt was answered with each wording, and which tools were taken for which. */

import type { StoredEvalRun, StoredPrompt } from '../store/store.ts';
import { comparableRuns } from './decide-promotion.ts';

/** The answer to one prompt with one wording, by the set of runs that tried the wording last. */
export interface PromptOutcome {
  readonly candidateId: string;
  readonly judge: StoredEvalRun['judge'];
  /** The share of its runs that were right; null: all are void. */
  readonly right: number | null;
  readonly runs: number;
  /** `server:tool` that the last run chose; null: none. */
  readonly chosen: string | null;
  /** The judge's words on the last run, or its error. */
  readonly why: string;
}

export type MeasuredPrompt = StoredPrompt & { readonly outcomes: readonly PromptOutcome[] };

/** Prompts and runs of one tool; `candidateIds` in the order of the outcomes. Wordings that were not tried on a prompt are left out. */
export function outcomesOf(
  prompts: readonly StoredPrompt[],
  runs: readonly StoredEvalRun[],
  candidateIds: readonly string[],
): MeasuredPrompt[] {
  const tried = candidateIds.map((candidateId) => {
    const { runs: compared, judge } = comparableRuns({ prompts, runs, candidateId });
    const own = compared.filter((run) => run.candidateId === candidateId);
    return { candidateId, judge, byPrompt: Map.groupBy(own, ({ promptId }) => promptId) };
  });
  return prompts.map((prompt) => ({
    ...prompt,
    outcomes: tried.flatMap(({ candidateId, judge, byPrompt }) => {
      const own = byPrompt.get(prompt.id) ?? [];
      const last = own.at(-1);
      if (last === undefined) return [];
      const known = own.flatMap(({ result: { correct } }) => correct ?? []);
      return {
        ...{ candidateId, judge, runs: own.length },
        right: known.length === 0 ? null : known.filter(Boolean).length / known.length,
        chosen: chosenIn(last),
        why: last.result.error ?? last.result.reasoning ?? '',
      };
    }),
  }));
}

/** Rows: the tool that was meant. Columns: the tool that was chosen. */
export interface ConfusionMatrix {
  /** `server:tool`; null: no tool. */
  readonly chosen: readonly (string | null)[];
  /** null: any but the tool that the prompt is for, or none. Counts are of prompts, in the order of the columns. */
  readonly rows: readonly { readonly meant: string | null; readonly counts: readonly number[] }[];
}

/** `candidateOf`: the wording of each tool that is looked at. Void outcomes do not count. */
export function confusionsIn(
  prompts: readonly MeasuredPrompt[],
  candidateOf: (toolName: string) => string,
): ConfusionMatrix {
  const pairs = prompts.flatMap(({ server, toolName, expectedBehavior: { shouldCallTool, tool = null }, outcomes }) => {
    const outcome = outcomes.find(({ candidateId }) => candidateId === candidateOf(toolName));
    if (outcome === undefined || outcome.right === null) return [];
    return [{ meant: shouldCallTool ? `${server}:${toolName}` : tool, chosen: outcome.chosen }];
  });
  const meant = inOrder(pairs.map((pair) => pair.meant));
  // A tool that was meant stands in its row and in its column, so that what is right lies on the diagonal.
  const chosen = inOrder([...meant.filter((tool) => tool !== null), ...pairs.map((pair) => pair.chosen)]);
  return {
    chosen,
    rows: meant.map((row) => ({
      meant: row,
      counts: chosen.map((column) => pairs.filter((pair) => pair.meant === row && pair.chosen === column).length),
    })),
  };
}

/** Each once, by name; null, for none, is the last. */
function inOrder(tools: readonly (string | null)[]): (string | null)[] {
  const named = [...new Set(tools.filter((tool) => tool !== null))].sort();
  return tools.includes(null) ? [...named, null] : named;
}

/** An agent that records its own runs may leave the server out. */
function chosenIn({ server, toolName, result: { tool, toolCalled } }: StoredEvalRun): string | null {
  if (tool === undefined) return toolCalled ? `${server}:${toolName}` : null;
  return tool.includes(':') ? tool : `${server}:${tool}`;
}
