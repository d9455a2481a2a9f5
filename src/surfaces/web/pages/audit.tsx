/** Audit: who did what, when, and how it ended; filtered, followed, and exported. */

import { useMemo } from 'preact/hooks';
import type { AuditLine } from '../../../admin/admin.ts';
import { auditQuestion, filterIn, timeSpans } from '../parts/address-filter.ts';
import { Button, Empty, FormField, Panel, WhenFetched } from '../parts/basic.tsx';
import { DraftInput } from '../parts/draft-input.tsx';
import { SelectField } from '../parts/fields.tsx';
import { FollowedRows } from '../parts/followed-rows.tsx';
import { OutcomeBadge } from '../parts/outcome.tsx';
import { outcomeWords } from '../parts/outcome-words.ts';
import { type RowColumn, Rows } from '../parts/rows.tsx';
import { formatMs, Said, Time } from '../parts/texts.tsx';
import { type PageAddress, pageLink, setQuery } from '../router.ts';
import { useLive, useOperation } from '../state.ts';
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

/** The members that the address holds, all of them texts. */
const auditFilterNames = [
  ...(['kind', 'principal', 'project', 'server', 'tool', 'outcome', 'action', 'request', 'since', 'until'] as const),
];
type AuditFilterName = (typeof auditFilterNames)[number];
type RecordFilter = Readonly<Partial<Record<AuditFilterName, string>>>;

const recordsPerPage = 200;

export function AuditRecordsPage({ address: { parts, query } }: { readonly address: PageAddress }) {
  const [id] = parts;
  if (id !== undefined) return <OneRecord key={id} id={Number(id)} />;
  const before = Number(query.get('before') ?? Number.NaN);
  return (
    <AuditRecords
      filter={filterIn(query, auditFilterNames)}
      before={Number.isSafeInteger(before) ? before : undefined}
    />
  );
}

interface AuditRecordsProps {
  readonly filter: RecordFilter;
  /** Where an older page begins; left out, the newest one is shown and followed. */
  readonly before: number | undefined;
}

function AuditRecords({ filter, before }: AuditRecordsProps) {
  // The beginning of a time span stays fixed while the page follows it, so that the query stays the same.
  const question = useMemo(() => auditQuestion(filter, Date.now()), [JSON.stringify(filter)]);
  const isNewest = before === undefined;
  const found = useOperation('audit.list', { ...question, before, limit: recordsPerPage }, isNewest ? ['calls'] : []);
  const table = {
    label: 'Records',
    columns: auditColumns,
    linkOf: ({ id }: AuditLine) => pageLink(['audit', String(id)]),
    empty: <NoRecords isFiltered={Object.keys(filter).length > 0} />,
  };
  return (
    <Panel
      title="Audit"
      tools={
        <>
          {!isNewest && <Button label="Newest" onClick={() => setQuery({ before: undefined })} />}
          <ExportButton label="Export JSON Lines" format="jsonl" question={question} />
          <ExportButton label="Export CSV" format="csv" question={question} />
        </>
      }
    >
      <AuditFilterBar filter={filter} />
      <WhenFetched answer={found}>
        {({ records, next }) => (
          <>
            {isNewest ? (
              <FollowedRows rows={records} {...table} />
            ) : (
              <Rows rows={records} keyOf={({ id }) => String(id)} {...table} />
            )}
            {next !== null && (
              <p class="more">
                <Button label="Show older records" onClick={() => setQuery({ before: String(next) })} />
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
function AuditFilterBar({ filter }: { readonly filter: RecordFilter }) {
  const servers = [...useLive((view) => view.servers).keys()];
  const tokens = useOperation('tokens.list', { ended: true }, ['tokens']);
  const projects = useOperation('projects.list', {}, ['projects']);
  const people = [...new Set(['owner', 'agent', ...(tokens.data ?? []).map(({ name }) => name)])];
  const outcomes = Object.entries(outcomeWords).map(([value, { plural }]) => [value, plural] as const);
  // The place of an older page means nothing under another filter.
  const set = (name: AuditFilterName) => (value: string) => setQuery({ [name]: value, before: undefined });
  const chosen = (name: AuditFilterName) => ({ value: filter[name] ?? '', onValue: set(name) });
  return (
    <div class="filters">
      <SelectField none="All" label="Kind" choices={auditKinds} {...chosen('kind')} />
      <SelectField none="All" label="Who" choices={people} {...chosen('principal')} />
      <SelectField
        none="All"
        label="Project"
        choices={(projects.data ?? []).map(({ name }) => name)}
        {...chosen('project')}
      />
      <SelectField none="All" label="Server" choices={servers} {...chosen('server')} />
      <AuditText label="Tool" {...chosen('tool')} />
      <SelectField none="All" label="Outcome" choices={outcomes} {...chosen('outcome')} />
      <AuditText label="Action" {...chosen('action')} />
      <AuditText label="Request" {...chosen('request')} />
      <SelectField none="All" label="Since" choices={timeSpans} {...chosen('since')} />
      {Object.keys(filter).length > 0 && (
        <Button
          label="Clear filter"
          onClick={() => setQuery(Object.fromEntries([...auditFilterNames, 'before'].map((name) => [name, undefined])))}
        />
      )}
    </div>
  );
}

interface AuditTextProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

function AuditText({ label, value, onValue }: AuditTextProps) {
  return (
    <FormField label={label}>
      <DraftInput type="search" value={value} onCommit={onValue} />
    </FormField>
  );
}
