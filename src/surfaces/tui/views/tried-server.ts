/** A server on trial: its offer, the findings of the check, and a permission for each tool, to keep it or discard it. */

import { type ReactNode, useEffect, useState } from 'react';
import type { ShownTrial, TriedTool } from '../../../admin/admin.ts';
import { firstSentence } from '../../../base/text.ts';
import { stayWithTrial } from '../../live/live.ts';
import {
  chosenPermissions,
  claimsInWords,
  findingsInWords,
  offersInWords,
  trialAdvice,
  verdictWords,
} from '../../wording/wording.ts';
import { cells, gap, paragraph, stack } from '../parts/layout.ts';
import { useList } from '../parts/list.ts';
import { say } from '../parts/text.ts';
import type { KeyCommand, Screen } from '../screen.ts';
import { useOrders, useTerminalTime, useTui } from '../state.ts';

interface TriedServerOptions {
  readonly onBack: () => void;
  readonly onKept: (name: string) => void;
}

type Permission = TriedTool['permission'];
type Chosen = ReadonlyMap<string, Permission>;

/** Lines above the list, and below it for the selected tool. */
const headLines = 7;
const footLines = 6;
const noTools: readonly TriedTool[] = [];
const nextPermission: Readonly<Record<Permission, Permission>> = { allow: 'ask', ask: 'deny', deny: 'allow' };

/** Undefined without a trial. Leaving the view ends the trial. */
export function useTriedServer(trial: ShownTrial | undefined, options: TriedServerOptions): Screen | undefined {
  const { rows, columns } = useTui();
  const tools = trial?.tools ?? noTools;
  const [chosen, choose] = useChosen(trial);
  const isOver = useTrialEnd(trial);
  const now = useTerminalTime(10_000);
  const list = useList({
    name: `tried ${trial?.trial}`,
    items: tools,
    idOf: ({ name }) => name,
    rows: Math.max(1, rows - headLines - footLines),
  });
  const commands = useTrialCommands({ trial, isOver, chosen, choose, selected: list.selected, ...options });
  if (trial === undefined) return undefined;
  const permissionOf = ({ name, permission }: TriedTool) => chosen.get(name) ?? permission;
  return {
    title: `Keep ${trial.name}?`,
    commands: [...commands, ...list.commands],
    body: stack(
      trialHead(trial),
      isOver
        ? paragraph('The trial has ended, and nothing was kept. Press Esc to go back to the form.', 2, 'bad')
        : paragraph(`Agents see nothing of it yet. ${endInWords(trial, now)}`, 2, 'faint'),
      gap('gap'),
      list.show((tool, isSelected) =>
        cells(
          [
            { text: permissionOf(tool), width: 5, tone: permissionOf(tool) === 'deny' ? 'bad' : undefined },
            { text: tool.name, width: columns < 110 ? 24 : 36 },
            { text: tool.verdict === null ? '' : verdictWords[tool.verdict], width: 8, tone: 'notice' },
            { text: firstSentence(tool.description), tone: 'faint' },
          ],
          isSelected,
        ),
      ),
      gap('foot'),
      trialFoot(list.selected),
    ),
  };
}

const nothingChosen: Chosen = new Map();

/** Choices for one trial: the next one may be of another server with tools of the same names. */
function useChosen(trial: ShownTrial | undefined): readonly [Chosen, TrialChoice['choose']] {
  const id = trial?.trial ?? '';
  const [last, change] = useState({ id, chosen: nothingChosen });
  const chosenIn = (one: typeof last) => (one.id === id ? one.chosen : nothingChosen);
  return [chosenIn(last), (next) => change((one) => ({ id, chosen: next(chosenIn(one)) }))];
}

/** True once the trial has ended. */
function useTrialEnd(trial: ShownTrial | undefined): boolean {
  const { run } = useTui();
  const [ended, setEnded] = useState<string>();
  useEffect(() => {
    if (trial === undefined) return;
    const ask = (input: { name: string; trial: string }, signal: AbortSignal) => run('servers.stay', input, signal);
    return stayWithTrial(trial, { ask, onEnd: () => setEnded(trial.trial) });
  }, [run, trial]);
  return trial !== undefined && ended === trial.trial;
}

interface TrialChoice extends TriedServerOptions {
  readonly trial: ShownTrial | undefined;
  readonly isOver: boolean;
  readonly chosen: Chosen;
  readonly choose: (next: (last: Chosen) => Chosen) => void;
  readonly selected: TriedTool | undefined;
}

function useTrialCommands(choice: TrialChoice): readonly KeyCommand[] {
  const { trial, isOver, chosen, choose, selected, onBack, onKept } = choice;
  const { give, isRunning } = useOrders();
  const back: KeyCommand = { key: 'esc', label: 'Back', run: onBack };
  if (trial === undefined || isOver) return [back];
  const { name, tools } = trial;
  const keep = async () => {
    if (isRunning) return;
    const permissions = chosenPermissions(tools, chosen);
    if (await give('servers.keep', { name, trial: trial.trial, permissions }, `${name} is kept.`)) onKept(name);
  };
  // Several keys may come at once: each continues from the result of the last one.
  const permissionIn = (last: Chosen, tool: TriedTool) => last.get(tool.name) ?? tool.permission;
  const turn = (tool: TriedTool) =>
    choose((last) => new Map(last).set(tool.name, nextPermission[permissionIn(last, tool)]));
  const spread = (tool: TriedTool) =>
    choose((last) => new Map(tools.map((other) => [other.name, permissionIn(last, tool)])));
  return [
    ...(selected ? [{ key: ' ', label: 'Permission', run: () => turn(selected) }] : []),
    ...(selected && tools.length > 1 ? [{ key: 'a', label: 'For all', run: () => spread(selected) }] : []),
    { key: 'enter', label: trial.error === null ? 'Keep' : 'Keep anyway', run: () => void keep() },
    back,
  ];
}

function trialHead(trial: ShownTrial): ReactNode {
  const { error, stderr } = trial;
  if (error !== null)
    return stack(
      paragraph(`✗ ${error}`, 3, 'bad'),
      paragraph(trialAdvice(trial) ?? '', 2),
      paragraph(stderr.trimEnd(), headLines, 'faint'),
    );
  // The list shows the verdicts of tools.
  const [first, ...more] = findingsInWords({ tools: [], others: trial.others });
  return stack(
    say(`It works, and offers ${offersInWords(trial)}.`, 'strong'),
    first === undefined
      ? null
      : paragraph(more.length === 0 ? first : `${first} And ${more.length} more.`, 2, 'notice'),
  );
}

function trialFoot(tool: TriedTool | undefined): ReactNode {
  if (tool === undefined) return null;
  const [finding] = findingsInWords({ tools: [tool], others: [] });
  return stack(
    say(claimsInWords(tool.annotations)),
    paragraph(tool.description, 2, 'faint'),
    finding === undefined ? null : paragraph(finding, 2, 'notice'),
  );
}

function endInWords({ endsAt }: ShownTrial, now: number): string {
  const minutes = Math.max(1, Math.ceil((Date.parse(endsAt) - now) / 60_000));
  return `The trial ends with this view, or in ${minutes} min.`;
}
