/** The history of definitions: changes of servers and decisions of the owner, the newest first; the last decision can be undone. */

import type { ChangeHistory } from '../../../../admin/admin.ts';
import { historyInWords, sayReason } from '../../../wording/wording.ts';
import { Badge, Button, Empty, type Tone, WhenFetched } from '../../parts/basic.tsx';
import { Check, Select } from '../../parts/fields.tsx';
import { type RowColumn, Rows } from '../../parts/rows.tsx';
import { Said, Time } from '../../parts/texts.tsx';
import { pageLink, setQuery, useAddress } from '../../router.ts';
import { useLive, useOperation, useOrder } from '../../state.ts';

/** Of each act about a definition. */
export const actTones: Readonly<Record<string, Tone>> = {
  ...{ held: 'warn', changed: 'warn', marked: 'warn', approved: 'good', rejected: 'warn' },
};

export function ReviewHistory({ server }: { readonly server: string }) {
  const onlyDecisions = useAddress().query.get('only') === 'decisions';
  const servers = [...useLive((view) => view.servers).keys()];
  const list = useOperation('changes.list', { all: true, ...(server !== '' && { server }) }, ['definitions']);
  return (
    <>
      <div class="tools summary">
        <Check isOn={onlyDecisions} onValue={(isOn) => setQuery({ only: isOn ? 'decisions' : undefined })}>
          Decisions only
        </Check>
        <Select
          label="Server"
          none="All servers"
          value={server}
          choices={servers}
          onValue={(name) => setQuery({ server: name })}
        />
      </div>
      <WhenFetched answer={list}>
        {({ history }) => <HistoryRows history={onlyDecisions ? history.filter(({ by }) => by !== null) : history} />}
      </WhenFetched>
    </>
  );
}

/** Changes and decisions, each with what it is about. */
export function HistoryRows({ history }: { readonly history: readonly ChangeHistory[] }) {
  const { isRunning, give } = useOrder();
  const undo = ({ server: of, kind, name, key }: ChangeHistory) =>
    give('changes.undo', { server: of, kind, name }, `The decision about ${key} is undone.`);
  const columns: readonly RowColumn<ChangeHistory>[] = [
    {
      title: 'Definition',
      show: ({ key }) => <Said text={key} />,
      below: (row) => <HistoryEvent row={row} />,
      order: ({ key }) => key,
    },
    { title: 'Event', show: (row) => <HistoryEvent row={row} />, order: historyInWords, isExtra: true },
    {
      title: 'Undo',
      show: (row) => row.isUndoable && <Button label="Undo" disabled={isRunning} onClick={() => void undo(row)} />,
    },
    { title: 'Time', show: ({ at }) => <Time at={at} />, order: ({ at }) => at, isExtra: true },
    { title: 'By', show: ({ by }) => by ?? '', order: ({ by }) => by ?? '', isExtra: true },
    {
      title: 'Why',
      show: ({ reasons }) => <Said text={reasons.map(sayReason).join(' ')} />,
      isExtra: true,
      isProse: true,
    },
  ];
  return (
    <Rows
      label="History of definitions"
      rows={history}
      columns={columns}
      keyOf={({ at, kind, key, act, after }) => JSON.stringify([at, kind, key, act, after])}
      linkOf={({ kind, key, server }) => pageLink(kind === 'tool' ? ['tools', key] : ['servers', server])}
      empty={<Empty title="No changes yet">Servers are as they were first listed.</Empty>}
    />
  );
}

function HistoryEvent({ row }: { readonly row: ChangeHistory }) {
  return <Badge tone={actTones[row.act ?? ''] ?? 'plain'}>{historyInWords(row)}</Badge>;
}
