/** Renders candidates, jobs, estimates and reports of the optimizer. Figures are counts of prompts, before → after. */

import type { OutputOf } from '../../admin/admin.ts';
import { plural } from '../../base/plural.ts';
import { cutAtWord, printable } from '../../base/text.ts';
import type { CommandContext } from './context.ts';
import { minuteOf, percent } from './show-amounts.ts';
import { table } from './table.ts';
import { visibleLine } from './visible.ts';

type Candidate = OutputOf<'optimize.candidates'>['candidates'][number];
type Promotion = NonNullable<Candidate['promotion']>;
type Figures = Pick<NonNullable<Candidate['figures']>, 'counts' | 'baselineCounts'>;

/** The text of each in full, with its figures and whether agents read it. */
export function renderCandidates(rows: readonly Candidate[], { style }: CommandContext): string {
  const byTool = Map.groupBy(rows, ({ server, toolName }) => `${server}:${toolName}`);
  return [...byTool].flatMap(([tool, some]) => [style.strong(visibleLine(tool)), ...some.flatMap(linesOf)]).join('\n');
}

function linesOf({ id, author, charCount, description, figures, promotion }: Candidate): string[] {
  const state = promotion ? `; ${sayPromotion(promotion)}` : '';
  const half = figures?.half === 'choosing' ? 'choosing prompts, where it lost' : `${figures?.half} prompts`;
  return [
    `  ${printable(`${id} by ${author}, ${plural(charCount, 'character')}${state}`)}`,
    `    ${printable(description)}`,
    figures ? `    ${half}: ${sayFigures(figures)}` : '    not measured',
  ];
}

/** `in place since 2026-01-31 09:30 UTC, forced by owner: We know better.` */
export function sayPromotion({ state, promotedAt, judge, by, evidence, why }: Promotion): string {
  const place = { active: 'in place', suspended: 'suspended: its tool has changed', absent: 'its tool is missing' };
  const proof =
    evidence === 'forced' ? `forced by ${by}: ${why}` : `by ${by}, ${evidence} evidence of the judge "${judge}"`;
  return `${place[state]}, since ${minuteOf(promotedAt)}, ${proof}`;
}

/** `direct 4 → 6 of 6 (5 strict), negative 6 → 5 of 6 (5 strict)`. */
function sayFigures({ counts, baselineCounts }: Figures): string {
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

export type Job = OutputOf<'optimize.jobs'>['jobs'][number];
type ToolOutcome = NonNullable<NonNullable<Job['outcome']>['tools']>[number];

export function renderJobs(jobs: readonly Job[], { style, width }: CommandContext): string {
  return table(
    jobs,
    [
      { title: 'ID', cell: ({ id }) => id, paint: (cell) => style.strong(cell) },
      { title: 'STATE', cell: ({ state }) => state },
      { title: 'DONE', cell: ({ progress }) => `${Math.floor(percentDone(progress))} %`, isNumber: true },
      { title: 'BY', cell: ({ by }) => by },
      { title: 'BEGUN', cell: ({ createdAt }) => minuteOf(createdAt) },
      { title: 'TOOLS', cell: ({ order }) => sayTools(order.tools) },
      { title: 'OUTCOME', cell: sayEnd, isProse: true },
    ],
    { style, width },
  );
}

export function percentDone({ totalTools, completedTools, currentProgress }: Job['progress']): number {
  return (100 * Math.min(totalTools, completedTools + currentProgress / 100)) / Math.max(1, totalTools);
}

function sayTools([first, ...others]: Job['order']['tools']): string {
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return first ? `${first.server}:${first.tool}${more}` : '';
}

function sayEnd({ outcome }: Job): string {
  if (outcome?.error !== undefined || !outcome?.tools) return outcome?.error ?? '';
  const promoted = outcome.tools.filter((tool) => tool.promoted).length;
  const passing = outcome.tools.filter((tool) => tool.passes && !tool.promoted).length;
  const rest = outcome.tools.length - promoted - passing;
  const parts = { promoted, 'to promote': passing, unchanged: rest };
  return Object.entries(parts)
    .flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]))
    .join(', ');
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

type Report = OutputOf<'optimize.report'>['report'];
type ToolReport = Report['servers'][number]['tools'][number];
type Row = ToolReport & { readonly address: string };

/** One line a tool, of all servers together, the most to gain first; `most` of them. */
export function renderReport({ servers, totals }: Report, most: number, { style, width }: CommandContext): string {
  const tools = servers.flatMap(({ serverName, tools }) =>
    tools.map((tool) => ({ ...tool, address: `${serverName}:${tool.name}` })),
  );
  tools.sort((a, b) => b.diagnosis.expectedGain - a.diagnosis.expectedGain || (a.address < b.address ? -1 : 1));
  const gain = totals.avgImprovement === null ? '' : ` (${points(totals.avgImprovement)} on average)`;
  const silent = tools.filter(({ promptCount }) => promptCount === 0).length;
  const rows = table<Row>(
    tools.slice(0, most),
    [
      { title: 'GAIN', cell: ({ diagnosis }) => diagnosis.expectedGain.toFixed(2), isNumber: true },
      { title: 'TOOL', cell: ({ address }) => address, paint: (cell) => style.strong(cell) },
      { title: 'FOUND', cell: sayFound },
      { title: 'SAYS', cell: ({ diagnosis }) => `${diagnosis.answered} of 6` },
      { title: 'PROMOTED', cell: saySince, isProse: true },
      { title: 'ADVICE', cell: ({ diagnosis }) => diagnosis.advice.join(' '), isProse: true },
    ],
    { style, width },
  );
  return [
    `${plural(tools.length, 'tool')} of ${plural(servers.length, 'server')}, ${totals.optimizedCount} optimized${gain}; ${plural(totals.totalEvals, 'run')}.`,
    rows,
    ...(tools.length > most ? [`${tools.length - most} more: add --all.`] : []),
    'GAIN only orders tools. FOUND: prompts that lead to the tool. SAYS: questions that its description answers.',
    ...(silent === 0
      ? []
      : [`${plural(silent, 'tool')} without prompts: toolcrib optimize prompts SERVER:TOOL --file FILE`]),
  ].join('\n');
}

function sayFound({ diagnosis: { finding } }: ToolReport): string {
  return finding ? `${finding.right} of ${finding.all}` : '-';
}

function saySince({ promotion, metrics, baseline }: ToolReport): string {
  if (!promotion || !metrics || !baseline) return '';
  const { evidence, by, why = '' } = promotion;
  const gain = points(metrics.overall - baseline.overall);
  return evidence === 'forced' ? `${gain}, forced by ${by}: ${cutAtWord(why, mostReasonChars)}` : gain;
}

/** Longest reason for a forced promotion in a table; lists of candidates show it in full. */
const mostReasonChars = 40;

function points(share: number): string {
  return `${share < 0 ? '-' : '+'}${percent(Math.abs(share)).replace(' %', '')} points`;
}
