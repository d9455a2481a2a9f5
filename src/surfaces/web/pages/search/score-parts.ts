/** Bars of scores, and how ranks differ between two answers. */

import type { ExplainedHit } from '../../../../admin/admin.ts';
import { segmentsOf } from '../../../wording/wording.ts';

/** The longest bar, with the parts that take off behind those that add. */
export function longestBar(hits: readonly Pick<ExplainedHit, 'parts'>[]): number {
  const lengths = hits.map(({ parts }) => segmentsOf(parts).reduce((sum, { amount }) => sum + Math.abs(amount), 0));
  return Math.max(0.01, ...lengths);
}

type Ranked = Pick<ExplainedHit, 'toolKey' | 'rank' | 'equals' | 'otherAccounts'>;

/** The same tool, or a twin that stands for it. */
function isSameHit(a: Ranked, b: Ranked): boolean {
  return a.toolKey === b.toolKey || [...a.equals, ...a.otherAccounts].includes(b.toolKey);
}

/** Places of the tools that are in both answers, from 0. */
export function rankLines(left: readonly Ranked[], right: readonly Ranked[]): readonly (readonly [number, number])[] {
  return left.flatMap((hit, from) => {
    const to = right.findIndex((other) => isSameHit(hit, other));
    return to < 0 ? [] : [[from, to] as const];
  });
}

/** How a tool stands compared with the other answer: "↑ 2", "↓ 1", "same", "new"; "twin" where a twin of it stands there. */
export function sayRankChange(hit: Ranked, before: readonly Ranked[]): string {
  const { rank } = hit;
  const other = before.find((one) => isSameHit(hit, one));
  if (other === undefined) return 'new';
  const isTwin = other.toolKey !== hit.toolKey;
  if (other.rank === rank) return isTwin ? 'twin' : 'same';
  const change = other.rank > rank ? `↑ ${other.rank - rank}` : `↓ ${rank - other.rank}`;
  return isTwin ? `${change}, twin` : change;
}

type SearchFlags = Readonly<Record<string, string | undefined>>;

/** The same search on the command line, where `command` calls the program. */
export function searchCommand(command: string, query: string, flags: SearchFlags): string {
  const words =
    /^[\w -]+$/.test(query) && !/(?:^|\s)-/.test(query) ? query : `'${query.replaceAll("'", String.raw`'\''`)}'`;
  const given = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${value}`]));
  return `${command} search ${words}${given.join('')} --explain`;
}
