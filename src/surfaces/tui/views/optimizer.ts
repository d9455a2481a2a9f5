/** The optimizer: per server how many descriptions are optimized, and how each does by class of prompts. */

import { percent } from '../../../base/amounts.ts';
import {
  dotsOf,
  isActiveJob,
  promptClasses,
  type ReportedServer,
  type ReportedTool,
  type ShownReport,
  sayGain,
  shareOfClass,
  statusWords,
} from '../../wording/wording.ts';
import { useOptimizerReport } from '../optimizer-report.ts';
import { type Cell, cells, stack } from '../parts/layout.ts';
import { useList } from '../parts/list.ts';
import { say, type TextTone } from '../parts/text.ts';
import type { KeyCommand, Screen } from '../screen.ts';
import { useLivePart, useRemembered, useTui } from '../state.ts';

type StatusRow =
  | { readonly kind: 'server'; readonly server: ReportedServer }
  | { readonly kind: 'tool'; readonly server: ReportedServer; readonly tool: ReportedTool }
  | { readonly kind: 'more'; readonly server: ReportedServer; readonly count: number };

/** Tools of a server that are shown before somebody opens it, at most. */
const fewTools = 5;

export function useOptimizerView(): Screen {
  const { rows, columns } = useTui();
  const { report, notice } = useOptimizerReport();
  const [opened, setOpened] = useRemembered<ReadonlySet<string>>('optimizer opened', new Set());
  const work = useLivePart(({ view }) => [...(view?.jobs.values() ?? [])].find(isActiveJob)?.message);
  const items = byNeed(report?.servers ?? []).flatMap((server) => rowsOf(server, opened.has(server.serverName)));
  const heads = work === undefined ? 2 : 3;
  const list = useList({ name: 'optimizer', items, idOf: rowId, rows: rows - heads });
  const toggle = ({ serverName }: ReportedServer) =>
    setOpened(
      (last) => new Set(last.has(serverName) ? [...last].filter((name) => name !== serverName) : [...last, serverName]),
    );
  const commands = [...useStatusCommands(list.selected, toggle), ...list.commands];
  return {
    title: 'Optimizer',
    commands: report === undefined ? [] : commands,
    body:
      report === undefined
        ? notice
        : stack(
            say(sayTotals(report)),
            work === undefined ? null : say(`At work: ${work}`, 'notice'),
            cells(headCells(columns), false),
            list.show((row, isSelected) => cells(cellsOf(row, columns), isSelected)),
          ),
  };
}

function useStatusCommands(
  row: StatusRow | undefined,
  toggle: (server: ReportedServer) => void,
): readonly KeyCommand[] {
  const { go } = useTui();
  const always: readonly KeyCommand[] = [{ key: 'w', label: 'Jobs', run: () => go({ view: 'jobs' }) }];
  if (row === undefined) return always;
  const server = row.server.serverName;
  const exportReport = { key: 'ctrl+e', label: 'Export', run: () => go({ view: 'export-report', server }) };
  if (row.kind !== 'tool')
    return [
      { key: 'enter', label: 'Tools', run: () => toggle(row.server) },
      { key: 'o', label: 'Optimize', run: () => go({ view: 'start-job', server }) },
      ...always,
      exportReport,
    ];
  const tool = row.tool.name;
  const details = () => go({ view: 'description', server, tool });
  return [
    { key: 'd', label: 'Details', run: details },
    { key: 'enter', label: 'Details', run: details, isQuiet: true },
    { key: 'p', label: 'Prompts', run: () => go({ view: 'golden-prompts', server, tool }) },
    { key: 'o', label: 'Optimize', run: () => go({ view: 'start-job', server, tool }) },
    ...always,
    exportReport,
  ];
}

