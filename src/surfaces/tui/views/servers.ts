/** Servers: how each of them is, what it offers, how it is used, and what went wrong last. */

import type { ReactElement } from 'react';
import type { LiveServer } from '../../../admin/admin.ts';
import { agoInWords } from '../../../base/amounts.ts';
import { definitionsToReview, isPassing, lastErrorOf, waysOn } from '../../wording/wording.ts';
import { gap, paragraph, stack } from '../parts/layout.ts';
import { useList } from '../parts/list.ts';
import { headRows, listTable, type TableColumn } from '../parts/table.ts';
import { say, type TextTone } from '../parts/text.ts';
import type { Screen } from '../screen.ts';
import { useAnswer, useLivePart, useTerminalTime, useTui } from '../state.ts';
import { useServerCommands } from './server-commands.ts';

interface ServerLine extends LiveServer {
  readonly callCount: number;
  readonly failureCount: number;
}

export function useServersView(): Screen {
  const { rows, columns, go } = useTui();
  const servers = useLivePart(({ view }) => view?.servers);
  const calls = new Map(useAnswer('metrics.servers', {}, ['calls']).data?.map((row) => [row.server, row]));
  const items = [...(servers?.values() ?? [])].map((server) => {
    const { callCount = 0, failureCount = 0 } = calls.get(server.name) ?? {};
    return { ...server, callCount, failureCount };
  });
  const now = useTerminalTime(items.some(({ nextRetryAt }) => nextRetryAt !== null) ? secondMs : minuteMs);
  const list = useList({ name: 'servers', items, idOf: ({ name }) => name, rows: rows - headRows });
  const orders = useServerCommands(list.selected);
  const open = () => list.selected && go({ view: 'server', name: list.selected.name });
  const empty = useNoServers();
  return {
    title: 'Servers',
    commands: [
      ...(list.selected ? [{ key: 'enter', label: 'Open', run: () => void open() }] : []),
      ...orders,
      ...list.commands,
    ],
    body: servers?.size === 0 ? empty : listTable(list, columnsOf(columns, now)),
  };
}

const secondMs = 1_000;
const minuteMs = 60_000;

/** How an owner who has no server yet gets one. */
function useNoServers(): ReactElement {
  const status = useAnswer('gateway.status', {}, ['config']).data;
  const ways =
    status === undefined
      ? []
      : waysOn({
          add: ['Ctrl-A', 'adds a server here'],
          found: null,
          command: status.command,
        });
  return stack(
    say('No server is configured yet. Three ways on:'),
    ...ways.flatMap(([way, meaning]) => [gap(`before ${way}`), paragraph(way, 3, 'strong'), say(`  ${meaning}`)]),
  );
}

const tones: Readonly<Record<string, TextTone>> = { connected: 'good', failed: 'bad', disabled: 'faint' };

export function serverTone(state: string): TextTone | undefined {
  return tones[state] ?? (isPassing(state) ? 'notice' : undefined);
}

/** From here on there is room for how a server is connected. */
const wideColumns = 110;

function columnsOf(width: number, now: number): readonly TableColumn<ServerLine>[] {
  return [
    { title: 'Name', width: 18, cell: ({ name }) => name },
    { title: 'State', width: 10, cell: ({ state }) => state, tone: ({ state }) => serverTone(state) },
    {
      title: 'Tools',
      width: 5,
      isNumber: true,
      cell: ({ listedAt, toolCount }) => (listedAt === null ? '–' : `${toolCount}`),
    },
    { title: 'Calls', width: 7, isNumber: true, cell: ({ callCount }) => `${callCount}` },
    { title: 'Errors', width: 6, isNumber: true, cell: ({ failureCount }) => `${failureCount}` },
    {
      title: 'Review',
      width: 6,
      isNumber: true,
      cell: (server) => `${definitionsToReview(server) || ''}`,
      tone: () => 'notice',
    },
    ...(width < wideColumns
      ? []
      : ([
          { title: 'Transport', width: 9, cell: ({ transport }) => transport },
          { title: 'Era', width: 6, cell: ({ era }) => era ?? '' },
          {
            title: 'Next try',
            width: 13,
            cell: ({ nextRetryAt }) => (nextRetryAt === null ? '' : agoInWords(nextRetryAt, now)),
          },
        ] as const satisfies readonly TableColumn<ServerLine>[])),
    { title: 'Last error', cell: lastErrorOf, tone: () => 'faint' },
  ];
}
