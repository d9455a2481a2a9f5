/** Standing approvals: tools that a token may call without being asked again, and how to revoke one. */

import type { LastingApproval } from '../../../admin/admin.ts';
import { minuteOf } from '../../../base/amounts.ts';
import { stack } from '../parts/layout.ts';
import { useList } from '../parts/list.ts';
import { headRows, listTable, type TableColumn } from '../parts/table.ts';
import { say } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { useAnswer, useOrders, useTui } from '../state.ts';

export function useStandingApprovalsView(): Screen {
  const { rows, ask } = useTui();
  const { give } = useOrders();
  const approvals = useAnswer('approvals.lasting', {}, ['approvals']).data;
  const items = approvals ?? [];
  const list = useList({ name: 'standing approvals', items, idOf: ({ id }) => id, rows: rows - headRows });
  const { selected } = list;
  const revoke = ({ id, toolKey, principal }: LastingApproval) =>
    ask({
      text: `Ask again before ${principal} calls ${toolKey}?`,
      yes: () => void give('approvals.forget', { id }, `Calls of ${toolKey} by ${principal} are asked about again.`),
    });
  return {
    title: 'Review: standing approvals',
    commands: [...(selected ? [{ key: 'x', label: 'Revoke', run: () => revoke(selected) }] : []), ...list.commands],
    body:
      items.length > 0
        ? listTable(list, columns)
        : stack(say(approvals ? 'No tool is approved beyond a single call.' : 'Loading…', 'faint')),
  };
}

const columns: readonly TableColumn<LastingApproval>[] = [
  { title: 'Tool', width: 30, cell: ({ toolKey }) => toolKey },
  { title: 'For', width: 14, cell: ({ principal }) => principal },
  { title: 'Project', width: 10, cell: ({ project }) => project ?? '' },
  { title: 'Holds', cell: holdsInWords },
];

function holdsInWords({ holds, until }: LastingApproval): string {
  if (holds === 'always') return 'always';
  return until === null ? 'until its session ends' : `until ${minuteOf(until)}`;
}
