/** The parts of a score in common words, and how ranks differ between two answers. */

import type { ExplainedHit, LeftOutTool } from '../../../../admin/admin.ts';

type Parts = NonNullable<ExplainedHit['parts']>;

/** In the order in which they are drawn. `hint`: what the part is. */
const partWords: Readonly<Record<keyof Parts, { readonly label: string; readonly hint: string }>> = {
  words: { label: 'words', hint: 'words of the need that the tool has' },
  meaning: { label: 'meaning', hint: 'nearness of meaning' },
  use: { label: 'use', hint: 'past calls for similar needs' },
  name: { label: 'name', hint: 'the need is the name of the tool' },
  context: { label: 'context', hint: 'what else is said about the task' },
  caution: {
    label: 'caution',
    hint: 'it reads, writes or deletes where the need asks for something else, or is deprecated',
  },
  doubt: { label: 'doubt', hint: 'it often fails' },
  failure: { label: 'failure', hint: 'its server is failing' },
};

export interface ScoreSegment {
  readonly part: keyof Parts;
  readonly label: string;
  readonly hint: string;
  readonly amount: number;
}

/** Below this a part is not worth a word. */
const leastShown = 0.005;

/** The parts that count, those that add first. */
export function segmentsOf(parts: ExplainedHit['parts']): readonly ScoreSegment[] {
  if (parts === null) return [];
  const all = (Object.keys(partWords) as (keyof Parts)[]).map((part) => ({
    ...{ part, ...partWords[part] },
    amount: parts[part],
  }));
  return all
    .filter(({ amount }) => Math.abs(amount) >= leastShown)
    .sort((a, b) => Math.sign(b.amount) - Math.sign(a.amount));
}

/** "words 0.55, meaning 0.41, caution −0.15". */
export function saySegments(segments: readonly ScoreSegment[]): string {
  return segments.map(({ label, amount }) => `${label} ${signed(amount)}`).join(', ');
}

function signed(amount: number): string {
  return amount < 0 ? `−${(-amount).toFixed(2)}` : amount.toFixed(2);
}

/** The longest bar, with the parts that take off behind those that add. */
export function longestBar(hits: readonly Pick<ExplainedHit, 'parts'>[]): number {
  const lengths = hits.map(({ parts }) => segmentsOf(parts).reduce((sum, { amount }) => sum + Math.abs(amount), 0));
  return Math.max(0.01, ...lengths);
}

type Ranked = Pick<ExplainedHit, 'toolKey' | 'rank' | 'equals'>;

/** The same tool, or a twin that stands for it. */
function isSameHit(a: Ranked, b: Ranked): boolean {
  return a.toolKey === b.toolKey || a.equals.includes(b.toolKey);
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

export const leftOutWords: Readonly<Record<LeftOutTool['why'], string>> = {
  scope: 'The token lacks the scope “use”.',
  off: 'Its server is disabled.',
  server: 'The token has no access to its server.',
  project: 'Its server is not in the project.',
  hidden: 'It is not exposed.',
  denied: 'It is denied by permissions.',
  'other-server': 'It belongs to another server.',
  'other-category': 'It belongs to another category.',
};

const localModes: readonly string[] = ['bm25', 'semantic', 'hybrid'];

/** True where a search asks nobody else and costs nothing: then it may follow the typing. */
export function isLocalMode(mode: string | null | undefined): boolean {
  return localModes.includes(mode ?? '');
}

type SearchFlags = Readonly<Record<string, string | undefined>>;

/** The same search on the command line, where `command` calls the program. */
export function searchCommand(command: string, query: string, flags: SearchFlags): string {
  const words =
    /^[\w -]+$/.test(query) && !/(?:^|\s)-/.test(query) ? query : `'${query.replaceAll("'", String.raw`'\''`)}'`;
  const given = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${value}`]));
  return `${command} search ${words}${given.join('')} --explain`;
}
