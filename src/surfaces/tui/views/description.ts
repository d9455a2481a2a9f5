/** One description in detail: what agents read, what it replaced, how both do by class, and how to take it back. */

import type { ReactElement } from 'react';
import { minuteOf, percent } from '../../../base/amounts.ts';
import {
  type ComparedFigures,
  figuresFor,
  promptClasses,
  type ReportedTool,
  sayEvidence,
  sayGain,
  statusWords,
  type ToolResults,
  titleWithLength,
} from '../../wording/wording.ts';
import { useOptimizerReport } from '../optimizer-report.ts';
import { bar, type Cell, cells, facts, gap, paragraph, stack } from '../parts/layout.ts';
import { useScroll } from '../parts/scroll.ts';
import { say, type TextTone } from '../parts/text.ts';
import type { KeyCommand, Screen } from '../screen.ts';
import { useAnswer, useOrders, useTui } from '../state.ts';

interface DescriptionAddress {
  readonly server: string;
  readonly tool: string;
}

type Candidate = ToolResults['candidates'][number];
type PromotionMetrics = NonNullable<ReportedTool['metrics']>;

export function useDescriptionView({ server, tool: name }: DescriptionAddress): Screen {
  const { rows, columns } = useTui();
  const { report, notice } = useOptimizerReport(server);
  const tool = report?.servers[0]?.tools.find((one) => one.name === name);
  const results = useAnswer('optimize.results', tool ? { server, tool: name } : null, ['tools', 'optimizer']).data;
  const compared = results && comparedIn(results);
  const missing = report ? say(`There is no tool ${server}:${name}.`, 'notice') : notice;
  const { body, commands } = useScroll({
    ...{ name: `description ${server}:${name}`, rows },
    content: tool ? detailsOf(tool, results, compared, columns) : missing,
  });
  const orders = useDescriptionCommands({ server, tool: name }, tool, compared?.candidate);
  return { title: `${server}:${name}`, commands: [...orders, ...commands], body };
}

function useDescriptionCommands(
  address: DescriptionAddress,
  tool: ReportedTool | undefined,
  candidate: Candidate | undefined,
): readonly KeyCommand[] {
  const { ask, go, tell } = useTui();
  const { give } = useOrders();
  const revert = () =>
    ask({
      text: 'Revert? Agents read the server’s own description again.',
      yes: () => void give('optimize.revert', address, 'Agents read the server’s own description again.'),
    });
  const promote = async (candidateId: string) => {
    const answer = await give('optimize.promote', { ...address, candidateId });
    if (answer?.promoted) tell('Agents now read the new description.');
    else if (answer && 'reasons' in answer) tell(`Not promoted: ${answer.reasons?.join(' ')}`, 'failed');
  };
  if (tool === undefined) return [];
  const offer = candidate?.promotion === null ? [candidate.id] : [];
  return [
    ...(tool.promotion ? [{ key: 'r', label: 'Revert', run: revert }] : []),
    ...offer.map((id) => ({
      key: 'm',
      label: 'Promote',
      run: () => ask({ text: 'Show this candidate to agents?', yes: () => void promote(id) }),
    })),
    {
      key: 'o',
      label: tool.status === 'unoptimized' ? 'Optimize' : 'Re-optimize',
      run: () => go({ view: 'start-job', ...address }),
    },
    { key: 'p', label: 'Prompts', run: () => go({ view: 'golden-prompts', ...address }) },
    { key: 'ctrl+e', label: 'Export', run: () => go({ view: 'export-report', server: address.server }) },
  ];
}

interface ComparedCandidate {
  readonly candidate: Candidate;
  readonly number: number;
  readonly figures: ComparedFigures;
}

/** The candidate that agents read; where there is none, the best that was measured. */
function comparedIn({ candidates, results }: ToolResults): ComparedCandidate | undefined {
  const measured = candidates.flatMap((candidate, at) => {
    const [figures] = figuresFor(candidate.id, results);
    return figures ? [{ candidate, number: at + 1, figures }] : [];
  });
  const shareOf = ({ figures }: ComparedCandidate) => figures.now.counts.overall.share;
  return (
    measured.find(({ candidate }) => candidate.promotion?.state === 'active') ??
    measured.toSorted((a, b) => shareOf(b) - shareOf(a))[0]
  );
}

