/** Upgrades of servers, as their owner reads about them: one event each, with one command that decides it. */

import type { ServerUpgrade } from '../../admin/admin.ts';
import { minuteOf } from '../../base/amounts.ts';
import { visibleLine } from '../../base/visible.ts';
import { upgradeInWords } from '../wording/wording.ts';
import { someNames } from './render-reasons.ts';
import type { Style } from './style.ts';

/** Empty where there are none. */
export function renderUpgrades(upgrades: readonly ServerUpgrade[], style: Style): string {
  return upgrades.map((upgrade) => renderUpgrade(upgrade, style)).join('\n');
}

function renderUpgrade(upgrade: ServerUpgrade, style: Style): string {
  const { server, from, to, at, added, removed } = upgrade;
  const versions = `${visibleLine(from)} → ${visibleLine(to)}`;
  return [
    `${style.strong(visibleLine(server))} was upgraded, ${versions}, ${minuteOf(at)}: ${upgradeInWords(upgrade)}`,
    ...(added.length > 0 ? [`  New: ${someNames(added)}`] : []),
    ...(removed.length > 0 ? [`  Removed: ${someNames(removed)}`] : []),
    `  Passed changes: toolcrib review --history ${visibleLine(server)}`,
  ].join('\n');
}
