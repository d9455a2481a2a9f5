/** Starting a job for a server: which tools, how much is tried, and what it takes, before it begins. */

import { useEffect, useState } from 'react';
import type { InputOf, OutputOf } from '../../../admin/admin.ts';
import { plural } from '../../../base/plural.ts';
import { type ReportedTool, sayEstimate } from '../../wording/wording.ts';
import { useOptimizerReport } from '../optimizer-report.ts';
import { type Cell, cells, paragraph, stack } from '../parts/layout.ts';
import { type List, useList } from '../parts/list.ts';
import { say } from '../parts/text.ts';
import type { KeyCommand, Screen } from '../screen.ts';
import { troubleInWords, useAnswer, useOrders, useRemembered, useTui } from '../state.ts';

interface StartAddress {
  readonly server: string;
  /** Chosen alone at first. */
  readonly tool?: string;
}

type JobInput = InputOf<'optimize.run'>;
type Planned = Exclude<OutputOf<'optimize.run'>, { jobId: string }>;
type JobSettings = Pick<JobInput, 'candidatesPerTool' | 'promptsPerCategory' | 'threshold' | 'autoPromote'>;

interface StartChoice extends JobSettings {
  /** Names of tools; undefined: those that have prompts. */
  readonly tools?: readonly string[] | undefined;
}

type StartRow =
  | { readonly kind: 'setting'; readonly setting: JobSetting }
  | { readonly kind: 'all'; readonly chosen: number; readonly all: number }
  | { readonly kind: 'tool'; readonly tool: ReportedTool; readonly isChosen: boolean }
  | { readonly kind: 'hidden'; readonly name: string };

/** The process, as narrow terminals have room for it. */
const steps = '1 Write candidates → 2 Try half the prompts → 3 Decide by the rest → 4 Promote';

/** Lines of the steps, and of the estimate at most. */
const aroundRows = 6;
const estimateRows = 5;

export function useStartJobView({ server, tool }: StartAddress): Screen {
  const { rows, go } = useTui();
  const { report, notice } = useOptimizerReport(server);
  const hidden = useAnswer('servers.show', { name: server }, ['config', 'tools']).data?.hiddenTools ?? [];
  const [choice, choose] = useRemembered<StartChoice>(
    `start ${server} ${tool ?? ''}`,
    tool === undefined ? {} : { tools: [tool] },
  );
  const tools = readyFirst(report?.servers[0]?.tools ?? []);
  const chosen = choice.tools ?? tools.filter(({ promptCount }) => promptCount > 0).map(({ name }) => name);
  const order: JobInput = { ...choice, server, tools: [...chosen] };
  const planned = useAnswer('optimize.run', usePaused(chosen.length === 0 ? null : { ...order, dryRun: true }), [
    'tools',
    'config',
  ]);
  const plan = planned.data && !('jobId' in planned.data) ? planned.data : undefined;
  const items = startRows(tools, chosen, hidden);
  const list = useList({ name: `start ${server}`, items, idOf: startRowId, rows: rows - aroundRows });
  const { give, isRunning } = useOrders();
  const start = async () => {
    const begun = isRunning ? undefined : await give('optimize.run', order);
    if (begun && 'jobId' in begun) go({ view: 'job', id: begun.jobId });
  };
  const commands = useStartCommands({ server, list, tools, chosen, choice, plan, choose });
  return {
    title: `Optimize ${server}`,
    commands:
      report === undefined
        ? []
        : [{ key: 'enter', label: 'Start', run: () => void start() }, ...commands, ...list.commands],
    body:
      report === undefined
        ? notice
        : stack(
            say(steps, 'faint'),
            list.show((row, isSelected) => cells(startCells(row, choice, plan), isSelected)),
            estimateOf(chosen.length, plan, planned.error),
          ),
  };
}

/** A job measures only tools that have prompts. */
function readyFirst(tools: readonly ReportedTool[]): readonly ReportedTool[] {
  return tools.toSorted((a, b) => Number(b.promptCount > 0) - Number(a.promptCount > 0));
}

function estimateOf(count: number, plan: Planned | undefined, error: unknown) {
  if (count === 0) return say('Choose at least one tool. Tools without golden prompts are skipped.', 'notice');
  if (error !== undefined) return paragraph(troubleInWords(error), estimateRows, 'bad');
  return plan ? paragraph(sayEstimate(plan.estimate), estimateRows, 'faint') : say('Estimating…', 'faint');
}

/** How long somebody has to pause before the estimate is asked for: each question is a record in the audit. */
const pauseMs = 400;

function usePaused<T>(value: T): T {
  const key = JSON.stringify(value);
  const [settled, setSettled] = useState(key);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(key), pauseMs);
    return () => clearTimeout(timer);
  }, [key]);
  return JSON.parse(settled) as T; // made of one above
}

interface JobSetting {
  readonly name: keyof JobSettings;
  readonly label: string;
  /** As it is, or as it is configured. */
  readonly show: (choice: StartChoice, plan: Planned | undefined) => string;
  /** The choice after a step up (1) or down (-1). */
  readonly step: (choice: StartChoice, plan: Planned | undefined, by: 1 | -1) => StartChoice;
}