/** Servers with something measured first: the others have nothing to show but their number of tools. */
function byNeed(servers: readonly ReportedServer[]): readonly ReportedServer[] {
  const isMeasured = ({ tools }: ReportedServer) => tools.some(({ status }) => status !== 'unoptimized');
  const listed = servers.filter(({ toolCount }) => toolCount > 0);
  return [...listed.filter(isMeasured), ...listed.filter((server) => !isMeasured(server))];
}

const statusOrder: readonly ReportedTool['status'][] = ['optimized', 'baseline', 'unoptimized'];

/** Its tools in the order of the report, the optimized and the measured ones first. */
function rowsOf(server: ReportedServer, isOpen: boolean): readonly StatusRow[] {
  const tools = server.tools.toSorted((a, b) => statusOrder.indexOf(a.status) - statusOrder.indexOf(b.status));
  const measured = tools.filter(({ status }) => status !== 'unoptimized').length;
  const shown = isOpen ? tools : tools.slice(0, Math.min(measured, fewTools));
  const count = tools.length - shown.length;
  return [
    { kind: 'server', server },
    ...shown.map((tool) => ({ kind: 'tool', server, tool }) as const),
    ...(shown.length > 0 && count > 0 ? [{ kind: 'more', server, count } as const] : []),
  ];
}

function rowId(row: StatusRow): string {
  const { serverName } = row.server;
  if (row.kind === 'server') return serverName;
  return row.kind === 'tool' ? `${serverName}:${row.tool.name}` : `${serverName} more`;
}

function sayTotals({ totals: { toolCount, optimizedCount, totalEvals, avgImprovement } }: ShownReport): string {
  const gain = avgImprovement === null ? '' : `, ${sayGain(avgImprovement)} on average`;
  return `${optimizedCount} of ${toolCount} tools optimized${gain}, ${totalEvals} prompts judged`;
}

/** From this width on there is room for more than the figures. */
const wideColumns = 110;
const figureWidth = 8;

function headCells(columns: number): readonly Cell[] {
  const head = (text: string, width?: number): Cell => ({
    ...{ text, tone: 'faint' },
    ...(width !== undefined && { width, isNumber: true }),
  });
  const figures = [...promptClasses, 'prompts'].map((name) => head(name.toUpperCase(), figureWidth));
  const more = columns < wideColumns ? [] : [head('CANDIDATES', 10), { ...head('STATUS'), width: 14 }];
  return [head('SERVER AND TOOL'), ...figures, ...more];
}

const toolTones: Readonly<Record<ReportedTool['status'], TextTone | undefined>> = {
  optimized: 'good',
  baseline: undefined,
  unoptimized: 'faint',
};

function cellsOf(row: StatusRow, columns: number): readonly Cell[] {
  if (row.kind === 'server')
    return [{ text: row.server.serverName, width: 26 }, { text: sayOptimizedShare(row.server) }];
  if (row.kind === 'more') return [{ text: `    … ${row.count} more`, tone: 'faint' }];
  const { name, status, promptCount, candidateCount } = row.tool;
  const tone = toolTones[status];
  const figure = (text: string, width = figureWidth): Cell => ({ text, width, isNumber: true, tone });
  const shares = promptClasses.map((promptClass) => figure(shareText(shareOfClass(row.tool, promptClass))));
  const more =
    columns < wideColumns ? [] : [figure(`${candidateCount}`, 10), { text: statusWords[status], width: 14, tone }];
  return [
    { text: `  ${status === 'optimized' ? '✓' : '○'} ${name}`, tone },
    ...shares,
    figure(`${promptCount}`),
    ...more,
  ];
}

function shareText(share: number | null): string {
  return share === null ? '–' : percent(share);
}

/** `●●●○○ 3/5 tools optimized`. */
export function sayOptimizedShare({
  optimizedCount,
  toolCount,
}: Pick<ReportedServer, 'optimizedCount' | 'toolCount'>): string {
  return `${dotsOf(optimizedCount, toolCount)} ${optimizedCount}/${toolCount} tools optimized`;
}
