/** One job for the tools of all servers that have golden prompts, with its estimate. */

import { plural } from '../../../base/plural.ts';
import { type ReportedServer, sayEstimate } from '../../wording/wording.ts';
import { useOptimizerReport } from '../optimizer-report.ts';
import { paragraph, stack } from '../parts/layout.ts';
import { useList } from '../parts/list.ts';
import { headRows, listTable, type TableColumn } from '../parts/table.ts';
import { say } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { troubleInWords, useAnswer, useLivePart, useOrders, useTui } from '../state.ts';
import { sayOptimizedShare } from './optimizer.ts';

/** Lines of the totals, and of the estimate at most. */
const totalRows = 1;
const estimateRows = 5;

interface BatchServer extends ReportedServer {
  readonly state: string;
  readonly readyCount: number;
}

export function useBatchView(): Screen {
  const { rows, go } = useTui();
  const { report, notice } = useOptimizerReport();
  const states = useLivePart(({ view }) => view?.servers);
  const planned = useAnswer('optimize.run', report ? { dryRun: true } : null, ['optimizer']);
  const { give, isRunning } = useOrders();
  const items = (report?.servers ?? []).map((server) => ({
    ...server,
    state: states?.get(server.serverName)?.state ?? '',
    readyCount: server.tools.filter(({ promptCount }) => promptCount > 0).length,
  }));
  const ready = items.filter(({ readyCount }) => readyCount > 0);
  const list = useList({
    name: 'batch',
    items: [...ready, ...items.filter(({ readyCount }) => readyCount === 0)],
    idOf: ({ serverName }) => serverName,
    rows: rows - headRows - totalRows - estimateRows,
  });
  const start = async () => {
    const begun = isRunning ? undefined : await give('optimize.run', {});
    if (begun && 'jobId' in begun) go({ view: 'job', id: begun.jobId });
  };
  const estimate = planned.data && !('jobId' in planned.data) ? planned.data.estimate : undefined;
  const toolCount = ready.reduce((sum, { readyCount }) => sum + readyCount, 0);
  return {
    title: 'Optimize all servers',
    commands: report === undefined ? [] : [{ key: 'enter', label: 'Start', run: () => void start() }, ...list.commands],
    body:
      report === undefined
        ? notice
        : stack(
            listTable(list, columns),
            say(
              `Total: ${plural(toolCount, 'tool')} with golden prompts on ${plural(ready.length, 'server')}`,
              'strong',
            ),
            planned.error === undefined
              ? paragraph(estimate ? sayEstimate(estimate) : 'Estimating…', estimateRows, 'faint')
              : paragraph(troubleInWords(planned.error), estimateRows, 'bad'),
          ),
  };
}

const columns: readonly TableColumn<BatchServer>[] = [
  { title: 'Server', width: 20, cell: ({ serverName }) => serverName },
  { title: 'State', width: 10, cell: ({ state }) => state, tone: () => 'faint' },
  { title: 'Tools', width: 5, isNumber: true, cell: ({ toolCount }) => `${toolCount}` },
  {
    title: 'In the job',
    width: 10,
    isNumber: true,
    cell: ({ readyCount }) => (readyCount === 0 ? 'none' : `${readyCount}`),
    tone: ({ readyCount }) => (readyCount === 0 ? 'faint' : undefined),
  },
  {
    title: 'Optimized',
    cell: sayOptimizedShare,
    tone: ({ optimizedCount }) => (optimizedCount === 0 ? 'faint' : 'good'),
  },
];
