/** The effect of a candidate on other tools: prompts of its neighbours are judged again with the candidate in place. */

import { firstSentence, givenText } from '../base/text.ts';
import { canonicalOf, type Snapshot } from '../catalog/catalog.ts';
import type { StoredEvalRun, StoredPrompt } from '../store/store.ts';
import type { StolenPrompts } from './gates.ts';
import { type ChooseOptions, chooseTool, type DescriptionJudge, type Wording } from './judge.ts';

/** A need that another tool is right for. */
interface NeighbourPrompt {
  /** `server:tool`. */
  readonly tool: string;
  readonly prompt: string;
}

/** The nearest tools are tried with many prompts, all others with one each: a text that draws everything shows there. */
const near = { tools: 20, promptsEach: 12 };
const far = { tools: 100, promptsEach: 1 };

export interface EffectInput {
  readonly judge: DescriptionJudge;
  readonly canonical: Wording;
  readonly candidate: Wording;
  readonly snapshot: Snapshot;
  /** Of all tools of all servers. */
  readonly prompts: readonly StoredPrompt[];
  /** Of this tool: they say which tools it is confused with. */
  readonly runs: readonly StoredEvalRun[];
  /** Called with the share of the work that is done. */
  readonly moved?: ((share: number) => Promise<void>) | undefined;
}

/** Neighbours that would be found by fewer of their prompts. Throws where the judge cannot answer. */
export async function measureEffect(input: EffectInput, options: ChooseOptions): Promise<StolenPrompts[]> {
  const { judge, canonical, candidate, moved } = input;
  const prompts = await promptsAround(input, options);
  const chosenFor = async (wording: Wording, from: number) => {
    const chosen: (string | null)[] = [];
    for (const { prompt } of prompts) {
      chosen.push((await chooseTool(judge, wording, prompt, options)).tool);
      await moved?.(from + chosen.length / prompts.length / 2);
    }
    return chosen;
  };
  const before = await chosenFor(canonical, 0);
  const after = await chosenFor(candidate, 0.5);
  const byTool = Map.groupBy(prompts.keys(), (at) => prompts[at]?.tool ?? '');
  return [...byTool].flatMap(([tool, all]) => {
    const found = (chosen: readonly (string | null)[]) => all.filter((at) => chosen[at] === tool).length;
    const lost = found(before) - found(after);
    return lost > 0 ? [{ tool, lost, all: all.length }] : [];
  });
}

/** How many judgements it takes at most. */
export const mostEffectCalls = 2 * (near.tools * near.promptsEach + far.tools * far.promptsEach);

/** Neighbours are found by both texts, and are the tools that were chosen or expected in place of this one. */
async function promptsAround(input: EffectInput, options: ChooseOptions): Promise<NeighbourPrompt[]> {
  const { judge, canonical, candidate, snapshot, runs } = input;
  const own = addressOf(canonical);
  const around = new Set<string>();
  for (const { expectedBehavior } of input.prompts.filter((prompt) => addressOf(prompt) === own))
    if (expectedBehavior.tool !== undefined) around.add(expectedBehavior.tool);
  for (const { result } of runs) if (result.tool !== undefined) around.add(result.tool);
  for (const wording of [canonical, candidate])
    for (const tool of (await chooseTool(judge, wording, wording.description, options)).offered) around.add(tool);
  around.delete(own);
  const known = Map.groupBy(
    input.prompts.filter(({ expectedBehavior }) => expectedBehavior.shouldCallTool),
    addressOf,
  );
  const all = new Map(
    [...snapshot.tools.values()].map((entry) => [addressOf({ ...entry, toolName: entry.serverName }), entry] as const),
  );
  all.delete(own);
  const ownWords = (tool: string) => {
    const entry = all.get(tool);
    return entry ? firstSentence(givenText(canonicalOf(entry).description)) : '';
  };
  const some = (tools: readonly string[], { tools: most, promptsEach }: typeof near) =>
    tools.slice(0, most).flatMap((tool) => {
      const texts = known.get(tool)?.map(({ prompt }) => prompt) ?? [ownWords(tool)];
      return texts.slice(0, promptsEach).flatMap((prompt) => (prompt.trim() === '' ? [] : [{ tool, prompt }]));
    });
  const nearTools = [...around].filter((tool) => all.has(tool));
  const farTools = [...all.keys()].filter((tool) => !around.has(tool)).sort();
  // Those with prompts of their own say more.
  const ordered = farTools.toSorted((a, b) => Number(known.has(b)) - Number(known.has(a)));
  return [...some(nearTools, near), ...some(ordered, far)];
}

function addressOf({ server, toolName }: Pick<Wording, 'server' | 'toolName'>): string {
  return `${server}:${toolName}`;
}
