/** Servers: how each of them is, what it offers, and what went wrong last; below it, one server and the forms for a new one and for its connection. */

import type { LiveServer } from '../../../admin/admin.ts';
import { connectionInWords, waitingIn } from '../../wording/wording.ts';
import { Badge, Button, Empty, Panel } from '../parts/basic.tsx';
import { Select } from '../parts/fields.tsx';
import { extra, numberColumn, type RowColumn, Rows } from '../parts/rows.tsx';
import { Ago, formatCount } from '../parts/texts.tsx';
import { goTo, type PageAddress, pageLink, setQuery } from '../router.ts';
import { useLive, useOperation, useOrder } from '../state.ts';
import { AddServer } from './servers/add-server.tsx';
import { EditServer } from './servers/edit-server.tsx';
import { ServerDetail } from './servers/server-detail.tsx';
import { ServerLastError, ServerStateBadge } from './servers/server-state.tsx';

export function ServersPage({ address }: { readonly address: PageAddress }) {
  const [name] = address.parts;
  if (name !== undefined)
    return address.query.has('edit') ? <EditServer key={name} name={name} /> : <ServerDetail name={name} />;
  if (address.query.has('add')) return <AddServer />;
  return <ServerList query={address.query} />;
}

interface ServerRow extends LiveServer {
  readonly calls: number;
}

const columns: readonly RowColumn<ServerRow>[] = [
  { title: 'Name', show: ({ name }) => name, order: ({ name }) => name },
  { title: 'State', show: ({ state }) => <ServerStateBadge state={state} />, order: ({ state }) => state },
  {
    title: 'Tools',
    show: ({ toolCount, listedAt }) => (listedAt === null ? '–' : formatCount(toolCount)),
    order: (row) => row.toolCount,
    isNumber: true,
  },
  numberColumn('Calls', ({ calls }) => calls, formatCount, extra),
  { title: 'Review', show: (row) => <ReviewCount server={row} />, order: waitingIn, isExtra: true },
  {
    title: 'Connection',
    show: connectionInWords,
    order: ({ transport, era }) => `${transport} ${era}`,
    isExtra: true,
  },
  { title: 'Next try', show: ({ nextRetryAt }) => nextRetryAt && <Ago at={nextRetryAt} />, isExtra: true },
  { title: 'Last error', show: (row) => <ServerLastError server={row} />, isExtra: true, isProse: true },
];

function ReviewCount({ server }: { readonly server: LiveServer }) {
  const waiting = waitingIn(server);
  return waiting === 0 ? null : <Badge tone="warn">{`${waiting} to review`}</Badge>;
}

const states = ['connected', 'configured', 'installing', 'connecting', 'listing', 'failed', 'disabled'];

function ServerList({ query }: { readonly query: URLSearchParams }) {
  const all = [...useLive(({ servers }) => servers).values()];
  const { data: calls = [] } = useOperation('metrics.servers', {}, ['calls']);
  const order = useOrder();
  const byServer = new Map(calls.map(({ server, callCount }) => [server, callCount]));
  const [text, state] = [query.get('text') ?? '', query.get('state') ?? ''];
  const rows = all
    .filter((row) => (state === '' || row.state === state) && fits(row, text))
    .map((row) => ({ ...row, calls: byServer.get(row.name) ?? 0 }));
  const tools = (
    <>
      <input
        type="search"
        placeholder="Filter"
        aria-label="Filter by name or error"
        value={text}
        onInput={({ currentTarget }) => setQuery({ text: currentTarget.value })}
      />
      <Select
        label="State"
        none="All states"
        value={state}
        choices={states.map((one) => [one, `${one} (${all.filter((row) => row.state === one).length})`] as const)}
        onValue={(one) => setQuery({ state: one })}
      />
      <Button
        label="Refresh all"
        disabled={order.isRunning}
        onClick={() => void order.give('servers.refresh', {}, 'All servers were asked for their tools.')}
      />
      <Button label="Add a server" class="main" onClick={() => goTo(['servers'], { add: '1' })} />
    </>
  );
  return (
    <Panel title="Servers" tools={tools}>
      <Rows
        label="Servers"
        rows={rows}
        columns={columns}
        keyOf={({ name }) => name}
        linkOf={({ name }) => pageLink(['servers', name])}
        empty={
          all.length === 0 ? (
            <Empty title="No servers yet">Add one here, or with toolcrib add.</Empty>
          ) : (
            <Empty title="No server matches this filter" />
          )
        }
      />
    </Panel>
  );
}

function fits({ name, title, lastError }: LiveServer, text: string): boolean {
  const wanted = text.toLowerCase();
  return [name, title, lastError ?? ''].some((part) => part.toLowerCase().includes(wanted));
}
