/** Calls as they are made, the newest on top. */

import type { AuditLine } from '../../../../admin/admin.ts';
import { Button, Empty, Failed, Loading } from '../../parts/basic.tsx';
import { FollowedRows } from '../../parts/followed-rows.tsx';
import { OutcomeBadge } from '../../parts/outcome.tsx';
import type { RowColumn } from '../../parts/rows.tsx';
import { formatMs, Said, Time } from '../../parts/texts.tsx';
import { pageLink } from '../../router.ts';
import { callDetailOf, calledName } from './call-detail.ts';
import type { CallFilter } from './call-filter.ts';
import { useTimeline } from './use-timeline.ts';

export const callColumns: readonly RowColumn<AuditLine>[] = [
  {
    title: 'Time',
    show: ({ time }) => <Time at={time} />,
    below: ({ outcome }) => <OutcomeBadge outcome={outcome} />,
  },
  { title: 'Outcome', show: ({ outcome }) => <OutcomeBadge outcome={outcome} />, isExtra: true },
  {
    title: 'Tool',
    show: (call) => (
      <span class="wraps">
        <Said text={calledName(call)} />
      </span>
    ),
  },
  { title: 'Took', show: ({ durationMs }) => formatMs(durationMs), isNumber: true, isExtra: true },
  { title: 'Token', show: ({ principal }) => <Said text={principal.name} />, isExtra: true },
  { title: 'Client', show: ({ client }) => client && <Said text={client} />, isExtra: true },
  { title: 'Error', show: (call) => <Said text={callDetailOf(call).error ?? ''} />, isExtra: true, isProse: true },
];

/** A record of anything else is shown in the audit. */
export const callLink = ({ id, kind }: AuditLine) => pageLink([kind === 'execution' ? 'calls' : 'audit', String(id)]);

export function CallTimeline({ filter }: { readonly filter: CallFilter }) {
  const { calls, error, next, loadOlder, reload } = useTimeline(filter);
  const failure = error && <Failed message={error.message} hint={error.hint} onRetry={reload} />;
  if (!calls) return failure ?? <Loading />;
  return (
    <>
      <FollowedRows
        label="Calls"
        rows={calls}
        columns={callColumns}
        linkOf={callLink}
        empty={<NoCalls isFiltered={Object.keys(filter).length > 0} />}
        onNearEnd={loadOlder}
      />
      {failure}
      {next !== null && (
        <p class="more">
          <Button label="Show older calls" onClick={loadOlder} />
        </p>
      )}
    </>
  );
}

function NoCalls({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No call matches this filter">Matching calls appear as they come.</Empty>;
  return <Empty title="No calls yet">Connect an agent, or try a tool by hand with toolcrib call SERVER:TOOL.</Empty>;
}
