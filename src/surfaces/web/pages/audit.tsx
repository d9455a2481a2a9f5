/** Audit: who did what, when, and how it ended; filtered, followed, and exported. */

import { useMemo, useState } from 'preact/hooks';
import type { AuditLine } from '../../../admin/admin.ts';
import { Empty, FormField, Panel, WhenFetched } from '../parts/basic.tsx';
import { DraftInput } from '../parts/draft-input.tsx';
import { OutcomeBadge } from '../parts/outcome.tsx';
import { outcomeWords } from '../parts/outcome-words.ts';
import { type RowColumn, Rows } from '../parts/rows.tsx';
import { formatMs, Said, Time } from '../parts/texts.tsx';
import { type PageAddress, pageLink, setQuery } from '../router.ts';
import { useOperation, useView } from '../state.ts';
import {
  type AuditFilterName,
  auditFilterIn,
  auditFilterNames,
  auditQuestion,
  type RecordFilter,
} from './audit/audit-filter.ts';
import { ExportButton } from './audit/export-button.tsx';
import { OneRecord } from './audit/one-record.tsx';

const auditColumns: readonly RowColumn<AuditLine>[] = [
  {
    title: 'Time',
    show: ({ time }) => <Time at={time} />,
    below: ({ outcome }) => <OutcomeBadge outcome={outcome} />,
  },
  { title: 'Who', show: ({ principal }) => <Said text={principal.name} />, isExtra: true },
  { title: 'Outcome', show: ({ outcome }) => <OutcomeBadge outcome={outcome} />, isExtra: true },
  {
    title: 'Action',
    show: ({ action }) => <Said text={action} />,
    below: (record) => (
      <Said text={[subjectOf(record), record.principal.name].filter((part) => part !== '').join(' · ')} />
    ),
  },
  { title: 'Subject', show: (record) => <Said text={subjectOf(record)} />, isExtra: true },
  { title: 'Took', show: ({ durationMs }) => formatMs(durationMs), isNumber: true, isExtra: true },
  { title: 'Error', show: ({ errorType }) => errorType, isExtra: true },
  { title: 'Client', show: ({ client }) => client && <Said text={client} />, isExtra: true },
];

function subjectOf({ server, tool }: AuditLine): string {
  return [server, tool].filter((part) => part !== null).join(':');
}

const recordsPerPage = 200;

export function AuditRecordsPage({ address: { parts, query } }: { readonly address: PageAddress }) {
  const [id] = parts;
  if (id !== undefined) return <OneRecord key={id} id={Number(id)} />;
  const before = Number(query.get('before') ?? Number.NaN);
  return <AuditRecords filter={auditFilterIn(query)} before={Number.isSafeInteger(before) ? before : undefined} />;
}

interface AuditRecordsProps {
  readonly filter: RecordFilter;
  /** Where an older page begins; left out, the newest one is shown and followed. */
  readonly before: number | undefined;
}

function AuditRecords({ filter, before }: AuditRecordsProps) {
  const [isPaused, setPaused] = useState(false);
  // The beginning of a time span stays fixed while the page follows it, so that the query stays the same.
  const question = useMemo(() => auditQuestion(filter, Date.now()), [JSON.stringify(filter)]);
  const isFollowed = before === undefined && !isPaused;
  const found = useOperation('audit.list', { ...question, before, limit: recordsPerPage }, isFollowed ? ['calls'] : []);
  return (
    <Panel
      title="Audit"
      tools={
        <>
          {before === undefined ? (
            <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
              {isPaused ? '▶ Resume' : '❚❚ Pause'}
            </button>
          ) : (
            <button type="button" onClick={() => setQuery({ before: undefined })}>
              Newest
            </button>
          )}
          <ExportButton label="Export JSON Lines" format="jsonl" question={question} />
          <ExportButton label="Export CSV" format="csv" question={question} />
        </>
      }
    >
      <AuditFilterBar filter={filter} />
      <WhenFetched answer={found}>
        {({ records, next }) => (
          <>
            <Rows
              label="Records"
              rows={records}
              columns={auditColumns}
              keyOf={({ id }) => String(id)}
              linkOf={({ id }) => pageLink(['audit', String(id)])}
              empty={<NoRecords isFiltered={Object.keys(filter).length > 0} />}
            />
            {next !== null && (
              <p class="more">
                <button type="button" onClick={() => setQuery({ before: String(next) })}>
                  Show older records
                </button>
              </p>
            )}
          </>
        )}
      </WhenFetched>
    </Panel>
  );
}

function NoRecords({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No record matches this filter">Matching records appear as they come.</Empty>;
  return <Empty title="No records yet">Toolcrib records everything that agents and owners do.</Empty>;
}

const auditKinds = ['discovery', 'execution', 'administration', 'access'];
const spans: readonly (readonly [string, string])[] = [
  ['15m', 'Last 15 minutes'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
];

function AuditFilterBar({ filter }: { readonly filter: RecordFilter }) {
  const servers = [...useView().servers.keys()];
  const tokens = useOperation('tokens.list', { ended: true }, ['tokens']);
  const projects = useOperation('projects.list', {}, ['projects']);
  const people = [...new Set(['owner', 'agent', ...(tokens.data ?? []).map(({ name }) => name)])];
  const outcomes = Object.entries(outcomeWords).map(([value, { plural }]) => [value, plural] as const);
  // The place of an older page means nothing under another filter.
  const set = (name: AuditFilterName) => (value: string) => setQuery({ [name]: value, before: undefined });
  const chosen = (name: AuditFilterName) => ({ value: filter[name] ?? '', onValue: set(name) });
  return (
    <div class="filters">
      <AuditSelect label="Kind" choices={auditKinds} {...chosen('kind')} />
      <AuditSelect label="Who" choices={people} {...chosen('principal')} />
      <AuditSelect label="Project" choices={(projects.data ?? []).map(({ name }) => name)} {...chosen('project')} />
      <AuditSelect label="Server" choices={servers} {...chosen('server')} />
      <AuditText label="Tool" {...chosen('tool')} />
      <AuditSelect label="Outcome" choices={outcomes} {...chosen('outcome')} />
      <AuditText label="Action" {...chosen('action')} />
      <AuditText label="Request" {...chosen('request')} />
      <AuditSelect label="Since" choices={spans} {...chosen('since')} />
      {Object.keys(filter).length > 0 && (
        <button
          type="button"
          onClick={() => setQuery(Object.fromEntries([...auditFilterNames, 'before'].map((name) => [name, undefined])))}
        >
          Clear filter
        </button>
      )}
    </div>
  );
}

interface AuditFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

interface AuditSelectProps extends AuditFieldProps {
  readonly choices: readonly (string | readonly [string, string])[];
}

function AuditSelect({ label, value, onValue, choices }: AuditSelectProps) {
  const rows = choices.map((choice) => (typeof choice === 'string' ? ([choice, choice] as const) : choice));
  // A value that is gone, or came by a link, stays visible.
  if (value !== '' && !rows.some(([one]) => one === value)) rows.push([value, value]);
  return (
    <FormField label={label}>
      <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        <option value="">All</option>
        {rows.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </FormField>
  );
}

function AuditText({ label, value, onValue }: AuditFieldProps) {
  return (
    <FormField label={label}>
      <DraftInput type="search" value={value} onCommit={onValue} />
    </FormField>
  );
}
