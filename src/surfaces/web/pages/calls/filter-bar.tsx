/** The filter of the calls; it is kept in the address, so that it can be linked to and comes back with the page. */

import { errorCodes } from '../../../../base/errors.ts';
import { timeSpans } from '../../parts/address-filter.ts';
import { Button, FormField } from '../../parts/basic.tsx';
import { DraftInput } from '../../parts/draft-input.tsx';
import { SelectField } from '../../parts/fields.tsx';
import { failureOutcomes, outcomeWords } from '../../parts/outcome-words.ts';
import { setQuery } from '../../router.ts';
import { useLive, useOperation } from '../../state.ts';
import { type CallFilter, filterNames } from './call-filter.ts';

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
  const known = useLive((view) => view.servers);
  const { server } = filter;
  const called = useOperation('metrics.tools', server === undefined || !known.has(server) ? {} : { server });
  const tokens = useOperation('tokens.list', {}, ['tokens']);
  const used = useOperation('metrics.servers', {});
  // Calls of a server outlive it.
  const servers = [...new Set([...known.keys(), ...(used.data ?? []).map(({ server: name }) => name)])];
  const tools = (called.data?.tools ?? []).map(({ toolKey }) => toolKey.slice(toolKey.indexOf(':') + 1));
  const people = [...new Set(['owner', 'agent', ...(tokens.data ?? []).map(({ name }) => name)])];
  const chosen = (name: (typeof filterNames)[number]) => ({
    value: filter[name] ?? '',
    onValue: (value: string) => setQuery({ [name]: value }),
  });
  return (
    <div class="filters">
      <SelectField
        label="Server"
        none="All"
        value={server ?? ''}
        choices={servers}
        onValue={(value) => setQuery({ server: value, tool: undefined })}
      />
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
          <SelectField label="Token" none="All" choices={people} {...chosen('principal')} />
          <SelectField label="Outcome" none="All" choices={callOutcomes} {...chosen('outcome')} />
          <SelectField label="Error" none="All" choices={callCodes} {...chosen('errorType')} />
          <TimeFilter filter={filter} />
        </>
      )}
      {Object.keys(filter).length > 0 && (
        <Button
          label="Clear filter"
          onClick={() => setQuery(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
        />
      )}
    </div>
  );
}

/** A span up to now, or two times. */
function TimeFilter({ filter: { since = '', until = '' } }: { readonly filter: CallFilter }) {
  const isSpan = until === '' && (since === '' || timeSpans.some(([span]) => span === since));
  return (
    <>
      <SelectField
        label="Time"
        none="Any time"
        value={isSpan ? since : 'between'}
        choices={[...timeSpans, ['between', 'From … to …']]}
        onValue={(value) =>
          setQuery({
            since: value === 'between' ? new Date(Date.now() - 3_600_000).toISOString() : value,
            until: undefined,
          })
        }
      />
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
