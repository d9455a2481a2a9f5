/** Searches in words: the parts of a score, why a tool is left out, and which modes ask nobody else. */

import type { ExplainedHit, LeftOutTool } from '../../admin/admin.ts';

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
