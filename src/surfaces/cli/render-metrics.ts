/** Renders metrics: a table of tools, all figures of one tool, and the trend by day. */

import type { FailureKind, MetricsList, OutputOf, ToolFigures } from '../../admin/admin.ts';
import { duration, percent } from '../../base/amounts.ts';
import { plural } from '../../base/plural.ts';
import { printable } from '../../base/text.ts';
import { visibleLine } from '../../base/visible.ts';
import type { CommandContext } from './context.ts';
import type { Style } from './style.ts';
import { table } from './table.ts';

type Day = OutputOf<'metrics.days'>[number];

export function renderMetrics(found: MetricsList, { style, width }: CommandContext): string {
  const { tools, toolCount, store } = found;
  const rows = table(
    tools,
    [
      { title: 'TOOL', cell: (row) => row.toolKey, paint: (text) => style.strong(text) },
      { title: 'CALLS', cell: (row) => String(row.callCount), isNumber: true },
      {
        title: 'OK',
        cell: (row) => percent(row.successRate),
        paint: (text, row) => paintRate(text, row.successRate, style),
        isNumber: true,
      },
      { title: 'P50', cell: (row) => duration(row.latencyMs.p50), isNumber: true },
      { title: 'P95', cell: (row) => duration(row.latencyMs.p95), isNumber: true },
      {
        title: 'LAST ERROR',
        cell: (row) => row.lastError?.message ?? '',
        isProse: true,
        paint: (text) => style.faint(text),
      },
    ],
    { style, width },
  );
  const count =
    tools.length < toolCount ? `${tools.length} of ${plural(toolCount, 'tool')}` : plural(toolCount, 'tool');
  return [rows, '', `${count}.`, ...renderStore(store, style)].join('\n');
}

/** Failures in words; the first three blame the tool or its server, the others do not count against it. */
const failureWords: Readonly<Record<FailureKind, string>> = {
  tool: 'the tool said no',
  server: 'its server could not be reached, or died',
  timeout: 'it took too long',
  arguments: 'wrong arguments',
  cancelled: 'cancelled by the agent',
  refused: 'refused by the gateway',
};
const blaming: readonly FailureKind[] = ['tool', 'server', 'timeout'];
const harmless: readonly FailureKind[] = ['arguments', 'cancelled', 'refused'];

export function renderFigures(tool: ToolFigures, store: MetricsList['store'], style: Style): string {
  const { callCount, cachedCount, latencyMs, lastError } = tool;
  const cached = cachedCount === 0 ? '' : `, ${cachedCount} of them from the cache`;
  const judged = tool.successCount + countOf(tool, blaming);
  const lines: [label: string, text: string][] = [
    ['calls', `${callCount}${cached}`],
    ['succeeded', judged === 0 ? 'no call says anything about it yet' : rateText(tool, judged, style)],
    ...failureLines(tool, blaming, 'failed'),
    ...failureLines(tool, harmless, 'not counted'),
    ['latency', latencyText(latencyMs)],
    ['last called', timeText(tool.lastCalledAt)],
    ['last success', timeText(tool.lastOkAt)],
  ];
  if (tool.failuresInARow > 0) lines.push(['in a row', plural(tool.failuresInARow, 'failure')]);
  if (lastError) {
    const type = lastError.errorType === null ? '' : ` (${lastError.errorType})`;
    lines.push(['last error', `${timeText(lastError.at)}${type}: ${printable(lastError.message)}`]);
  }
  const shown = lines.map(([label, text]) => `  ${style.faint(label.padEnd(labelWidth))}  ${text}`.trimEnd());
  return [style.strong(visibleLine(tool.toolKey)), ...shown, ...renderStore(store, style)].join('\n');
}

const labelWidth = 'last success'.length;

function rateText({ successCount, successRate }: ToolFigures, judged: number, style: Style): string {
  return `${paintRate(percent(successRate), successRate, style)} (${successCount} of ${judged})`;
}

function failureLines({ failures }: ToolFigures, kinds: readonly FailureKind[], label: string): [string, string][] {
  const seen = kinds.filter((kind) => failures[kind] > 0);
  return seen.map((kind, at) => [at === 0 ? label : '', `${failures[kind]}  ${failureWords[kind]}`]);
}

function countOf({ failures }: ToolFigures, kinds: readonly FailureKind[]): number {
  return kinds.reduce((sum, kind) => sum + failures[kind], 0);
}

function latencyText({ avg, p50, p95, p99 }: ToolFigures['latencyMs']): string {
  if (p50 === null) return 'no call has reached the server yet';
  return `p50 ${duration(p50)}, p95 ${duration(p95)}, p99 ${duration(p99)}; ${duration(avg)} on average`;
}

/** To the second, in UTC, as the days are. */
function timeText(time: string | null): string {
  return time === null ? 'never' : `${time.slice(0, 19).replace('T', ' ')} UTC`;
}

function renderStore({ waitingRows, lostRows }: MetricsList['store'], style: Style): string[] {
  if (waitingRows === 0 && lostRows === 0) return [];
  const waiting =
    waitingRows === 0 ? '' : `${plural(waitingRows, 'call')} still to be written, because the store refuses`;
  const lost = lostRows === 0 ? '' : `${plural(lostRows, 'call')} lost, because it refused for too long`;
  return [style.notice(`note: ${[waiting, lost].filter((part) => part !== '').join('; ')}.`)];
}

const barWidth = 24;

/** One line for each day with calls: full blocks are successes, light ones everything else, all in proportion to the busiest day. */
export function renderDays(days: readonly Day[], style: Style): string {
  if (days.length === 0) return 'No calls in these days.';
  const busiest = Math.max(...days.map((day) => day.callCount));
  return table(
    days,
    [
      { title: 'DAY (UTC)', cell: (day) => day.day },
      { title: 'CALLS', cell: (day) => String(day.callCount), isNumber: true },
      {
        title: 'OK',
        cell: (day) => percent(day.successRate),
        paint: (text, day) => paintRate(text, day.successRate, style),
        isNumber: true,
      },
      { title: 'P50', cell: (day) => duration(day.p50Ms), isNumber: true },
      { title: 'P95', cell: (day) => duration(day.p95Ms), isNumber: true },
      { title: '', cell: (day) => barOf(day, busiest) },
    ],
    { style },
  );
}

function barOf({ callCount, outcomes }: Day, busiest: number): string {
  // A day with calls has a bar, however busy another was; the same goes for failures within it.
  const length = Math.max(1, Math.round((callCount / busiest) * barWidth));
  const failed = callCount - outcomes.ok;
  const light = failed === 0 ? 0 : Math.max(1, Math.round((failed / callCount) * length));
  return '█'.repeat(length - light) + '░'.repeat(light);
}

function paintRate(text: string, rate: number | null, style: Style): string {
  if (rate === null) return style.faint(text);
  if (rate < 0.5) return style.bad(text);
  return rate < 0.9 ? style.notice(text) : style.good(text);
}
