/** One call: who made it, what it went through, and how it ended. */

import type { ComponentChildren } from 'preact';
import type { AuditLine } from '../../../../admin/admin.ts';
import { Badge, Empty, Facts, Panel, WhenFetched } from '../../parts/basic.tsx';
import { OutcomeBadge } from '../../parts/outcome.tsx';
import { outcomeWords } from '../../parts/outcome-words.ts';
import { type RowColumn, Rows } from '../../parts/rows.tsx';
import { Ago, formatBytes, formatMs, Said, SaidLines, Time, ToolLink } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { useLive, useOperation } from '../../state.ts';
import { ToldReason } from '../tools/why-missing.tsx';
import { type CallDetail, callDetailOf, calledName, stageWords, troubleWords, wayWords } from './call-detail.ts';
import { callLink } from './timeline.tsx';

export function OneCall({ id }: { readonly id: number }) {
  const known = useLive(({ records }) => records.find((record) => record.id === id));
  // The newest record before the next id is this call, if the audit still has it.
  const found = useOperation('audit.list', known || !Number.isSafeInteger(id) ? null : { before: id + 1, limit: 1 });
  if (known) return <CallShown call={known} />;
  if (!Number.isSafeInteger(id)) return <NoCall />;
  return (
    <WhenFetched answer={found}>
      {({ records: [record] }) => (record?.id === id ? <CallShown call={record} /> : <NoCall />)}
    </WhenFetched>
  );
}

function NoCall() {
  return (
    <Panel>
      <Empty title="There is no such call">
        It may be older than the audit keeps. <a href={pageLink(['calls'])}>All calls</a>
      </Empty>
    </Panel>
  );
}

function CallShown({ call }: { readonly call: AuditLine }) {
  const detail = callDetailOf(call);
  const { server, tool, durationMs } = call;
  return (
    <>
      <p>
        <a href={pageLink(['calls'])}>← All calls</a>
      </p>
      <Panel
        title={calledName(call)}
        tools={
          <>
            <OutcomeBadge outcome={call.outcome} />
            {detail.isCached && <Badge tone="quiet">cached result</Badge>}
            {detail.isCorrected && <Badge tone="warn">arguments corrected</Badge>}
          </>
        }
      >
        <p>
          <Time at={call.time} /> (<Ago at={call.time} />
          {durationMs !== null && <>, took {formatMs(durationMs)}</>})
          {server !== null && tool !== null && (
            <>
              {' · '}
              <a href={pageLink(['tools', `${server}:${tool}`])}>Show the tool</a>
              {' · '}
              <a href={pageLink(['calls'], { server, tool })}>Calls of this tool</a>
            </>
          )}
          <RecordedLink call={call} />
        </p>
        <Trouble call={call} detail={detail} />
        <Stages detail={detail} />
      </Panel>
      <Panel title="Details">
        <Facts rows={factsOf(call, detail)} />
      </Panel>
      {call.arguments && (
        <Panel title="Arguments">
          <SaidLines label="Arguments" text={JSON.stringify(call.arguments, null, 2)} />
        </Panel>
      )}
      {call.requestId && <SameRequest call={call} request={call.requestId} />}
    </>
  );
}

/** Arguments and result are in the recording, where there is one of that time. */
function RecordedLink({ call: { server, time } }: { readonly call: AuditLine }) {
  const recording = useOperation('recording.status', {}, ['recording']).data?.recording;
  const isRecorded = recording?.server === server && recording.startedAt <= time && time <= recording.endsAt;
  if (!isRecorded) return null;
  return (
    <>
      {' · '}
      <a href={pageLink(['calls'], { tab: 'recording' })}>Recorded arguments and result</a>
    </>
  );
}

interface PartProps {
  readonly call: AuditLine;
  readonly detail: CallDetail;
}

function Trouble({ call, detail: { error, alternatives } }: PartProps) {
  const { outcome, errorType, server } = call;
  if (outcome === 'ok') return null;
  const words = errorType === null ? undefined : troubleWords[errorType];
  return (
    <div class={`notice ${outcomeWords[outcome]?.tone === 'bad' ? 'bad' : 'warn'}`}>
      <strong>{words ?? 'The call failed.'}</strong> {errorType && <code>{errorType}</code>}
      {error !== null && error !== words && <Said as="p" text={error} />}
      {outcome === 'refused' && server === null && <WhyRefused call={call} />}
      {alternatives.length > 0 && (
        <p>
          Alternatives offered to the agent:{' '}
          {alternatives.map((key, at) => (
            <>
              {at > 0 && ', '}
              <ToolLink key={key} toolKey={key} />
            </>
          ))}
        </p>
      )}
    </div>
  );
}