const jobSettings: readonly JobSetting[] = [
  amount(
    'candidatesPerTool',
    'Candidates per tool',
    { least: 1, most: 10, by: 1, usual: 4 },
    (count) => `${count}, where a tool has none`,
  ),
  amount(
    'promptsPerCategory',
    'Prompts per class',
    { least: 1, most: 1_000, by: 1, usual: 30 },
    (count) => `at most ${count}`,
  ),
  amount(
    'threshold',
    'Threshold',
    { least: 0, most: 1, by: 0.05, usual: 0.85 },
    (share) => `${Math.round(100 * share)} % overall success`,
  ),
  {
    name: 'autoPromote',
    label: 'Promote',
    show: ({ autoPromote }) => (autoPromote ? 'yes, if the best candidate passes the gates' : 'no, only measure'),
    step: (choice) => ({ ...choice, autoPromote: !choice.autoPromote }),
  },
];

interface AmountRange {
  readonly least: number;
  readonly most: number;
  readonly by: number;
  /** Where the first step begins if nothing is configured. */
  readonly usual: number;
}

function amount(
  name: 'candidatesPerTool' | 'promptsPerCategory' | 'threshold',
  label: string,
  { least, most, by: size, usual }: AmountRange,
  words: (value: number) => string,
): JobSetting {
  return {
    ...{ name, label },
    show: (choice, plan) => {
      const value = choice[name] ?? plan?.settings[name];
      if (value === undefined) return plan === undefined ? '' : 'all';
      return `${words(value)}${choice[name] === undefined ? ' (as configured)' : ''}`;
    },
    step: (choice, plan, by) => {
      const next = (choice[name] ?? plan?.settings[name] ?? usual) + by * size;
      return { ...choice, [name]: Math.max(least, Math.min(Number(next.toFixed(2)), most)) };
    },
  };
}

interface StartParts {
  readonly server: string;
  readonly list: List<StartRow>;
  readonly tools: readonly ReportedTool[];
  readonly chosen: readonly string[];
  readonly choice: StartChoice;
  readonly plan: Planned | undefined;
  readonly choose: (next: (last: StartChoice) => StartChoice) => void;
}

/** Prompts of each class that are written where nobody says how many. */
const usualPrompts = 5;

function useStartCommands({ server, list, tools, chosen, choice, plan, choose }: StartParts): readonly KeyCommand[] {
  const { give } = useOrders();
  const row = list.selected;
  const all = tools.map(({ name }) => name);
  const chooseAll = () => choose((last) => ({ ...last, tools: chosen.length === all.length ? [] : all }));
  const toggle = (name: string) =>
    choose((last) => ({
      ...last,
      tools: chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name],
    }));
  const change = ({ step }: JobSetting, by: 1 | -1) => choose((last) => step(last, plan, by));
  const write = async (tool: string) => {
    const count = choice.promptsPerCategory ?? usualPrompts;
    await give('optimize.prompts', { server, tool, generate: count }, `Prompts of ${tool} are added.`);
  };
  const selectAll = { key: 'a', label: 'Select all', run: chooseAll };
  if (row?.kind === 'setting')
    return [
      { key: 'left', label: 'Less', run: () => change(row.setting, -1) },
      { key: 'right', label: 'More', run: () => change(row.setting, 1) },
      selectAll,
    ];
  if (row?.kind !== 'tool') return [{ key: ' ', label: 'Select all', run: chooseAll, isQuiet: true }, selectAll];
  const { name } = row.tool;
  return [
    { key: ' ', label: row.isChosen ? 'Skip' : 'Select', run: () => toggle(name) },
    selectAll,
    { key: 'w', label: 'Write prompts', run: () => void write(name) },
  ];
}

function startRows(
  tools: readonly ReportedTool[],
  chosen: readonly string[],
  hidden: readonly string[],
): readonly StartRow[] {
  return [
    ...jobSettings.map((setting) => ({ kind: 'setting', setting }) as const),
    { kind: 'all', chosen: chosen.length, all: tools.length },
    ...tools.map((tool) => ({ kind: 'tool', tool, isChosen: chosen.includes(tool.name) }) as const),
    ...hidden.map((name) => ({ kind: 'hidden', name }) as const),
  ];
}

function startRowId(row: StartRow): string {
  if (row.kind === 'setting') return row.setting.name;
  if (row.kind === 'tool') return `tool ${row.tool.name}`;
  return row.kind === 'hidden' ? `hidden ${row.name}` : row.kind;
}

function startCells(row: StartRow, choice: StartChoice, plan: Planned | undefined): readonly Cell[] {
  if (row.kind === 'setting') return [{ text: row.setting.label, width: 20 }, { text: row.setting.show(choice, plan) }];
  if (row.kind === 'all') return [{ text: `Selected: ${row.chosen}/${row.all} tools`, tone: 'strong' }];
  if (row.kind === 'hidden')
    return [
      { text: `[-] ${row.name}`, width: 36, tone: 'faint' },
      { text: 'not exposed to agents', tone: 'faint' },
    ];
  const { name, promptCount, candidateCount } = row.tool;
  const facts =
    promptCount === 0
      ? 'no golden prompts'
      : `${plural(promptCount, 'prompt')}, ${plural(candidateCount, 'candidate')}`;
  return [
    { text: `${row.isChosen ? '[x]' : '[ ]'} ${name}`, width: 36 },
    { text: `${row.isChosen ? '' : 'skipped, '}${facts}`, tone: row.isChosen && promptCount > 0 ? undefined : 'faint' },
  ];
}
