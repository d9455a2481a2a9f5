/** Renders candidates, jobs, estimates and reports of the optimizer. Figures are counts of prompts, before → after. */

import type { OutputOf } from '../../admin/admin.ts';
import { minuteOf, percent } from '../../base/amounts.ts';
import { plural } from '../../base/plural.ts';
import { cutAtWord, printable } from '../../base/text.ts';
import { visibleLine } from '../../base/visible.ts';
import { type Job, percentDone, sayEnd, sayFigures, sayTools } from '../wording/wording.ts';
import type { CommandContext } from './context.ts';
import { table } from './table.ts';

type Candidate = OutputOf<'optimize.candidates'>['candidates'][number];
type Promotion = NonNullable<Candidate['promotion']>;

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
