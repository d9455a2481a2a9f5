/** How the calls of one tool went: figures of all time, and the last day. */

import type { SurveyedTool } from '../../../../admin/admin.ts';
import { Empty, Facts, Figure, Panel, WhenFetched } from '../../parts/basic.tsx';
import { OutcomeChart } from '../../parts/outcome.tsx';
import { Ago, formatCount, formatMs, formatShare, visibleText } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { useOperation } from '../../state.ts';

const hourMs = 3_600_000;

interface ToolFiguresProps {
  readonly tool: SurveyedTool;
}

export function ToolFiguresPanel({ tool }: ToolFiguresProps) {
  // The gateway knows no figures of a tool that agents never had.
  if (tool.absence === null || tool.callCount > 0) return <KnownToolFigures tool={tool} />;
  return (
    <Panel title="Figures">
      <Empty title="It was never called" />
    </Panel>
  );
}

function KnownToolFigures({ tool: { server, serverName } }: ToolFiguresProps) {
  const names = { server, tool: serverName };
  const figures = useOperation('metrics.tools', names, ['calls']);
  const series = useOperation('metrics.series', { span: 'day', ...names }, ['calls']);
  return (
    <Panel title="Figures" tools={<a href={pageLink(['calls'], names)}>Its calls</a>}>
      <WhenFetched answer={figures}>
        {({ tools: [own] }) =>
          own === undefined ? (
            <Empty title="It was never called" />
          ) : (
            <>
              <div class="figures">
                <Figure label="calls" value={formatCount(own.callCount)} />
                <Figure label="success" value={formatShare(own.successRate)} />
                <Figure label="p50" value={formatMs(own.latencyMs.p50)} />
                <Figure label="p95" value={formatMs(own.latencyMs.p95)} />
                <Figure
                  label="failures in a row"
                  value={own.failuresInARow}
                  {...(own.failuresInARow > 0 && { tone: 'bad' as const })}
                />
              </div>
              <p>
                <small>
                  Success is judged by calls that the tool answered, or should have: not by refusals, wrong arguments
                  and cancelled calls.
                </small>
              </p>
              <Facts
                rows={[
                  ['Last call', <Ago key="call" at={own.lastCalledAt} />],
                  ['Last success', <Ago key="ok" at={own.lastOkAt} />],
                  ['Last error', own.lastError && visibleText(own.lastError.message)],
                ]}
              />
            </>
          )
        }
      </WhenFetched>
      <WhenFetched answer={series}>
        {({ steps }) => (
          <OutcomeChart
            label="Calls in the last day"
            stepMs={hourMs}
            times={steps.map(({ start }) => Date.parse(start))}
            steps={steps.map(({ successCount, failures }) => ({ ...failures, ok: successCount }))}
          />
        )}
      </WhenFetched>
    </Panel>
  );
}
