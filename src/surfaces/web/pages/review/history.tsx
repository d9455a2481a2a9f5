/** The history of definitions: changes of servers and decisions of the owner, the newest first; the last decision can be undone. */

import type { ChangeHistory } from '../../../../admin/admin.ts';
import { actInWords, changeInWords, placeInWords } from '../../../wording/wording.ts';
import { Badge, Empty, type Tone, WhenFetched } from '../../parts/basic.tsx';
import { type RowColumn, Rows } from '../../parts/rows.tsx';
import { Said, Time } from '../../parts/texts.tsx';
import { setQuery, useAddress } from '../../router.ts';
import { useOperation, useOrder, useView } from '../../state.ts';

const tones: Readonly<Record<string, Tone>> = {
  ...{ held: 'warn', changed: 'warn', marked: 'warn', approved: 'good', rejected: 'warn' },
};

export function ReviewHistory({ server }: { readonly server: string }) {
  const onlyDecisions = useAddress().query.get('only') === 'decisions';
  const servers = [...useView().servers.keys()];
  const list = useOperation('changes.list', { all: true, ...(server !== '' && { server }) }, ['definitions']);
  const { isRunning, give } = useOrder();
  const undo = ({ server: of, kind, name, key }: ChangeHistory) =>
    give('changes.undo', { server: of, kind, name }, `The decision about ${key} is undone.`);
  const columns: readonly RowColumn<ChangeHistory>[] = [
    { title: 'Definition', show: ({ key }) => <Said text={key} />, order: ({ key }) => key },
    {
      title: 'Event',
      show: (row) => <Badge tone={tones[row.act ?? ''] ?? 'plain'}>{historyInWords(row)}</Badge>,
      order: historyInWords,
    },
    {
      title: 'Undo',
      show: (row) =>
        row.isUndoable && (
          <button type="button" disabled={isRunning} onClick={() => void undo(row)}>
            Undo
          </button>
        ),
    },
    { title: 'Time', show: ({ at }) => <Time at={at} />, order: ({ at }) => at, isExtra: true },
    { title: 'By', show: ({ by }) => by ?? '', order: ({ by }) => by ?? '', isExtra: true },
    { title: 'Why', show: ({ reasons }) => <Said text={whyInWords(reasons)} />, isExtra: true },
  ];
  return (
    <>
      <div class="tools summary">
        <label>
          <input
            type="checkbox"
            checked={onlyDecisions}
            onChange={() => setQuery({ only: onlyDecisions ? undefined : 'decisions' })}
          />{' '}
          Decisions only
        </label>
        <select
          aria-label="Server"
          value={server}
          onChange={({ currentTarget }) => setQuery({ server: currentTarget.value || undefined })}
        >
          <option value="">All servers</option>
          {servers.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <WhenFetched answer={list}>
        {({ history }) => (
          <Rows
            label="History of definitions"
            rows={onlyDecisions ? history.filter(({ by }) => by !== null) : history}
            columns={columns}
            keyOf={({ at, kind, key, act, after }) => JSON.stringify([at, kind, key, act, after])}
            empty={<Empty title="No changes yet">Servers are as they were first listed.</Empty>}
          />
        )}
      </WhenFetched>
    </>
  );
}

function historyInWords({ change, act, grade }: ChangeHistory): string {
  const words = [
    ...(change === null ? [] : [changeInWords(change)]),
    ...(act === null ? [] : [actInWords({ act, grade })]),
  ];
  return words.join(', ');
}

function whyInWords(reasons: ChangeHistory['reasons']): string {
  return reasons
    .map(({ where, sentence }) => (where === '' ? sentence : `${placeInWords(where)}: ${sentence}`))
    .join(' ');
}
