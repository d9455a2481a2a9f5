/** The activity log: who does what right now, the newest first. It stands still while somebody looks further down. */

import { useEffect } from 'react';
import type { AuditLine, InputOf } from '../../../admin/admin.ts';
import { duration } from '../../../base/amounts.ts';
import { stack } from '../parts/layout.ts';
import { useList } from '../parts/list.ts';
import { headRows, listTable, type TableColumn } from '../parts/table.ts';
import { say, type TextTone } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { useAnswer, useLivePart, useRemembered, useTui } from '../state.ts';

/** Records that a filter finds at most: as many as the live state holds. */
const mostFound = 200;

interface ActivityFilter {
  readonly name: string;
  /** null: the live records. */
  readonly question: InputOf<'audit.list'> | null;
}

/** One after the other, by one key. */
const filters: readonly ActivityFilter[] = [
  { name: 'all', question: null },
  { name: 'calls', question: { kind: 'execution', limit: mostFound } },
  { name: 'failures', question: { outcome: 'not-ok', limit: mostFound } },
  { name: 'administration', question: { kind: 'administration', limit: mostFound } },
];

export function useActivityView(): Screen {
  const { rows, columns: width, go } = useTui();
  const [filterAt, setFilter] = useRemembered('activity filter', 0);
  const { name, question } = filters[filterAt] ?? { name: 'all', question: null };
  const live = useLivePart(({ view }) => view?.records);
  const found = useAnswer('audit.list', question, ['calls']).data?.records;
  const [clearedAt, clear] = useRemembered('activity cleared', 0);
  const newest = ((question === null ? live : found) ?? []).filter(({ id }) => id > clearedAt);
  const [still, hold] = useRemembered<readonly AuditLine[] | undefined>(`activity still ${name}`, undefined);
  const items = still ?? newest;
  const list = useList({
    ...{ name: `activity ${name}`, items, idOf: ({ id }: AuditLine) => String(id) },
    ...{ rows: rows - headRows, followsFirst: true },
  });
  const isOnFirst = list.selected === items[0];
  useEffect(() => {
    if (isOnFirst === (still !== undefined)) hold(() => (isOnFirst ? undefined : items));
  });
  const newer = newest.filter(({ id }) => id > (items[0]?.id ?? 0)).length;
  const forget = () => {
    hold(() => undefined);
    clear(() => live?.[0]?.id ?? 0);
  };
  const open = ({ id }: AuditLine) => go({ view: 'record', id });
  return {
    title: `Activity: ${name}${still !== undefined && newer > 0 ? ` (${newer} newer above: Home)` : ''}`,
    commands: [
      { key: 'enter', label: 'Show', run: () => list.selected && open(list.selected) },
      { key: 'f', label: 'Filter', run: () => setFilter((at) => (at + 1) % filters.length) },
      { key: 'c', label: 'Clear', run: forget },
      { key: 'ctrl+l', label: 'Clear', run: forget, isQuiet: true },
      ...list.commands,
    ],
    body:
      items.length === 0
        ? stack(say('Nothing yet. What agents and owners do appears here.', 'faint'))
        : listTable(list, width < wideColumns ? columns : [...columns.slice(0, -1), client, ...columns.slice(-1)]),
  };
}

const tones: Readonly<Record<string, TextTone>> = { ok: 'good', refused: 'bad', failed: 'bad' };

export function outcomeTone(outcome: string): TextTone {
  return tones[outcome] ?? 'notice';
}

/** From this width on there is room for the program that asked. */
const wideColumns = 120;

const client: TableColumn<AuditLine> = {
  ...{ title: 'Client', width: 20, cell: (record) => record.client ?? '', tone: () => 'faint' },
};

const columns: readonly TableColumn<AuditLine>[] = [
  { title: 'Time', width: 8, cell: ({ time }) => new Date(time).toTimeString().slice(0, 8), tone: () => 'faint' },
  { title: 'Who', width: 12, cell: ({ principal }) => principal.name },
  { title: 'Action', width: 15, cell: ({ action }) => action },
  { title: 'Outcome', width: 9, cell: ({ outcome }) => outcome, tone: ({ outcome }) => outcomeTone(outcome) },
  {
    title: 'Took',
    width: 7,
    isNumber: true,
    cell: ({ durationMs }) => (durationMs === null ? '' : duration(durationMs)),
  },
  { title: 'What', cell: whatOf },
];

function whatOf({ server, tool, errorType, detail }: AuditLine): string {
  const subject = [server, tool].filter((part) => part !== null).join(':');
  const error = typeof detail?.error === 'string' ? detail.error : errorType;
  return [subject, error].filter(Boolean).join(' – ');
}
