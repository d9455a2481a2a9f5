/** Servers: how each of them is, what it offers, and what went wrong last. */

import type { LiveServer } from '../../../admin/admin.ts';
import { Badge, Empty, Panel, type Tone } from '../parts/basic.tsx';
import { type RowColumn, Rows } from '../parts/rows.tsx';
import { Ago, formatCount, Said } from '../parts/texts.tsx';
import { pageLink } from '../router.ts';
import { useView } from '../state.ts';

const tones: Readonly<Record<string, Tone>> = { ready: 'good', failed: 'bad', disabled: 'quiet' };

const columns: readonly RowColumn<LiveServer>[] = [
  { title: 'Name', show: ({ name }) => name, order: ({ name }) => name },
  {
    title: 'State',
    show: ({ state }) => <Badge tone={tones[state] ?? 'plain'}>{state}</Badge>,
    order: ({ state }) => state,
  },
  { title: 'Tools', show: ({ toolCount }) => formatCount(toolCount), order: (row) => row.toolCount, isNumber: true },
  { title: 'Era', show: ({ era }) => era ?? '–', order: ({ era }) => era ?? '', isExtra: true },
  { title: 'Transport', show: ({ transport }) => transport, order: ({ transport }) => transport, isExtra: true },
  { title: 'Last error', show: ({ lastError }) => lastError && <Said text={lastError} />, isExtra: true },
  { title: 'Next retry', show: ({ nextRetryAt }) => nextRetryAt && <Ago at={nextRetryAt} />, isExtra: true },
];

export function ServersPage() {
  const servers = [...useView().servers.values()];
  return (
    <Panel title="Servers">
      <Rows
        label="Servers"
        rows={servers}
        columns={columns}
        keyOf={({ name }) => name}
        linkOf={({ name }) => pageLink(['servers', name])}
        empty={<Empty title="No servers yet">Add one here, or with toolcrib add.</Empty>}
      />
    </Panel>
  );
}
