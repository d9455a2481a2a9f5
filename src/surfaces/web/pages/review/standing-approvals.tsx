/** Tools that somebody may call without being asked again, until the owner revokes that. */

import type { LastingApproval } from '../../../../admin/admin.ts';
import { Empty } from '../../parts/basic.tsx';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { FetchedRows, type RowColumn } from '../../parts/rows.tsx';
import { Said, Time } from '../../parts/texts.tsx';
import { useOperation, useOrder } from '../../state.ts';

export function StandingApprovals() {
  const list = useOperation('approvals.lasting', {}, ['approvals']);
  const { isRunning, give } = useOrder();
  const columns: readonly RowColumn<LastingApproval>[] = [
    {
      title: 'Tool',
      show: ({ toolKey }) => (
        <span class="wraps">
          <Said text={toolKey} />
        </span>
      ),
      below: (row) => (
        <>
          {row.principal}, <Holds row={row} />
        </>
      ),
      order: ({ toolKey }) => toolKey,
    },
    { title: 'Token', show: ({ principal }) => principal, order: ({ principal }) => principal, isExtra: true },
    { title: 'Project', show: ({ project }) => project ?? '', isExtra: true },
    { title: 'Client', show: ({ client }) => client && <Said text={client} />, isExtra: true },
    { title: 'Since', show: ({ at }) => <Time at={at} />, order: ({ at }) => at, isExtra: true },
    { title: 'Valid', show: (row) => <Holds row={row} />, isExtra: true },
    { title: 'By', show: ({ by }) => by, isExtra: true },
    {
      title: 'Revoke',
      show: ({ id, toolKey, principal }) => (
        <ConfirmButton
          label="Revoke"
          question={`Revoke this approval? The next call of ${toolKey} by ${principal} needs approval again.`}
          isDisabled={isRunning}
          onConfirm={() => void give('approvals.forget', { id }, 'The approval is revoked.')}
        />
      ),
    },
  ];
  return (
    <FetchedRows
      answer={list}
      label="Standing approvals"
      columns={columns}
      keyOf={({ id }) => id}
      empty={
        <Empty title="No standing approvals">
          A call that you approve for the session or always is listed here until you revoke it.
        </Empty>
      }
    />
  );
}

function Holds({ row: { holds, until } }: { readonly row: LastingApproval }) {
  if (holds === 'always') return <>always</>;
  if (until === null) return <>until its session ends</>;
  return (
    <>
      until <Time at={until} />
    </>
  );
}
