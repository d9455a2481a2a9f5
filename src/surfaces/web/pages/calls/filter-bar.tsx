/** The filter of the calls; it is kept in the address, so that it can be linked to and comes back with the page. */

import { errorCodes } from '../../../../base/errors.ts';
import { FormField } from '../../parts/basic.tsx';
import { DraftInput } from '../../parts/draft-input.tsx';
import { failureOutcomes, outcomeWords } from '../../parts/outcome-words.ts';
import { setQuery } from '../../router.ts';
import { useOperation, useView } from '../../state.ts';
import { type CallFilter, filterNames } from './call-filter.ts';

const times: readonly (readonly [string, string])[] = [
  ['', 'Any time'],
  ['15m', 'Last 15 minutes'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
];

/** The codes that a call can end with come first, up to this one. */
const callCodes = errorCodes.slice(0, errorCodes.indexOf('CANCELLED') + 1);

const callOutcomes = [
  ['not-ok', 'All failures'] as const,
  ...(['ok', ...failureOutcomes] as const).map((value) => [value, outcomeWords[value]?.plural ?? value] as const),
];

interface FilterBarProps {
  readonly filter: CallFilter;
  /** Sums over time are known by server and tool alone. */
  readonly isOfSums: boolean;
}

export function CallFilterBar({ filter, isOfSums }: FilterBarProps) {
  const view = useView();
  const { server } = filter;
  const called = useOperation('metrics.tools', server === undefined || !view.servers.has(server) ? {} : { server });
  const tokens = useOperation('tokens.list', {}, ['tokens']);
  const used = useOperation('metrics.servers', {});
  // Calls of a server outlive it.
  const servers = [...new Set([...view.servers.keys(), ...(used.data ?? []).map(({ server: name }) => name)])];
  const tools = (called.data?.tools ?? []).map(({ toolKey }) => toolKey.slice(toolKey.indexOf(':') + 1));
  const people = [...new Set(['owner', 'agent', ...(tokens.data ?? []).map(({ name }) => name)])];
  return (
    <div class="filters">
      <FilterSelect label="Server" name="server" filter={filter} choices={servers} clears="tool" />
      <FormField label="Tool">
        <DraftInput type="search" list="call-tools" value={filter.tool ?? ''} onCommit={(tool) => setQuery({ tool })} />
        <datalist id="call-tools">
          {[...new Set(tools)].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </FormField>
      {!isOfSums && (
        <>
          <FilterSelect label="Token" name="principal" filter={filter} choices={people} />
          <FilterSelect label="Outcome" name="outcome" filter={filter} choices={callOutcomes} />
          <FilterSelect label="Error" name="errorType" filter={filter} choices={callCodes} />
          <TimeFilter filter={filter} />
        </>
      )}
      {Object.keys(filter).length > 0 && (
        <button
          type="button"
          onClick={() => setQuery(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
        >
          Clear filter
        </button>
      )}
    </div>
  );
}

interface SelectProps {
  readonly label: string;
  readonly name: (typeof filterNames)[number];
  readonly filter: CallFilter;
  readonly choices: readonly (string | readonly [string, string])[];
  /** Another one that means nothing after a change. */
  readonly clears?: (typeof filterNames)[number];
}

function FilterSelect({ label, name, filter, choices, clears }: SelectProps) {
  const value = filter[name] ?? '';
  const rows = choices.map((choice) => (typeof choice === 'string' ? ([choice, choice] as const) : choice));
  // A value that is gone, or came by a link, stays visible.
  if (value !== '' && !rows.some(([one]) => one === value)) rows.push([value, value]);
  return (
    <FormField label={label}>
      <select
        value={value}
        onChange={({ currentTarget }) =>
          setQuery({ [name]: currentTarget.value, ...(clears && { [clears]: undefined }) })
        }
      >
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

/** A span up to now, or two times. */
function TimeFilter({ filter: { since = '', until = '' } }: { readonly filter: CallFilter }) {
  const isSpan = until === '' && times.some(([span]) => span === since);
  return (
    <>
      <FormField label="Time">
        <select
          value={isSpan ? since : 'between'}
          onChange={({ currentTarget: { value } }) =>
            setQuery(
              value === 'between'
                ? { since: new Date(Date.now() - 3_600_000).toISOString(), until: undefined }
                : { since: value, until: undefined },
            )
          }
        >
          {times.map(([span, text]) => (
            <option key={span} value={span}>
              {text}
            </option>
          ))}
          <option value="between">From … to …</option>
        </select>
      </FormField>
      {!isSpan && (
        <>
          <TimeInput label="From" name="since" value={since} />
          <TimeInput label="To" name="until" value={until} />
        </>
      )}
    </>
  );
}

interface TimeInputProps {
  readonly label: string;
  readonly name: 'since' | 'until';
  readonly value: string;
}

function TimeInput({ label, name, value }: TimeInputProps) {
  return (
    <FormField label={label}>
      <DraftInput
        type="datetime-local"
        value={localTime(value)}
        onCommit={(text) => {
          const date = new Date(text);
          setQuery({ [name]: Number.isNaN(date.getTime()) ? undefined : date.toISOString() });
        }}
      />
    </FormField>
  );
}

/** As the input wants it: the clock of this machine, to the minute. */
function localTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
