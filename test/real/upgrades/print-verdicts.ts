/** Prints what the judge made of real servers: each definition that is held or marked with its reasons, a table, and totals. */

import type { Judged, JudgedUpgrade, Tally, Verdict } from './judge-offers.ts';

interface OfServer {
  readonly server: string;
  readonly half: string;
}

/** A server that went from one version to another. */
export interface Upgrade extends OfServer, JudgedUpgrade {
  readonly from: string;
  readonly to: string;
}

/** A server that was never seen. */
export interface FirstSight extends OfServer, Judged {
  readonly hasInstructions: boolean;
}

export function printUpgrades(upgrades: readonly Upgrade[]): void {
  for (const { server, from, to, changed, added } of upgrades) {
    printVerdicts(`${server} ${from} → ${to}`, changed, 'changed');
    printVerdicts(`${server} ${from} → ${to}`, added, 'new');
  }
  console.table(
    upgrades.map(({ server, from, to, tools, changed, added }) => ({
      ...{ server, from, to, tools },
      ...{ changed: changed.tools.count, held: changed.tools.held.length, marked: changed.tools.marked.length },
      ...{ new: added.tools.count, 'new held': added.tools.held.length, 'new marked': added.tools.marked.length },
    })),
  );
  for (const [half, some] of [...Map.groupBy(upgrades, (upgrade) => upgrade.half), ['all', upgrades] as const]) {
    const servers = new Set(some.map(({ server }) => server)).size;
    console.info(`\n${half}: ${some.length} pairs of ${servers} servers`);
    for (const which of ['changed', 'added'] as const) printTotals(some, which, (upgrade) => upgrade[which]);
  }
}

export function printFirstSights(sights: readonly FirstSight[]): void {
  for (const sight of sights) printVerdicts(sight.server, sight, 'first sight');
  for (const [half, some] of [...Map.groupBy(sights, (sight) => sight.half), ['all', sights] as const]) {
    const speaking = some.filter((sight) => sight.hasInstructions).length;
    console.info(`\n${half}: ${some.length} servers, ${speaking} of them with instructions`);
    printTotals(some, 'first sight', (sight) => sight);
  }
}

function printVerdicts(about: string, { tools, others, words }: Judged, when: string): void {
  const print = (what: string) => (verdict: Verdict) => {
    console.info(`${about} · ${verdict.kind} ${verdict.name} (${when}) ${what}`);
    for (const { code, where, sentence } of verdict.reasons) console.info(`    ${code} ${where}: ${sentence}`);
  };
  for (const tally of [tools, others, words]) {
    tally.held.forEach(print('HELD'));
    tally.marked.forEach(print('marked'));
  }
}

function printTotals<T>(rows: readonly T[], when: string, judgedOf: (row: T) => Judged): void {
  for (const which of ['tools', 'others', 'words'] as const) {
    const tallies = rows.map((row) => judgedOf(row)[which]);
    const sum = (count: (tally: Tally) => number) => tallies.reduce((total, tally) => total + count(tally), 0);
    const all = sum((tally) => tally.count);
    const share = (part: number) => `${part} (${((100 * part) / Math.max(1, all)).toFixed(1)} %)`;
    const [held, marked] = [sum((tally) => tally.held.length), sum((tally) => tally.marked.length)];
    console.info(`  ${when} ${which}: ${all}, held ${share(held)}, marked ${share(marked)}`);
  }
}
