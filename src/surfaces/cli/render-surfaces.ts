/** Renders what agents see at each door, why, and what it costs them. */

import type { SurfaceCosts, SurfaceReport } from '../../admin/admin.ts';
import { sayTokens } from '../../base/estimate-tokens.ts';
import { plural } from '../../base/plural.ts';
import { printable } from '../../base/text.ts';
import type { Style } from './style.ts';

type Traffic = NonNullable<SurfaceReport['traffic']>;

export function renderSurfaces({ days, doors }: SurfaceCosts, style: Style): string {
  const isMeasured = doors.some(({ traffic }) => traffic !== null);
  const how = 'Tokens are estimates; "surfaces.counting" of doctor --json says what is counted.';
  return [
    style.strong('What agents see'),
    ...doors.flatMap((door) => doorLines(door, days)),
    ...(isMeasured ? [style.faint(`  ${how}`)] : []),
  ].join('\n');
}

function doorLines(door: SurfaceReport, days: number): string[] {
  const { project, surface, reason, startTokens, traffic } = door;
  const path = project === null ? '/mcp' : `/projects/${encodeURIComponent(project)}/mcp`;
  const starts = Object.entries(startTokens).map(([name, tokens]) => `${name} ${sayTokens(tokens)}`);
  return [
    `  ${path}  ${surface}: ${printable(reason)}`,
    `    a model reads at its start, in tokens, about: ${starts.join(', ')}`,
    ...(traffic === null ? [`    no agent in the last ${plural(days, 'day')}`] : trafficLines(traffic, days)),
  ];
}

function trafficLines(traffic: Traffic, days: number): string[] {
  const { lists, finds, calls, chains, chainCalls, usedTokens, directTokens, searchTokens } = traffic;
  const counts = [
    `${plural(lists, 'list')} served`,
    finds === 1 ? '1 search' : `${finds} searches`,
    plural(calls, 'call'),
  ];
  if (chains > 0) counts.push(`${plural(chains, 'chain')} with ${plural(chainCalls, 'call')}`);
  const used = `cost about ${sayTokens(usedTokens)} tokens`;
  return [
    `    last ${plural(days, 'day')}: ${counts.join(', ')}`,
    `    ${used}; on direct about ${sayTokens(directTokens)}, on search about ${sayTokens(searchTokens)}${habit(traffic)}`,
  ];
}

/** A figure that rests on something nobody has seen yet says so. */
function habit({ search }: Traffic): string {
  if (search === null) return '';
  const often = search.perCall === 1 ? 'one search' : `${search.perCall.toFixed(1)} searches`;
  return search.isSeen ? ` (${often} for each call, as where agents search)` : ` (if ${often} came before each call)`;
}
