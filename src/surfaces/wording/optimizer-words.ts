/** Words about jobs, figures and estimates of the optimizer, the same in the terminal and on the pages. */

import type { OutputOf } from '../../admin/admin.ts';
import { plural } from '../../base/plural.ts';
import { printable } from '../../base/text.ts';

export type Job = OutputOf<'optimize.jobs'>['jobs'][number];
type ToolOutcome = NonNullable<NonNullable<Job['outcome']>['tools']>[number];
type Candidate = OutputOf<'optimize.candidates'>['candidates'][number];
type Figures = Pick<NonNullable<Candidate['figures']>, 'counts' | 'baselineCounts'>;

export function percentDone({ totalTools, completedTools, currentProgress }: Job['progress']): number {
  return (100 * Math.min(totalTools, completedTools + currentProgress / 100)) / Math.max(1, totalTools);
}

export function sayTools([first, ...others]: Job['order']['tools']): string {
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return first ? `${first.server}:${first.tool}${more}` : '';
}

export function sayEnd({ outcome }: Job): string {
  if (outcome?.error !== undefined || !outcome?.tools) return outcome?.error ?? '';
  const promoted = outcome.tools.filter((tool) => tool.promoted).length;
  const passing = outcome.tools.filter((tool) => tool.passes && !tool.promoted).length;
  const rest = outcome.tools.length - promoted - passing;
  const parts = { promoted, 'to promote': passing, unchanged: rest };
  return Object.entries(parts)
    .flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]))
    .join(', ');
}

/** `weather:forecast and 2 more: 1 promoted, 2 unchanged`. */
export function sayJob(job: Job): string {
  return [sayTools(job.order.tools), sayEnd(job)].filter(Boolean).join(': ');
}

/** Everything that was decided, and why. */
export function renderJob({ id, state, by, progress, outcome = {} }: Job): string {
  const { tools = [], error, calls } = outcome;
  const { model } = progress;
  const work = state === 'done' ? plural(calls ?? 0, 'judgement') : `${Math.floor(percentDone(progress))} %`;
  const cost = model ? `, ${plural(model.calls, 'request')} and ${plural(model.tokens, 'token')} of a model` : '';
  const head = `Job ${id}: ${state}. ${error === undefined ? '' : `${error} `}By ${by}, ${work}${cost}.`;
  return [printable(head), ...tools.flatMap(linesOfTool)].join('\n');
}

type CandidateOutcome = NonNullable<ToolOutcome['candidates']>[number];

function linesOfTool({ tool, written, tried, candidates, ...rest }: ToolOutcome): string[] {
  const { skipped, void: nothing, kept, ...chosen } = rest;
  const none = skipped ?? nothing ?? kept;
  const decided = candidates ?? (chosen.candidateId === undefined ? [] : [chosen as CandidateOutcome]);
  const lines =
    none === undefined
      ? decided.flatMap((candidate) => linesOfCandidate(tool, candidate))
      : [printable(`${tool}: ${none}`)];
  if (written) lines.push(printable(`  ${[`candidates by "${written.author}"`, ...written.notes].join('; ')}`));
  if (tried) lines.push(`  choosing prompts: ${tried.map(sayTried).join(', ')}`);
  return lines;
}

function sayTried({ candidateId, right, all }: NonNullable<ToolOutcome['tried']>[number]): string {
  return `${candidateId === 'canonical' ? "the server's own" : candidateId} ${rounded(right)} of ${all}`;
}

function linesOfCandidate(tool: string, { candidateId, promoted, passes, refusals, ...figures }: CandidateOutcome) {
  const done = promoted ? 'is promoted' : passes ? 'passes' : 'does not pass';
  return [
    printable(`${tool}: ${candidateId} ${done}.`),
    `  deciding prompts: ${sayFigures(figures)}; p = ${figures.pValue.toFixed(3)}`,
    ...refusals.map((reason) => `  ${printable(reason)}`),
    ...(passes && !promoted ? [`  ${printable(`Promote it: toolcrib optimize promote ${tool} ${candidateId}`)}`] : []),
  ];
}

type Estimate = Exclude<OutputOf<'optimize.run'>, { jobId: string }>['estimate'];

/** The expected time and cost, in sentences. */
export function sayEstimate(estimate: Estimate): string {
  const { tools, prompts, wordings, calls, maxCalls, judge, reused, minutes } = estimate;
  if (prompts === 0)
    return 'There are no golden prompts to evaluate with. Save some: toolcrib optimize prompts SERVER:TOOL --file FILE';
  const { modelCalls, maxModelCalls, tokens, maxModelTokens } = estimate;
  const model = `about ${plural(modelCalls, 'model request')} with ${plural(tokens, 'token')} (limits: ${maxModelCalls} and ${maxModelTokens})`;
  const neighbours = judge === 'search' ? ', including prompts of neighbours' : '';
  const time = minutes < 1 ? 'less than a minute' : `about ${plural(Math.round(minutes), 'minute')}`;
  return [
    `${plural(prompts, 'prompt')} of ${plural(tools, 'tool')}, with ${plural(wordings, 'description')} (the server's own and candidates).`,
    `At most ${plural(calls, 'judgement')} of one prompt with one description${neighbours}; the limit is ${maxCalls}.`,
    ...(reused === 0 ? [] : [`${plural(reused, 'answer')} of earlier jobs can be reused.`]),
    `The judge "${judge}" takes ${time} and ${modelCalls === 0 ? 'asks no model' : model}.`,
  ].join('\n');
}

/** `direct 4 → 6 of 6 (5 strict), negative 6 → 5 of 6 (5 strict)`. */
export function sayFigures({ counts, baselineCounts }: Figures): string {
  const categories = (['direct', 'indirect', 'negative'] as const).flatMap((category) => {
    const [before, after] = [baselineCounts[category], counts[category]];
    if (!after) return [];
    const was = before ? `${rounded(before.right)}${before.all === after.all ? '' : ` of ${before.all}`}` : '?';
    const strict = after.strict === undefined ? '' : ` (${rounded(after.strict)} strict)`;
    return `${category} ${was} → ${rounded(after.right)} of ${after.all}${strict}`;
  });
  return categories.join(', ') || 'no prompt counts';
}

/** Repeats of a prompt that disagree make fractions. */
function rounded(count: number): number {
  return Number(count.toFixed(2));
}