/** To an agent, a tool that it may not see does not exist. The owner may know better, by the settings as they are now. */
function WhyRefused({ call: { tool, principal, project } }: { readonly call: AuditLine }) {
  const asked = { token: principal.name, ...(project !== null && { project }) };
  const answers = useOperation('tools.why', tool === null ? null : { name: tool, ...asked }, ['tools', 'servers']).data
    ?.answers;
  return (
    <>
      {answers && <small>By the settings of now:</small>}
      {answers?.map((told) => (
        <ToldReason key={`${told.server}:${told.tool}`} told={told} />
      ))}
    </>
  );
}

/** Where the time went. Stages under a millisecond are not recorded. */
function Stages({ detail: { stages } }: { readonly detail: CallDetail }) {
  if (stages.length === 0) return null;
  const whole = stages.reduce((sum, [, ms]) => sum + ms, 0);
  return (
    <div>
      <h3>Stages</h3>
      <div class="segments stages" aria-hidden="true">
        {stages.map(([name, ms]) => (
          <span
            key={name}
            title={`${name}: ${formatMs(ms)}`}
            style={{ flexGrow: ms / whole, background: stageColour(name) }}
          />
        ))}
      </div>
      <ul class="list legend">
        {stages.map(([name, ms]) => (
          <li key={name}>
            <span class="swatch" style={{ background: stageColour(name) }} />
            <strong>{name}</strong> {stageWords[name]?.[0]} <b>{formatMs(ms)}</b>
          </li>
        ))}
      </ul>
      <small>
        Whole milliseconds; shorter stages are left out. The time that the call took is without waiting for approval and
        looking for other tools.
      </small>
    </div>
  );
}

function stageColour(name: string): string {
  return `var(${stageWords[name]?.[1] ?? '--data-7'})`;
}

function factsOf(call: AuditLine, detail: CallDetail): (readonly [string, ComponentChildren])[] {
  const { principal, client, project, requestId, rpcId, trace, session, argumentsHash } = call;
  const said = (text: string | null) => text && <Said text={text} />;
  const bytes = (count: number | null) => (count === null ? null : formatBytes(count));
  return [
    [
      'Token',
      <>
        <a href={pageLink(['calls'], { principal: principal.id })}>
          <Said text={principal.name} />
        </a>{' '}
        <Said as="small" text={principal.id} />
      </>,
    ],
    ['Client', said(client)],
    ['Project', said(project)],
    ['Called', detail.way && (wayWords[detail.way] ?? detail.way)],
    ['Arguments', bytes(detail.requestBytes)],
    ['Result', bytes(detail.resultBytes)],
    ['Request id', requestId && <code>{requestId}</code>],
    ['JSON-RPC id', said(rpcId)],
    ['Trace', trace && <code>{said(trace)}</code>],
    ['Session', session && <code>{session}</code>],
    ['Arguments hash', argumentsHash && <code class="cut">{argumentsHash}</code>],
    ['Record', String(call.id)],
  ];
}

const recordColumns: readonly RowColumn<AuditLine>[] = [
  {
    title: 'Time',
    show: ({ time }) => <Time at={time} />,
    below: ({ outcome }) => <OutcomeBadge outcome={outcome} />,
  },
  { title: 'Kind', show: ({ kind }) => kind, isExtra: true },
  {
    title: 'Subject',
    show: (record) => (
      <span class="wraps">
        <Said text={calledName(record)} />
      </span>
    ),
  },
  { title: 'Outcome', show: ({ outcome }) => <OutcomeBadge outcome={outcome} />, isExtra: true },
  { title: 'Took', show: ({ durationMs }) => formatMs(durationMs), isNumber: true, isExtra: true },
];

/** A program makes several calls with one request. */
function SameRequest({ call, request }: { readonly call: AuditLine; readonly request: string }) {
  const found = useOperation('audit.list', { request, limit: 100 });
  return (
    <Panel title="Records of the same request" tools={<a href={pageLink(['audit'], { request })}>In the audit</a>}>
      <WhenFetched answer={found}>
        {({ records }) => (
          <Rows
            label="Records of the same request"
            rows={records.filter(({ id }) => id !== call.id)}
            columns={recordColumns}
            keyOf={({ id }) => String(id)}
            linkOf={callLink}
            empty={<small>There are no others.</small>}
          />
        )}
      </WhenFetched>
    </Panel>
  );
}
