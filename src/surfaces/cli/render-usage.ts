/** Renders the use of tools in sentences and small tables. */

import type { UsageOverview, UsedTool } from '../../admin/admin.ts';
import { percent } from '../../base/amounts.ts';
import { plural } from '../../base/plural.ts';
import { visibleLine } from '../../base/visible.ts';
import type { CommandContext } from './context.ts';
import { table } from './table.ts';

export function renderUsage(usage: UsageOverview, context: CommandContext): string {
  const { topTools, failingTools, sequences, queries, suggestions } = usage;
  if (topTools.length === 0)
    return 'No tool was called yet. Toolcrib records calls by itself, with the calls and searches before them.';
  const parts = [
    section('Most used', toolTable(topTools, context), context),
    section('Failing', failingTools.length === 0 ? '' : toolTable(failingTools, context), context),
    section('What follows what', sequences.map(sequenceLine).join('\n'), context),
    section('Tools called after a search', queries.map(queryLine).join('\n'), context),
    section('Alternatives that were taken', suggestions.map(suggestionLine).join('\n'), context),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function section(title: string, body: string, { style }: CommandContext): string {
  return body === '' ? '' : `${style.strong(title)}\n${body.replace(/^/gm, '  ')}`;
}

function toolTable(tools: readonly UsedTool[], { style, width }: CommandContext): string {
  return table(
    tools,
    [
      { title: 'TOOL', cell: (row) => row.toolKey },
      { title: 'CALLS', cell: (row) => String(row.callCount), isNumber: true },
      { title: 'OK', cell: (row) => percent(row.successRate), isNumber: true },
      { title: 'LAST ERROR', cell: (row) => row.lastError ?? '', isProse: true },
    ],
    { style, width: width === undefined ? undefined : width - 2 },
  );
}

function sequenceLine({ before, after, count, share }: UsageOverview['sequences'][number]): string {
  const often = share >= 0.5 ? 'usually' : 'sometimes';
  return visibleLine(`after ${before}, ${often} ${after} (${percent(share)}, ${times(count)})`);
}

function queryLine({ query, toolKey, count, ok }: UsageOverview['queries'][number]): string {
  const worked = ok === count ? '' : `, worked ${times(ok)}`;
  return visibleLine(`"${query}": ${toolKey} ${times(count)}${worked}`);
}

function suggestionLine({ failed, suggested, taken, worked }: UsageOverview['suggestions'][number]): string {
  return visibleLine(`instead of ${failed}: ${suggested} ${times(taken)}, worked ${times(worked)}`);
}

function times(count: number): string {
  return plural(count, 'time');
}
