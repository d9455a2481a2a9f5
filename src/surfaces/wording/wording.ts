/** Words about definitions that changed, and about the optimizer, the same in the terminal and on the pages. */

export {
  type Job,
  percentDone,
  renderJob,
  sayEnd,
  sayEstimate,
  sayFigures,
  sayTools,
} from './optimizer-words.ts';

import type { ChangeHistory, DefinitionChange, ServerUpgrade } from '../../admin/admin.ts';

const states: Readonly<Record<DefinitionChange['state'], string>> = {
  changed: 'changed since it was approved; calls are refused',
  held: 'withheld; nobody can see or call it',
  rejected: 'rejected; it stays as it was approved',
  approved: 'worth a look; agents can use it',
};

/** How a definition stands, and what that means for agents. */
export function stateInWords({
  state,
  approvedFingerprint,
}: Pick<DefinitionChange, 'state' | 'approvedFingerprint'>): string {
  if (state === 'rejected' && approvedFingerprint === null) return 'rejected; nobody can see or call it';
  return states[state];
}

const happened: Readonly<Record<string, string>> = { added: 'added', updated: 'changed', removed: 'removed' };

/** The change that a server made to a definition. */
export function changeInWords(change: NonNullable<ChangeHistory['change']>): string {
  return happened[change] ?? change;
}

const acts: Readonly<Record<string, string>> = {
  held: 'withheld',
  passed: 'passed',
  marked: 'passed, and is worth a look',
  upgraded: 'upgraded',
  changed: 'held for a decision',
  returned: 'is again what was approved',
  approved: 'accepted',
  rejected: 'rejected',
  undone: 'decision undone',
};

/** The outcome. */
export function actInWords({ act, grade }: { readonly act: string; readonly grade: string | null }): string {
  return `${acts[act] ?? act}${act === 'passed' && grade !== null ? ` (${grade})` : ''}`;
}

/** How much an upgrade brought, and what became of that. */
export function upgradeInWords({ added, changed, removed, waiting, marked }: ServerUpgrade): string {
  const passed = Math.max(0, added.length + changed.length - waiting - marked);
  const brought = counted([
    [added.length, 'new'],
    [changed.length, 'changed'],
    [removed.length, 'removed'],
  ]);
  const fates = counted([
    [waiting, waiting === 1 ? 'waits for you' : 'wait for you'],
    [marked, marked === 1 ? 'is worth a look' : 'are worth a look'],
    [passed, 'passed'],
  ]);
  return `${brought}. ${fates}.`;
}

function counted(counts: readonly (readonly [count: number, words: string])[]): string {
  return counts.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`])).join(', ');
}

/** A path as a person speaks of it. */
export function placeInWords(where: string): string {
  if (where === '') return 'all of it';
  const parts = where.replace(/~$/, ', its name').split('.');
  const [first = '', ...rest] = parts;
  if (first === 'inputSchema' || first === 'outputSchema') {
    const names = rest.flatMap((part, at) => (rest[at - 1] === 'properties' ? [part] : []));
    const last = rest.lastIndexOf('properties') + 2;
    const detail = names.length === 0 ? rest : rest.slice(last);
    const thing = first === 'inputSchema' ? 'parameter' : 'answer';
    const whole = first === 'inputSchema' ? 'parameters' : 'answer';
    const named = names.length === 0 ? whole : `${thing} ${names.join('.')}`;
    return detail.length === 0 ? named : `${named}, ${detail.join('.')}`;
  }
  if (first === 'annotations' && rest[0]?.endsWith('Hint')) return `hint ${rest.join('.')}`;
  return parts.join('.');
}
