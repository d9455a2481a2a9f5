/** Optimizer: how often descriptions lead to their tools, what better ones would gain, and the jobs that find out. */

import { Empty, WhenFetched } from '../parts/basic.tsx';
import type { PageAddress } from '../router.ts';
import { useOperation } from '../state.ts';
import { AllServers } from './optimizer/all-servers.tsx';
import { OneServer } from './optimizer/one-server.tsx';
import { OneTool } from './optimizer/one-tool.tsx';

export function OptimizerPage({ address }: { readonly address: PageAddress }) {
  const [server, tool] = address.parts;
  const status = useOperation('gateway.status', {}, ['config']);
  return (
    <WhenFetched answer={status}>
      {({ isOptimizing }) => (isOptimizing ? <OptimizerReport server={server} tool={tool} /> : <OptimizerOff />)}
    </WhenFetched>
  );
}

interface OptimizerReportProps {
  readonly server: string | undefined;
  readonly tool: string | undefined;
}

function OptimizerReport({ server, tool }: OptimizerReportProps) {
  const report = useOperation('optimize.report', { server }, ['tools', 'config', 'optimizer']);
  return (
    <WhenFetched answer={report}>
      {(data) =>
        server === undefined ? (
          <AllServers report={data.report} />
        ) : tool === undefined ? (
          <OneServer name={server} report={data.report} />
        ) : (
          <OneTool server={server} name={tool} report={data.report} />
        )
      }
    </WhenFetched>
  );
}

function OptimizerOff() {
  return (
    <Empty title="The optimizer is off">
      It measures how often descriptions lead to their tools, and tries better ones. Start the gateway with{' '}
      <code>--enable-optimization</code>, or set <code>"optimize": {'{ "enabled": true }'}</code> in the config file.
      Agents read the servers’ own descriptions until you promote one.
    </Empty>
  );
}
