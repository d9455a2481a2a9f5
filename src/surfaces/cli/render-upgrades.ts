/** Upgrades of servers, as their owner reads about them: one event each, with one command that decides it. */

import type { ServerUpgrade } from '../../admin/admin.ts';
import { someNames } from './render-reasons.ts';
import { minuteOf } from './show-amounts.ts';
import type { Style } from './style.ts';
import { visibleLine } from './visible.ts';

/** Empty where there are none. */
export function renderUpgrades(upgrades: readonly ServerUpgrade[], style: Style): string {
  return upgrades.map((upgrade) => renderUpgrade(upgrade, style)).join('\n');
}

function renderUpgrade(upgrade: ServerUpgrade, style: Style): string {
  const { server, from, to, at, added, changed, removed } = upgrade;
  const brought = [
    [added.length, 'new'],
    [changed.length, 'changed'],
    [removed.length, 'removed'],
  ] as const;
  const counts = brought.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`])).join(', ');
  const versions = `${visibleLine(from)} → ${visibleLine(to)}`;
  return [
    `${style.strong(visibleLine(server))} was upgraded, ${versions}, ${minuteOf(at)}: ${counts}. ${fateOf(upgrade)}`,
    ...(added.length > 0 ? [`  New: ${someNames(added)}`] : []),
    ...(removed.length > 0 ? [`  Removed: ${someNames(removed)}`] : []),
    `  Passed changes: toolcrib review --history ${visibleLine(server)}`,
  ].join('\n');
}

function fateOf({ added, changed, waiting, marked }: ServerUpgrade): string {
  const passed = Math.max(0, added.length + changed.length - waiting - marked);
  const fates = [
    [waiting, waiting === 1 ? 'waits for you' : 'wait for you'],
    [marked, marked === 1 ? 'is worth a look' : 'are worth a look'],
    [passed, 'passed'],
  ] as const;
  return `${fates.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`])).join(', ')}.`;
}
