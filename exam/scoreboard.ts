/** The public scoreboard: every check that a gateway should pass, and which of them are built here. */

import type { Check, Kind } from './check.ts';

/** How many there are of each kind, by the letter of their ids. */
const PUBLIC: readonly { readonly kind: Exclude<Kind, 'own'>; readonly letter: string; readonly count: number }[] = [
  { kind: 'faults', letter: 'S', count: 22 },
  { kind: 'bad inputs', letter: 'B', count: 28 },
  { kind: 'load', letter: 'L', count: 7 },
];

export const publicKinds: readonly Exclude<Kind, 'own'>[] = PUBLIC.map(({ kind }) => kind);

/** Every public id of a kind, in order. */
export function publicIds(kind?: Kind): string[] {
  return PUBLIC.filter((row) => kind === undefined || row.kind === kind).flatMap(({ letter, count }) =>
    Array.from({ length: count }, (_, at) => `${letter}${String(at + 1).padStart(2, '0')}`),
  );
}

/** The ids among these that no check stands for. */
export function notBuilt(ids: readonly string[], checks: readonly Check[]): string[] {
  return ids.filter((id) => !checks.some((check) => check.id === id));
}

/** The checks chosen by id or by kind, with the ids that no check has. Throws on a word that is neither. */
export function choose(words: readonly string[], checks: readonly Check[]): { chosen: Check[]; missing: string[] } {
  if (words.length === 0) return { chosen: [...checks], missing: notBuilt(publicIds(), checks) };
  const ids = words.flatMap((word) => {
    const kind = word === 'bad-inputs' ? 'bad inputs' : word;
    if (kind === 'own') return checks.filter((check) => check.kind === 'own').map(({ id }) => id);
    const known = publicIds();
    if (publicKinds.some((one) => one === kind)) return publicIds(kind as Kind);
    if (known.includes(word) || checks.some(({ id }) => id === word)) return [word];
    throw new Error(`There is no check "${word}"; name ids such as S01 or B12, or faults, bad-inputs, load, own.`);
  });
  return { chosen: checks.filter(({ id }) => ids.includes(id)), missing: notBuilt(ids, checks) };
}
