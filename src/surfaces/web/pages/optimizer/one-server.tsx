/** The descriptions of one server: its tools, what is taken for what, its jobs, and its records as a file. */

import type { ShownReport } from '../../../wording/wording.ts';
import { Button, Empty, Panel } from '../../parts/basic.tsx';
import { saveFile } from '../../parts/download.ts';
import { pageLink } from '../../router.ts';
import { useOrder } from '../../state.ts';
import { ExportReport, OptimizedShare } from './all-servers.tsx';
import { ConfusionPanel } from './confusion.tsx';
import { ImportRecords } from './import-records.tsx';
import { JobsPanel } from './jobs.tsx';
import { StartJobButton } from './start-job.tsx';
import { OptimizerTools } from './tool-table.tsx';

interface OneServerProps {
  readonly name: string;
  readonly report: ShownReport;
}

export function OneServer({ name, report }: OneServerProps) {
  const server = report.servers.find(({ serverName }) => serverName === name);
  if (!server) return <Empty title={`There is no server “${name}”`} />;
  return (
    <>
      <p>
        <a href={pageLink(['optimizer'])}>Optimizer</a> / {name}
      </p>
      <Panel title={name} tools={<StartJobButton server={name} />}>
        <p>
          <OptimizedShare {...server} /> tools optimized
        </p>
        <OptimizerTools rows={server.tools.map((tool) => ({ ...tool, server: name }))} isWhole={false} />
      </Panel>
      <ConfusionPanel server={name} />
      <JobsPanel server={name} />
      <Panel title="Records">
        <p>Candidates, prompts, runs and promotions as one file, to keep or to use elsewhere.</p>
        <div class="tools">
          <ExportReport server={name} />
          <ExportRecords server={name} isMined={false} />
          <ExportRecords server={name} isMined />
          <ImportRecords server={name} />
        </div>
      </Panel>
    </>
  );
}

function ExportRecords({ server, isMined }: { readonly server: string; readonly isMined: boolean }) {
  const { give, isRunning } = useOrder();
  const save = async () => {
    const answer = await give('optimize.export', { server, mined: isMined });
    if (answer) saveFile(`${server}-optimizer.json`, 'application/json', JSON.stringify(answer.files, null, 2));
  };
  return (
    <Button
      label={isMined ? 'Export records with mined prompts' : 'Export records'}
      disabled={isRunning}
      onClick={() => void save()}
    />
  );
}
