/** Usage: which tools are used, fail or are never called, what leads to what, and what it costs in tokens. */

import type { UsageOverview, UsedTool } from '../../../admin/admin.ts';
import { Empty, Panel, WhenFetched } from '../parts/basic.tsx';
import { extra, numberColumn, type RowColumn, Rows } from '../parts/rows.tsx';
import { formatCount, formatShare, Said, ToolLink } from '../parts/texts.tsx';
import { pageLink } from '../router.ts';
import { useOperation } from '../state.ts';
import { ToolFlow } from './usage/flow-picture.tsx';
import { ResetMetrics } from './usage/reset-metrics.tsx';
import { SurfaceTokens } from './usage/surface-tokens.tsx';

/** Rows of each kind. */
const limit = 20;

export function UsagePage() {
  const usage = useOperation('usage.overview', { limit }, ['calls']);
  return (
    <>
      <WhenFetched answer={usage}>{(data) => <UsageShown usage={data} onReset={usage.reload} />}</WhenFetched>
      <UnusedTools />
      <SurfaceTokens />
    </>
  );
}

const toolLink = (toolKey: string) => pageLink(['tools', toolKey]);

const toolColumns: readonly RowColumn<UsedTool>[] = [
  { title: 'Tool', show: ({ toolKey }) => <Said text={toolKey} />, order: ({ toolKey }) => toolKey },
  numberColumn('Calls', ({ callCount }) => callCount, formatCount),
  numberColumn('Success', ({ successRate }) => successRate, formatShare),
  { title: 'Last error', show: ({ lastError }) => <Said text={lastError ?? ''} />, isExtra: true, isProse: true },
];

interface UsageShownProps {
  readonly usage: UsageOverview;
  readonly onReset: () => void;
}

function UsageShown({ usage, onReset }: UsageShownProps) {
  const { topTools, failingTools, sequences, queries, suggestions } = usage;
  const toolRows = { columns: toolColumns, keyOf: ({ toolKey }: UsedTool) => toolKey };
  return (
    <>
      <Panel title="Most used tools" tools={<ResetMetrics onReset={onReset} />}>
        <Rows
          {...toolRows}
          label="Most used tools"
          rows={topTools}
          linkOf={({ toolKey }) => toolLink(toolKey)}
          empty={
            <Empty title="No tool was called yet">Toolcrib measures every call of an agent, and calls by hand.</Empty>
          }
        />
      </Panel>
      <Panel title="Failing tools">
        <Rows
          {...toolRows}
          label="Failing tools"
          rows={failingTools}
          linkOf={({ toolKey }) => toolLink(toolKey)}
          empty={<Empty title="No tool with five or more calls fails more than half of them" />}
        />
      </Panel>
      <Panel title="Call sequences">
        <ToolFlow pairs={sequences} />
      </Panel>
      <Panel title="Tools called after a search">
        <Rows
          label="Tools called after a search"
          rows={queries}
          columns={queryColumns}
          keyOf={({ query, toolKey }) => `${toolKey} ${query}`}
          linkOf={({ toolKey }) => toolLink(toolKey)}
          empty={<Empty title="No search led to a call yet" />}
        />
      </Panel>
      <Panel title="Alternatives that were taken">
        <Rows
          label="Alternatives that were taken"
          rows={suggestions}
          columns={suggestionColumns}
          keyOf={({ failed, suggested }) => `${failed} ${suggested}`}
          empty={<Empty title="None yet">When a tool fails, agents are offered others for the same purpose.</Empty>}
        />
      </Panel>
    </>
  );
}

const queryColumns: readonly RowColumn<UsageOverview['queries'][number]>[] = [
  { title: 'Tool', show: ({ toolKey }) => <Said text={toolKey} />, order: ({ toolKey }) => toolKey },
  numberColumn('Times', ({ count }) => count, formatCount),
  numberColumn('Succeeded', ({ ok }) => ok, formatCount, extra),
  { title: 'Search', show: ({ query }) => <Said text={query} />, order: ({ query }) => query, isProse: true },
];

const suggestionColumns: readonly RowColumn<UsageOverview['suggestions'][number]>[] = [
  { title: 'Instead of', show: ({ failed }) => <ToolLink toolKey={failed} /> },
  { title: 'Taken', show: ({ suggested }) => <ToolLink toolKey={suggested} /> },
  numberColumn('Times', ({ taken }) => taken, formatCount),
  numberColumn('Succeeded', ({ worked }) => worked, formatCount),
];

/** Tools that agents could call, and never did. */
function UnusedTools() {
  const survey = useOperation('tools.survey', {}, ['tools']);
  return (
    <Panel title="Unused tools">
      <WhenFetched answer={survey}>
        {(tools) => {
          const callable = tools.filter(({ absence }) => absence === null);
          const unused = callable.filter(({ callCount }) => callCount === 0);
          const servers = [...Map.groupBy(unused, ({ server }) => server)].sort(([, a], [, b]) => b.length - a.length);
          if (unused.length === 0)
            return <Empty title={callable.length === 0 ? 'No tools yet' : 'Every tool was called'} />;
          return (
            <>
              <p>
                {formatCount(unused.length)} of {formatCount(callable.length)} tools were never called.
              </p>
              <div class="unused">
                {servers.map(([server, rows]) => (
                  <details key={server}>
                    <summary>
                      {server} <b>{formatCount(rows.length)}</b>
                    </summary>
                    <ul>
                      {rows.map(({ toolKey, name }) => (
                        <li key={toolKey}>
                          <a href={toolLink(toolKey)}>
                            <Said text={name} />
                          </a>
                        </li>
                      ))}
                    </ul>
                  </details>
                ))}
              </div>
            </>
          );
        }}
      </WhenFetched>
    </Panel>
  );
}
