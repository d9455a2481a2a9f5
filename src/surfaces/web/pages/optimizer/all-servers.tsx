/** The optimizer as a whole: how many descriptions are better, where most is to gain, and what is at work. */

import { dotsOf, type ReportedServer, type ShownReport, sayGain } from '../../../wording/wording.ts';
import { Button, Empty, Figure, Panel } from '../../parts/basic.tsx';
import { saveFile } from '../../parts/download.ts';
import { extra, numberColumn, type RowColumn, Rows } from '../../parts/rows.tsx';
import { formatCount } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { useOrder } from '../../state.ts';
import { JobsPanel } from './jobs.tsx';
import { StartJobButton } from './start-job.tsx';
import { OptimizerTools } from './tool-table.tsx';

export function AllServers({ report: { servers, totals } }: { readonly report: ShownReport }) {
  const tools = servers.flatMap(({ serverName, tools }) => tools.map((tool) => ({ ...tool, server: serverName })));
  const byGain = tools.toSorted((a, b) => b.diagnosis.expectedGain - a.diagnosis.expectedGain);
  return (
    <>
      <Panel
        title="Optimizer"
        tools={
          <>
            <StartJobButton />
            <ExportReport />
          </>
        }
      >
        <div class="figures">
          <Figure label="tools optimized" value={`${totals.optimizedCount} of ${formatCount(totals.toolCount)}`} />
          <Figure label="gain on average" value={sayGain(totals.avgImprovement)} />
          <Figure label="prompts judged" value={formatCount(totals.totalEvals)} />
        </div>
      </Panel>
      <JobsPanel />
      <Panel title="Tools, the most to gain first">
        <OptimizerTools rows={byGain} isWhole />
      </Panel>
      <Panel title="Servers">
        <Rows
          label="Servers"
          rows={servers}
          columns={serverColumns}
          keyOf={({ serverName }) => serverName}
          linkOf={({ serverName }) => pageLink(['optimizer', serverName])}
          empty={<Empty title="No servers" />}
        />
      </Panel>
    </>
  );
}

/** `●●●○○ 3/5`. */
export function OptimizedShare({ optimizedCount, toolCount }: Pick<ReportedServer, 'optimizedCount' | 'toolCount'>) {
  return (
    <span>
      <span class="dots" aria-hidden="true">
        {dotsOf(optimizedCount, toolCount)}
      </span>{' '}
      {optimizedCount}/{toolCount}
    </span>
  );
}

const serverColumns: readonly RowColumn<ReportedServer>[] = [
  { title: 'Server', show: ({ serverName }) => serverName, order: ({ serverName }) => serverName },
  {
    title: 'Tools optimized',
    show: (row) => <OptimizedShare {...row} />,
    order: ({ optimizedCount, toolCount }) => optimizedCount / Math.max(1, toolCount),
  },
  numberColumn('Gain', ({ avgImprovement }) => avgImprovement, sayGain, extra),
  numberColumn('Judged', ({ totalEvals }) => totalEvals, formatCount, extra),
];

const forms = [
  ['Markdown', 'markdown', 'md', 'text/markdown'],
  ['HTML', 'html', 'html', 'text/html'],
] as const;

/** The report as a file, of one server or all. */
export function ExportReport({ server }: { readonly server?: string }) {
  const { give, isRunning } = useOrder();
  const save = async (format: 'markdown' | 'html', ending: string, type: string) => {
    const answer = await give('optimize.report', { server, format });
    if (answer?.text) saveFile(`optimizer-report.${ending}`, type, answer.text);
  };
  return (
    <>
      {forms.map(([label, format, ending, type]) => (
        <Button
          key={format}
          label={`Export as ${label}`}
          disabled={isRunning}
          onClick={() => void save(format, ending, type)}
        />
      ))}
    </>
  );
}
