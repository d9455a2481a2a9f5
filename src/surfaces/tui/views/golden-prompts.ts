/** Golden prompts of a tool by class: right or wrong with one of its wordings, and why. */

import { percent } from '../../../base/amounts.ts';
import { type PromptWording, promptClasses, signOf, type ToolResults, triedWordings } from '../../wording/wording.ts';
import { type Cell, cells, gap, paragraph, stack } from '../parts/layout.ts';
import { useList } from '../parts/list.ts';
import { say, type TextTone } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { troubleInWords, useAnswer, useRemembered, useTui } from '../state.ts';

type Prompt = ToolResults['prompts'][number];
type Outcome = Prompt['outcomes'][number];

interface JudgedPrompt extends Prompt {
  readonly outcome: Outcome | undefined;
}

/** Lines of the success rate, and of the reason. */
const rateRows = 2;
const reasonRows = 5;

export function useGoldenPromptsView({ server, tool }: { readonly server: string; readonly tool: string }): Screen {
  const { rows, columns } = useTui();
  const { data, error } = useAnswer('optimize.results', { server, tool }, ['tools', 'optimizer']);
  const wordings = data ? judgedWordings(data) : [];
  const shownId = data?.candidates.find(({ promotion }) => promotion?.state === 'active')?.id ?? 'canonical';
  const [wanted, want] = useRemembered<string | undefined>(`wording ${server}:${tool}`, undefined);
  const wording = wordings.find(({ id }) => id === (wanted ?? shownId)) ?? wordings[0];
  const next = wordings[(wordings.findIndex(({ id }) => id === wording?.id) + 1) % wordings.length];
  const items = promptClasses.flatMap((name) =>
    judgedBy(data?.prompts.filter(({ category }) => category === name) ?? [], wording),
  );
  const list = useList({
    name: `prompts ${server}:${tool}`,
    items,
    idOf: ({ id }) => id,
    rows: rows - rateRows - reasonRows,
  });
  return {
    title: `Golden prompts of ${server}:${tool}`,
    commands: [
      ...(wordings.length > 1 ? [{ key: 'w', label: 'Next wording', run: () => want(() => next?.id) }] : []),
      ...list.commands,
    ],
    body:
      data === undefined
        ? stack(error === undefined ? say('Reading prompts…', 'faint') : paragraph(troubleInWords(error), 4, 'bad'))
        : items.length === 0
          ? stack(
              say('No golden prompts yet.', 'strong'),
              paragraph(`Save some: toolcrib optimize prompts ${server}:${tool} --file FILE`, 2),
            )
          : stack(
              say(sayRate(items), 'strong'),
              say(sayWording(wording), 'faint'),
              list.show((prompt, isSelected) => cells(promptCells(prompt, columns), isSelected)),
              gap('gap'),
              list.selected ? reasonOf(list.selected) : null,
            ),
  };
}

/** Those that were tried on some prompt. */
function judgedWordings(results: ToolResults): readonly PromptWording[] {
  return triedWordings(results).filter(({ id }) =>
    results.prompts.some(({ outcomes }) => outcomes.some(({ candidateId }) => candidateId === id)),
  );
}

function judgedBy(prompts: readonly Prompt[], wording: PromptWording | undefined): readonly JudgedPrompt[] {
  return prompts.map((prompt) => ({
    ...prompt,
    outcome: prompt.outcomes.find(({ candidateId }) => candidateId === wording?.id),
  }));
}

/** `Success Rate: 13/15 (87 %)`, and the same by class. Void answers and prompts that were not judged do not count. */
function sayRate(prompts: readonly JudgedPrompt[]): string {
  const rate = (some: readonly JudgedPrompt[]) => {
    const known = some.flatMap(({ outcome }) => outcome?.right ?? []);
    const right = known.reduce((sum, one) => sum + one, 0);
    return { right: Number(right.toFixed(2)), all: known.length };
  };
  const { right, all } = rate(prompts);
  if (all === 0) return 'Success Rate: not judged yet';
  const byClass = promptClasses.map((name) => {
    const part = rate(prompts.filter(({ category }) => category === name));
    return `${name} ${part.right}/${part.all}`;
  });
  return `Success Rate: ${right}/${all} (${percent(right / all)})  ${byClass.join('  ')}`;
}

function sayWording(wording: PromptWording | undefined): string {
  if (wording === undefined) return 'No wording was tried on them yet.';
  return `With: ${wording.id === 'canonical' ? 'the server’s own description' : `candidate ${wording.label}`}`;
}

const signTones: Readonly<Record<string, TextTone>> = { right: 'good', wrong: 'bad' };

/** From this width on there is room for the reason beside each prompt. */
const wideColumns = 120;

function promptCells({ category, prompt, outcome }: JudgedPrompt, columns: number): readonly Cell[] {
  const { sign, word } = outcome ? signOf(outcome.right) : { sign: '–', word: '' };
  return [
    { text: sign, width: 1, tone: signTones[word] ?? 'faint' },
    { text: category, width: 8, tone: 'faint' },
    { text: prompt, ...(columns >= wideColumns && { width: 70 }) },
    ...(columns >= wideColumns ? [{ text: outcome?.why ?? '', tone: 'faint' } as const] : []),
  ];
}

function reasonOf({ prompt, outcome, expectedBehavior: { shouldCallTool, tool }, toolName, server }: JudgedPrompt) {
  const meant = shouldCallTool ? `${server}:${toolName}` : (tool ?? `any but ${server}:${toolName}, or none`);
  const told = outcome
    ? `${signOf(outcome.right).word} by ${outcome.judge}: chose ${outcome.chosen ?? 'no tool'}. ${outcome.why}`
    : 'Not judged with this wording.';
  return stack(
    paragraph(prompt, 2, 'strong'),
    say(`Meant: ${meant}`, 'faint'),
    paragraph(`${told.slice(0, 1).toUpperCase()}${told.slice(1)}`, reasonRows - 3),
  );
}
