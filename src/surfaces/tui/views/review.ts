/** Review: everything that waits for the owner. Calls come first, then upgrades and definitions. */

import type { DefinitionChange, ServerUpgrade, WaitingCall } from '../../../admin/admin.ts';
import {
  changeKey,
  changesInUpgrade,
  isUndecided,
  isWaiting,
  sortChanges,
  stateInShort,
  upgradeInWords,
} from '../../wording/wording.ts';
import { stack } from '../parts/layout.ts';
import { useList } from '../parts/list.ts';
import { headRows, listTable, type TableColumn } from '../parts/table.ts';
import { say, type TextTone } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { useAnswer, useTui } from '../state.ts';
import type { ViewAddress } from '../views.ts';

/** One row: something to decide about. */
interface Waiting {
  readonly id: string;
  readonly what: string;
  readonly name: string;
  readonly state: string;
  readonly tone: TextTone;
  readonly why: string;
  readonly address: ViewAddress;
}

export function useReviewView(): Screen {
  const { rows, columns, go } = useTui();
  const calls = useAnswer('approvals.list', {}, ['approvals']).data;
  const listed = useAnswer('changes.list', {}, ['definitions']).data;
  const servers = listed ? sortChanges(listed) : [];
  const definitions = servers.flatMap((own) => [
    ...(own.upgrade && changesInUpgrade(own).length > 0 ? [upgradeRow(own.upgrade, changesInUpgrade(own))] : []),
    ...own.changes.filter(isUndecided).map(definitionRow),
  ]);
  const rejected = (listed?.changes ?? []).filter((change) => !isUndecided(change)).map(definitionRow);
  const items = [...(calls ?? []).map(callRow), ...definitions, ...rejected];
  const list = useList({ name: 'review', items, idOf: ({ id }) => id, rows: rows - headRows });
  const isKnown = calls !== undefined && listed !== undefined;
  return {
    title: 'Review',
    commands: [
      { key: 'enter', label: 'Read and decide', run: () => list.selected && go(list.selected.address) },
      { key: 'h', label: 'History, undo', run: () => go({ view: 'review-history' }) },
      { key: 'p', label: 'Standing approvals', run: () => go({ view: 'standing-approvals' }) },
      ...list.commands,
    ],
    body:
      items.length > 0
        ? listTable(list, columnsFor(columns))
        : stack(say(isKnown ? '✓ Nothing waits: every definition is as approved, and no call waits.' : 'Loading…')),
  };
}

function columnsFor(width: number): readonly TableColumn<Waiting>[] {
  return [
    { title: 'What', width: 8, cell: ({ what }) => what },
    { title: 'Name', width: Math.floor(width / 3), cell: ({ name }) => name },
    { title: 'State', width: 12, cell: ({ state }) => state, tone: ({ tone }) => tone },
    { title: 'Why', cell: ({ why }) => why },
  ];
}

function callRow({ id, toolKey, principal, arguments: given }: WaitingCall): Waiting {
  return {
    ...{ id: `call ${id}`, what: 'call', name: toolKey, state: 'waits', tone: 'bad' },
    ...{ why: `${principal} asks: ${given.replace(/\s+/g, ' ')}`, address: { view: 'waiting-call', id } },
  };
}

/** Its definitions as they are now are what is read and decided. */
function upgradeRow(upgrade: ServerUpgrade, changes: readonly DefinitionChange[]): Waiting {
  const { server, from, to } = upgrade;
  const isUrgent = changes.some(isWaiting);
  return {
    ...{ id: `upgrade ${server}`, what: 'upgrade', name: server },
    ...{ state: isUrgent ? 'waits' : 'worth a look', tone: isUrgent ? 'bad' : 'notice' },
    why: `${from} → ${to}: ${upgradeInWords(upgrade)}`,
    address: { view: 'definitions', keys: changes.map(changeKey), upgradeOf: server },
  };
}

function definitionRow(change: DefinitionChange): Waiting {
  const { server, kind, key, state, reasons } = change;
  return {
    ...{ id: changeKey(change), what: kind, name: kind === 'server' ? server : key },
    ...{ state: stateInShort(change), tone: stateTone(state) },
    why: reasons[0]?.sentence ?? '',
    address: { view: 'definitions', keys: [changeKey(change)] },
  };
}

function stateTone(state: DefinitionChange['state']): TextTone {
  if (state === 'rejected') return 'faint';
  return state === 'approved' ? 'notice' : 'bad';
}
