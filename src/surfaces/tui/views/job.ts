/** One job of the optimizer as it goes: how many tools are done, what is tried now, and what came of each tool. */

import type { ReactElement } from 'react';
import { isActiveJob, type Job, percentDone, sayClasses, sayEnd, sayGain, sayTools } from '../../wording/wording.ts';
import { bar, type Cell, cells, gap, paragraph, stack } from '../parts/layout.ts';
import { useList } from '../parts/list.ts';
import { say, type TextTone } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { troubleInWords, useAnswer, useLivePart, useOrders, useTui } from '../state.ts';
import { jobTones } from './jobs.ts';

/** Lines above the tools, at most. */
const headRows = 5;

export function useJobView({ id }: { readonly id: string }): Screen {
  const { rows, columns, ask, go } = useTui();
  const { give } = useOrders();
  const { data, error } = useAnswer('optimize.jobs', { id }, ['jobs']);
  const live = useLivePart(({ view }) => view?.jobs.get(id));
  const stored = data?.jobs[0];
  // The live one is newer; both are as the job wrote them.
  const job =
    stored && live
      ? { ...stored, state: live.state as Job['state'], progress: live.progress as unknown as Job['progress'] }
      : stored;
  const items = job ? toolSteps(job) : [];
  const list = useList({ name: `job ${id}`, items, idOf: ({ key }) => key, rows: rows - headRows });
  const cancel = () =>
    ask({
      text: 'Cancel this job? Finished runs are kept.',
      yes: () => give('optimize.cancel', { id }, 'The job is cancelled.'),
    });
  const details = () => list.selected && go({ view: 'description', ...list.selected.named });
  return {
    title: job ? `Job: ${sayTools(job.order.tools)}` : 'Job',
    commands: [
      ...(job && isActiveJob(job) ? [{ key: 'x', label: 'Cancel job', run: cancel }] : []),
      { key: 'd', label: 'Details of the tool', run: details },
      { key: 'enter', label: 'Details of the tool', run: details, isQuiet: true },
      ...list.commands,
    ],
    body:
      job === undefined
        ? stack(error === undefined ? say('Reading the job…', 'faint') : paragraph(troubleInWords(error), 4, 'bad'))
        : stack(
            jobHead(job, columns),
            list.show(({ named, mark, text, tone }, isSelected) =>
              cells(stepCells(named, mark, text, tone), isSelected),
            ),
          ),
  };
}

/** How far it is, and what is tried now or what came of it. */
function jobHead(job: Job, columns: number): ReactElement {
  const { progress, state, by } = job;
  const { completedTools, totalTools, currentTool, candidate, candidates, phase } = progress;
  const share = percentDone(progress) / 100;
  const tried = candidate === 0 ? 'the server’s own description' : `candidate ${candidate} of ${candidates}`;
  const isActive = isActiveJob(job);
  const now = phase === 'generating' ? `Writing candidates for ${currentTool}` : `Now: ${currentTool}, ${tried}`;
  return stack(
    cells([
      { text: bar(share, Math.min(40, columns - 40)), width: Math.min(40, columns - 40), tone: 'good' },
      { text: `${completedTools}/${totalTools} tools, ${Math.floor(100 * share)} %` },
    ]),
    cells([
      { text: state, width: 9, tone: jobTones[state] ?? 'notice' },
      { text: `judge ${job.order.judge}, by ${by}`, tone: 'faint' },
    ]),
    isActive ? say(now) : paragraph(sayEnd(job), 2, jobTones[state]),
    isActive ? say(`Right so far: ${sayClasses(progress.byCategory) || '–'}`) : null,
    gap('gap'),
  );
}

interface ToolStep {
  readonly key: string;
  readonly named: { readonly server: string; readonly tool: string };
  readonly mark: string;
  readonly text: string;
  readonly tone: TextTone | undefined;
}

/** Every tool of the order: those that are done with their outcome, the one at work, and those that wait. */
function toolSteps({ order, outcome, progress, state }: Job): readonly ToolStep[] {
  return order.tools.map((named, at) => {
    const key = `${named.server}:${named.tool}`;
    const done = outcome?.tools?.find(({ tool }) => tool === key);
    if (done) return { key, named, ...doneStep(done) };
    const isNow = at === progress.completedTools && state === 'running';
    if (!isNow)
      return {
        key,
        named,
        mark: state === 'queued' || state === 'running' ? 'Queued' : 'Not done',
        text: '',
        tone: 'faint',
      };
    const { judged, all } = progress.prompts ?? { judged: 0, all: 0 };
    const mark = { generating: 'Generating', evaluating: 'Evaluating', promoting: 'Promoting', complete: 'Complete' }[
      progress.phase
    ];
    return { key, named, mark, text: all === 0 ? '' : `${judged}/${all} prompts`, tone: 'notice' };
  });
}

type ToolOutcome = NonNullable<NonNullable<Job['outcome']>['tools']>[number];

function doneStep({
  skipped,
  void: nothing,
  kept,
  candidates,
  ...chosen
}: ToolOutcome): Omit<ToolStep, 'key' | 'named'> {
  if (skipped !== undefined) return { mark: 'Skipped', text: skipped, tone: 'faint' };
  if (nothing !== undefined) return { mark: 'Void', text: nothing, tone: 'bad' };
  if (kept !== undefined) return { mark: 'Complete', text: kept, tone: undefined };
  const all = candidates ?? [chosen];
  const gainOf = ({ metrics, baseline }: Pick<ToolOutcome, 'metrics' | 'baseline'>) =>
    metrics && baseline ? metrics.overall - baseline.overall : 0;
  const best = all.reduce((first, second) => (gainOf(second) > gainOf(first) ? second : first), all[0] ?? chosen);
  const end = best.promoted
    ? 'promoted'
    : best.passes
      ? 'passes, not promoted'
      : (best.refusals?.[0] ?? 'does not pass');
  return { mark: 'Complete', text: `Best: ${sayGain(gainOf(best))}, ${end}`, tone: best.promoted ? 'good' : undefined };
}

function stepCells(
  { server, tool }: ToolStep['named'],
  mark: string,
  text: string,
  tone: TextTone | undefined,
): readonly Cell[] {
  return [
    { text: `[${mark}]`, width: 12, tone },
    { text: `${server}:${tool}`, width: 30 },
    { text, tone },
  ];
}
