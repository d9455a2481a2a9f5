/** Rows of counted tokens, each with what it may cost at most, and how they are printed. */

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { median } from './kit/statistics.ts';

export interface Row {
  readonly what: string;
  /** The median, where several were counted. */
  readonly tokens: number;
  /** Of several. */
  readonly worst?: number;
  /** How many were counted; left out for one. */
  readonly of?: number;
  /** The most it may be. */
  readonly budget?: number;
  readonly isKept?: boolean;
}

/** Of a text as it is, of anything else as JSON without indentation. */
export function tokensOf(value: unknown): number {
  return countTokens(typeof value === 'string' ? value : JSON.stringify(value));
}

export function oneRow(what: string, tokens: number, budget?: number): Row {
  return { what, tokens, ...keptBy(tokens, budget) };
}

/** No row where nothing was counted. What it may be holds for the worst, or else for the median. */
export function manyRow(what: string, counts: readonly number[], budget?: number, holds: Holds = 'worst'): Row[] {
  if (counts.length === 0) return [];
  const worst = Math.max(...counts);
  const tokens = Math.round(median(counts));
  return [{ what, tokens, worst, of: counts.length, ...keptBy({ worst, median: tokens }[holds], budget) }];
}

type Holds = 'worst' | 'median';

function keptBy(tokens: number, budget: number | undefined): Pick<Row, 'budget' | 'isKept'> {
  return budget === undefined ? {} : { budget, isKept: tokens <= budget };
}

export function printRows(title: string, rows: readonly Row[]): void {
  const cells = rows.map(({ what, tokens, worst, of, budget, isKept }) => [
    what,
    String(tokens),
    String(worst ?? ''),
    String(of ?? ''),
    String(budget ?? ''),
    isKept === undefined ? '' : isKept ? 'kept' : 'MISSED',
  ]);
  printTable(title, [['tokens (o200k)', 'median', 'worst', 'of', 'budget', ''], ...cells]);
}

/** The first line names the columns. */
export function printTable(title: string, lines: readonly (readonly string[])[]): void {
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  console.info(`\n${title}`);
  for (const line of lines) {
    const padded = line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)));
    console.info(padded.join('  ').trimEnd());
  }
}
