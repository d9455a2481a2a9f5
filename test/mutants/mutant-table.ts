/** The outcome of a run of mutants: a table by folder, and each survivor with the tests that did not notice it. */

import type { Mutant } from './find-mutants.ts';
import type { Trial, Verdict } from './workshop.ts';

export type Row = Omit<Mutant, 'start' | 'end'> & Trial;

const verdicts: readonly Verdict[] = ['killed', 'timed out', 'survived', 'skipped'];

export function tableOf(rows: readonly Row[]): string {
  const folders = Map.groupBy(rows, ({ file }) => file.split('/').slice(0, 2).join('/'));
  const lines = [...folders, ['all', rows] as const].map(([folder, own]) => {
    const counts = verdicts.map((verdict) => own.filter((row) => row.verdict === verdict).length);
    return [folder, own.length, ...counts];
  });
  const table = [['folder', 'mutants', ...verdicts], ...lines].map((cells) =>
    cells.map((cell, at) => (at === 0 ? String(cell).padEnd(16) : String(cell).padStart(9))).join(' '),
  );
  return [...table, ...rows.filter(({ verdict }) => verdict === 'survived').map(survivorOf)].join('\n');
}

function survivorOf({ file, line, before, after, tests }: Row): string {
  const shown = after === ';' ? 'removed' : `→ ${after}`;
  const ran = tests.length === 0 ? 'no test reaches it' : `not noticed by ${tests.join(', ')}`;
  return `\n${file}:${line}  ${before.replaceAll(/\s+/g, ' ')} ${shown}\n  ${ran}`;
}
