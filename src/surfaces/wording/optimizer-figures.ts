/** Figures of the optimizer in words and signs, the same in the terminal and on the pages. */

import type { LiveJob, OutputOf } from '../../admin/admin.ts';
import type { Job } from './optimizer-words.ts';

export type ShownReport = OutputOf<'optimize.report'>['report'];
export type ReportedServer = ShownReport['servers'][number];
export type ReportedTool = ReportedServer['tools'][number];
export type ToolResults = OutputOf<'optimize.results'>;
export type CandidateResults = ToolResults['results'][number];

export const promptClasses = ['direct', 'indirect', 'negative'] as const;
export type PromptClass = (typeof promptClasses)[number];

/** In common words: the meaning of `optimized`, `baseline` and `unoptimized` to a reader. */
export const statusWords: Readonly<Record<ReportedTool['status'], string>> = {
  optimized: 'optimized',
  baseline: 'measured',
  unoptimized: 'not measured',
};

const dots = 5;

/** `●●●○○`: which share of something is done. One dot is full as soon as anything is, and one is empty until all is. */
export function dotsOf(done: number, all: number): string {
  const share = all === 0 ? 0 : (dots * done) / all;
  const full = done === 0 ? 0 : done === all ? dots : Math.min(dots - 1, Math.max(1, Math.round(share)));
  return '●'.repeat(full) + '○'.repeat(dots - full);
}

/** The share of prompts of a class that are right. */
export function shareOfClass({ metrics }: Pick<ReportedTool, 'metrics'>, promptClass: PromptClass): number | null {
  return metrics?.[`${promptClass}Success`] ?? null;
}

/** `+12 points`. */
export function sayGain(gain: number | null): string {
  if (gain === null) return '–';
  const points = Math.round(100 * Math.abs(gain));
  return `${gain < 0 ? '−' : '+'}${points} ${points === 1 ? 'point' : 'points'}`;
}

/** The figures of a candidate and those of the server's own description by the same judge. */
export interface ComparedFigures {
  readonly now: CandidateResults;
  readonly before: CandidateResults | undefined;
}

export type PromptShare = CandidateResults['counts']['overall'];

/** `11 of 12 (92 %)`. */
export function sayShare({ right, all, share }: PromptShare): string {
  return `${Number(right.toFixed(2))} of ${all} (${Math.round(100 * share)} %)`;
}

/** One row for each judge that tried the candidate. */
export function figuresFor(candidateId: string, results: readonly CandidateResults[]): readonly ComparedFigures[] {
  return results
    .filter((one) => one.candidateId === candidateId)
    .map((now) => ({
      now,
      before: results.find(({ candidateId: id, judge }) => id === 'canonical' && judge === now.judge),
    }));
}

/** ✓: right in all runs; ✗: in none; ~: in some; ∅: all are void. */
export function signOf(right: number | null): { readonly sign: string; readonly word: string } {
  if (right === null) return { sign: '∅', word: 'void' };
  if (right === 1) return { sign: '✓', word: 'right' };
  if (right === 0) return { sign: '✗', word: 'wrong' };
  return { sign: '~', word: `right in ${Math.round(100 * right)} % of runs` };
}

/** `The server’s own, 171 characters`. */
export function titleWithLength(title: string, text: string): string {
  return `${title}, ${[...text].length} characters`;
}

/** "owner, past the gates", or the evidence that the gates went by. */
export function sayEvidence({ by, evidence, judge }: NonNullable<ReportedTool['promotion']>): string {
  return evidence === 'forced' ? `${by}, past the gates` : `${by}, on ${evidence} evidence of the judge “${judge}”`;
}

/** True while it waits or runs. */
export function isActiveJob({ state }: Pick<LiveJob, 'state'>): boolean {
  return state === 'queued' || state === 'running';
}

/** The end of a tool's address, without its server. */
export function nameWithin(server: string, toolKey: string): string {
  return toolKey.startsWith(`${server}:`) ? toolKey.slice(server.length + 1) : toolKey;
}

/** `label`: how the wording is called in tables. */
export interface PromptWording {
  readonly id: string;
  readonly label: string;
}

/** The server's own text first, then the candidates in their order. */
export function triedWordings({ candidates }: Pick<ToolResults, 'candidates'>): readonly PromptWording[] {
  const named = candidates.map(({ id, promotion }, at) => ({
    id,
    label: `${at + 1}${promotion?.state === 'active' ? ' (shown)' : ''}`,
  }));
  return [{ id: 'canonical', label: 'Own' }, ...named];
}

/** "direct 3 of 4, negative 2 of 2": prompts that are right so far with what is being tried. */
export function sayClasses(byCategory: Job['progress']['byCategory'] = {}): string {
  const counts = byCategory as Readonly<Record<string, { readonly right: number; readonly all: number } | undefined>>;
  return promptClasses
    .flatMap((name) => {
      const count = counts[name];
      return count ? [`${name} ${Number(count.right.toFixed(2))} of ${count.all}`] : [];
    })
    .join(', ');
}
