/** One server in detail, as people read about it. */

import type { ServerDetails } from '../../admin/admin.ts';
import { printable } from '../../base/text.ts';
import type { CommandOutcome } from './command.ts';
import type { CommandContext } from './context.ts';

export function renderDetails(server: ServerDetails, { style }: CommandContext, head: string): CommandOutcome {
  const rows = [...connectionRows(server), ...settingRows(server), ...toolRows(server)];
  const widest = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `  ${style.faint(name.padEnd(widest))}  ${printable(value)}`);
  const remarks = server.notes.map((note) => `note: ${printable(note)}`).join('\n');
  return { data: server, text: [head, ...lines].join('\n'), remarks: remarks === '' ? undefined : remarks };
}

type Row = readonly [name: string, value: string];

function connectionRows({ connection, place, lastError }: ServerDetails): Row[] {
  const names = (name: string, list: readonly string[]): Row[] => (list.length > 0 ? [[name, list.join(', ')]] : []);
  const how: Row[] =
    'url' in connection
      ? [['url', connection.url], ...names('headers', connection.headers)]
      : [
          ['command', [connection.command, ...connection.args].join(' ')],
          ...names('cwd', connection.cwd === null ? [] : [connection.cwd]),
          ...names('env', connection.env),
        ];
  return [
    ...how,
    ...names('config', place === null ? [] : [place]),
    ...names('error', lastError === null ? [] : [lastError]),
  ];
}

/** Only what is set. */
function settingRows({ settings }: ServerDetails): Row[] {
  return Object.entries(settings).flatMap(([name, value]): Row[] => {
    if (value === null || value === false || value === 0) return [];
    if (typeof value !== 'object') return [[name, String(value)]];
    const items = Array.isArray(value) ? value : Object.entries(value).map(([key, item]) => `${key}=${item}`);
    return items.length === 0 ? [] : [[name, items.join(', ')]];
  });
}

function toolRows({ settings, tools, hiddenTools, listedAt }: ServerDetails): Row[] {
  if (listedAt === null) return [['exposed', 'not known yet: the server was never listed']];
  const isAll = settings.tools === null && hiddenTools.length === 0;
  return [
    ['exposed', tools.length === 0 ? 'no tools' : `${isAll ? 'all: ' : ''}${tools.join(', ')}`],
    ...(hiddenTools.length > 0 ? [['not exposed', hiddenTools.join(', ')] as const] : []),
  ];
}
