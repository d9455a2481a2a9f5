/** Sorts definitions that wait the way their owner decides about them: by server, an upgrade as one thing. */

import type { DefinitionChange, OutputOf, ReasonGroup, ServerUpgrade } from '../../admin/admin.ts';

export interface ServerChanges {
  readonly server: string;
  readonly upgrade: ServerUpgrade | undefined;
  readonly groups: readonly ReasonGroup[];
  /** Those that wait first, then those worth a look, then the rejected ones. */
  readonly changes: readonly DefinitionChange[];
}

type ListedChanges = Pick<OutputOf<'changes.list'>, 'changes' | 'groups' | 'upgrades'>;

/** Servers with something that waits come first. */
export function sortChanges({ changes, groups, upgrades }: ListedChanges): ServerChanges[] {
  const servers = [...Map.groupBy(changes, ({ server }) => server)].map(([server, own]) => ({
    server,
    upgrade: upgrades.find((upgrade) => upgrade.server === server),
    groups: groups.filter((group) => group.server === server),
    changes: own,
  }));
  const rank = ({ changes: own }: ServerChanges) => (own.some(isWaiting) ? 0 : own.some(isUndecided) ? 1 : 2);
  return servers.sort((a, b) => rank(a) - rank(b) || (a.server < b.server ? -1 : 1));
}

/** True if agents cannot use it as the server offers it. */
export function isWaiting({ state }: Pick<DefinitionChange, 'state'>): boolean {
  return state === 'held' || state === 'changed';
}

export function isUndecided({ state }: Pick<DefinitionChange, 'state'>): boolean {
  return state !== 'rejected';
}

/** The part of an upgrade that nobody has decided about. */
export function changesInUpgrade({ changes, upgrade }: ServerChanges): DefinitionChange[] {
  return upgrade ? changes.filter((change) => isUndecided(change) && change.since >= upgrade.since) : [];
}

/** A definition in one wording: another wording has its own card and is not selected, because nobody has read it yet. */
export function changeKey({ server, kind, name, fingerprint }: DefinitionChange): string {
  return JSON.stringify([server, kind, name, fingerprint]);
}

export interface DecisionOrder {
  readonly server: string;
  readonly only: { readonly kind: DefinitionChange['kind']; readonly name: string }[];
  /** Of what the person was shown. */
  readonly fingerprints: string[];
}

/** One order for each server: a decision is about all of it or nothing. */
export function decisionOrders(changes: readonly DefinitionChange[]): DecisionOrder[] {
  return [...Map.groupBy(changes, ({ server }) => server)].map(([server, own]) => ({
    server,
    only: own.map(({ kind, name }) => ({ kind, name })),
    fingerprints: own.map(({ fingerprint }) => fingerprint),
  }));
}

const words: readonly (readonly [state: DefinitionChange['state'], words: string])[] = [
  ['held', 'withheld'],
  ['changed', 'changed and on hold'],
  ['approved', 'worth a look'],
  ['rejected', 'rejected'],
];

/** `3 withheld, 1 worth a look`. */
export function countStates(changes: readonly DefinitionChange[]): string {
  return words
    .flatMap(([state, text]) => {
      const count = changes.filter((change) => change.state === state).length;
      return count === 0 ? [] : [`${count} ${text}`];
    })
    .join(', ');
}
