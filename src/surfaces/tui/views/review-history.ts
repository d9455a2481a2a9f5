/** The history of definitions: changes of servers and decisions of the owner, the newest first; the last decision can be undone. */

import type { ChangeHistory } from '../../../admin/admin.ts';
import { historyInWords, sayReason } from '../../wording/wording.ts';
import { stack } from '../parts/layout.ts';
import { useList } from '../parts/list.ts';
import { headRows, listTable, type TableColumn } from '../parts/table.ts';
import { say } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { useAnswer, useOrders, useTui } from '../state.ts';

export function useReviewHistoryView(): Screen {
  const { rows, ask } = useTui();
  const { give } = useOrders();
  const history = useAnswer('changes.list', { all: true }, ['definitions']).data?.history;
  const items = history ?? [];
  const idOf = ({ at, kind, key, act, after }: ChangeHistory) => JSON.stringify([at, kind, key, act, after]);
  const list = useList({ name: 'review history', items, idOf, rows: rows - headRows });
  const { selected } = list;
  const undo = ({ server, kind, name, key }: ChangeHistory) =>
    ask({
      text: `Undo the decision about ${key}?`,
      yes: () => void give('changes.undo', { server, kind, name }, `The decision about ${key} is undone.`),
    });
  return {
    title: 'Review: history',
    commands: [
      ...(selected?.isUndoable ? [{ key: 'u', label: 'Undo', run: () => undo(selected) }] : []),
      ...list.commands,
    ],
    body:
      items.length > 0
        ? listTable(list, columns)
        : stack(say(history ? 'No changes yet. Servers are as they were first listed.' : 'Loading…', 'faint')),
  };
}

const columns: readonly TableColumn<ChangeHistory>[] = [
  { title: 'Time', width: 11, cell: ({ at }) => at.slice(5, 16).replace('T', ' '), tone: () => 'faint' },
  { title: 'Name', width: 26, cell: ({ key }) => key },
  { title: 'Event', cell: eventInWords },
];

function eventInWords(row: ChangeHistory): string {
  const { by, isUndoable, reasons } = row;
  const decided = by === null ? '' : ` by ${by}${isUndoable ? ' (u undoes it)' : ''}`;
  return [`${historyInWords(row)}${decided}`, ...reasons.map(sayReason)].join('; ');
}