interface ComparedShares {
  /** The prompts that they are of. */
  readonly title: string;
  readonly before: PromotionMetrics | undefined;
  readonly after: PromotionMetrics;
}

/** A promotion by the prompts that decided about it, as the status shows it; a candidate by all prompts. */
function sharesOf(
  { promotion, metrics, baseline }: ReportedTool,
  compared: ComparedCandidate | undefined,
): ComparedShares | undefined {
  if (promotion && metrics)
    return { title: `DECIDING PROMPTS, JUDGE ${promotion.judge.toUpperCase()}`, before: baseline, after: metrics };
  if (compared === undefined) return undefined;
  const { now, before } = compared.figures;
  return { title: `ALL PROMPTS, JUDGE ${now.judge.toUpperCase()}`, before: before?.metrics, after: now.metrics };
}

function detailsOf(
  tool: ReportedTool,
  results: ToolResults | undefined,
  compared: ComparedCandidate | undefined,
  columns: number,
): ReactElement {
  const { promotion, canonicalDescription: own, promotedDescription } = tool;
  const candidate = compared?.candidate;
  const shares = sharesOf(tool, compared);
  const isShown = promotedDescription !== undefined;
  return stack(
    facts(statusFacts(tool, results)),
    gap('before figures'),
    ...(shares ? shareRows(shares, columns) : [say('No candidate was measured yet.', 'faint')]),
    gap('before texts'),
    say(titleWithLength(isShown ? 'The server’s own' : 'Shown to agents: the server’s own', own), 'strong'),
    paragraph(own || 'The server gives no description.'),
    ...(isShown || candidate
      ? [
          gap('between texts'),
          say(
            isShown
              ? titleWithLength('Shown to agents', promotedDescription)
              : titleWithLength(`Candidate ${compared?.number}, not promoted`, candidate?.description ?? ''),
            'strong',
          ),
          paragraph(promotedDescription ?? candidate?.description ?? '', undefined, promotion ? 'good' : undefined),
        ]
      : []),
  );
}

function statusFacts(tool: ReportedTool, results: ToolResults | undefined) {
  const { status, promotion, candidateCount } = tool;
  const counts = promptClasses.map(
    (name) => `${name} ${results?.prompts.filter(({ category }) => category === name).length ?? '–'}`,
  );
  const rows: (readonly [string, string, TextTone?])[] = [
    ['Status', statusWords[status], status === 'optimized' ? 'good' : 'notice'],
  ];
  if (promotion) rows.push(['Promoted', minuteOf(promotion.promotedAt)], ['By', sayEvidence(promotion)]);
  if (promotion && 'why' in promotion && promotion.why) rows.push(['Why', promotion.why]);
  rows.push(['Prompts', counts.join(', ')], ['Candidates', `${candidateCount}`]);
  return rows;
}

const nameWidth = 9;
const shareWidth = 6;
const gainWidth = 11;

/** Before and after, by class and overall. */
function shareRows({ title, before, after }: ComparedShares, columns: number): readonly ReactElement[] {
  const width = Math.max(4, Math.min(24, Math.floor((columns - nameWidth - 2 * shareWidth - gainWidth - 6) / 2)));
  const shareCells = (share: number | null | undefined, tone: TextTone): readonly Cell[] => [
    { text: share == null ? '' : bar(share, width), width, tone },
    { text: share == null ? '–' : percent(share), width: shareWidth, isNumber: true },
  ];
  const rows = [...promptClasses.map((name) => [name, `${name}Success`] as const), ['overall', 'overall'] as const].map(
    ([name, member]) => {
      const [was, is] = [before?.[member], after[member]];
      const gain = was == null || is === null ? null : is - was;
      return cells([
        { text: name, width: nameWidth },
        ...shareCells(was, 'faint'),
        ...shareCells(is, 'good'),
        { text: sayGain(gain), width: gainWidth, isNumber: true, tone: gain !== null && gain < 0 ? 'bad' : undefined },
      ]);
    },
  );
  const head = cells([
    { text: '', width: nameWidth },
    { text: 'BEFORE', width: width + shareWidth + 1, tone: 'faint' },
    { text: 'AFTER', width: width + shareWidth + 1, tone: 'faint' },
    { text: 'GAIN', width: gainWidth, isNumber: true, tone: 'faint' },
  ]);
  return [say(title, 'faint'), head, ...rows];
}
