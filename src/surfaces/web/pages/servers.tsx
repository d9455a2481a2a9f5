/** Servers: how each of them is, what it offers, and what went wrong last; below it, one server and the form for a new one. */

import type { LiveServer } from '../../../admin/admin.ts';
import { Badge, Empty, Panel } from '../parts/basic.tsx';
import { type RowColumn, Rows } from '../parts/rows.tsx';
import { Ago, formatCount, Said } from '../parts/texts.tsx';
import { goTo, type PageAddress, pageLink, setQuery } from '../router.ts';
import { useOperation, useOrder, useView } from '../state.ts';
import { AddServer } from './servers/add-server.tsx';
import { ServerDetail } from './servers/server-detail.tsx';
import { ServerStateBadge } from './servers/server-state.tsx';

export function ServersPage({ address }: { readonly address: PageAddress }) {
  const [name] = address.parts;
  if (name !== undefined) return <ServerDetail name={name} />;
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
  {
    title: 'Calls',
    show: ({ calls }) => formatCount(calls),
    order: ({ calls }) => calls,
    isNumber: true,
    isExtra: true,
  },
  { title: 'Review', show: (row) => <ReviewCount server={row} />, order: waitingIn, isExtra: true },
  {
    title: 'Connection',
    show: ({ transport, era }) => (era === null ? transport : `${transport}, ${era}`),
    order: ({ transport, era }) => `${transport} ${era}`,
    isExtra: true,
  },
  { title: 'Next try', show: ({ nextRetryAt }) => nextRetryAt && <Ago at={nextRetryAt} />, isExtra: true },
  { title: 'Last error', show: (row) => <LastError server={row} />, isExtra: true },
];

/** Without the name, with which the row begins. */
function LastError({ server: { name, lastError } }: { readonly server: LiveServer }) {
  if (lastError === null) return null;
  const prefix = `Server "${name}" `;
  return (
    <span title={lastError}>
      <Said text={lastError.startsWith(prefix) ? lastError.slice(prefix.length) : lastError} />
    </span>
  );
}

function waitingIn({ heldCount, changedCount }: LiveServer): number {
  return heldCount + changedCount;
}

function ReviewCount({ server }: { readonly server: LiveServer }) {
  const waiting = waitingIn(server);
  return waiting === 0 ? null : <Badge tone="warn">{`${waiting} to review`}</Badge>;
}

const states = ['connected', 'configured', 'installing', 'connecting', 'listing', 'failed', 'disabled'];

function ServerList({ query }: { readonly query: URLSearchParams }) {
  const all = [...useView().servers.values()];
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
      <select
        aria-label="State"
        value={state}
        onChange={({ currentTarget }) => setQuery({ state: currentTarget.value })}
      >
        <option value="">All states</option>
        {states.map((one) => (
          <option key={one} value={one}>
            {`${one} (${all.filter((row) => row.state === one).length})`}
          </option>
        ))}
      </select>
      <button
        type="button"
        disabled={order.isRunning}
        onClick={() => void order.give('servers.refresh', {}, 'All servers were asked for their tools.')}
      >
        Refresh all
      </button>
      <button type="button" class="main" onClick={() => goTo(['servers'], { add: '1' })}>
        Add a server
      </button>
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
