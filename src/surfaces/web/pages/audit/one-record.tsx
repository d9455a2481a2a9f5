/** One record of the audit with everything in it. */

import { Empty, Facts, Panel, WhenFetched } from '../../parts/basic.tsx';
import { OutcomeBadge } from '../../parts/outcome.tsx';
import { formatMs, Said, SaidLines, Time } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { useOperation } from '../../state.ts';

export function OneRecord({ id }: { readonly id: number }) {
  const found = useOperation('audit.list', Number.isSafeInteger(id) ? { before: id + 1, limit: 1 } : null);
  const said = (text: string | null) => text && <Said text={text} />;
  const code = (text: string | null) => text && <code>{said(text)}</code>;
  return (
    <WhenFetched answer={found}>
      {({ records: [record] }) =>
        record?.id !== id ? (
          <Empty title="There is no such record">
            It may be older than the audit keeps. <a href={pageLink(['audit'])}>All records</a>
          </Empty>
        ) : (
          <Panel
            title={`Record ${id}`}
            tools={
              <>
                {record.kind === 'execution' && <a href={pageLink(['calls', String(id)])}>Show the call</a>}
                {record.requestId !== null && (
                  <a href={pageLink(['audit'], { request: record.requestId })}>Same request</a>
                )}
                <a href={pageLink(['audit'])}>All records</a>
              </>
            }
          >
            <Facts
              rows={[
                ['Time', <Time key="time" at={record.time} />],
                ['Kind', record.kind],
                ['Action', said(record.action)],
                ['Outcome', <OutcomeBadge key="outcome" outcome={record.outcome} />],
                ['Error', record.errorType],
                ['Took', record.durationMs === null ? '' : formatMs(record.durationMs)],
                ['Who', said(record.principal.name)],
                ['Principal id', said(record.principal.id)],
                ['Client', said(record.client)],
                ['Project', said(record.project)],
                ['Server', said(record.server)],
                ['Tool', said(record.tool)],
                ['Request id', code(record.requestId)],
                ['JSON-RPC id', said(record.rpcId)],
                ['Trace', code(record.trace)],
                ['Session', code(record.session)],
                ['Arguments hash', code(record.argumentsHash)],
              ]}
            />
            <JsonPart title="Arguments" value={record.arguments} />
            <JsonPart title="Detail" value={record.detail} />
          </Panel>
        )
      }
    </WhenFetched>
  );
}

function JsonPart({ title, value }: { readonly title: string; readonly value: object | null }) {
  if (value === null) return null;
  return (
    <>
      <h3>{title}</h3>
      <SaidLines label={title} text={JSON.stringify(value, null, 2)} />
    </>
  );
}
