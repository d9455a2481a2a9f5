/** Agents that are connected, or were seen lately. */

import type { ConnectedAgent } from '../../../../admin/admin.ts';
import { Badge, Empty } from '../../parts/basic.tsx';
import { FetchedRows, numberColumn, type RowColumn } from '../../parts/rows.tsx';
import { Ago, formatCount, Said, Time } from '../../parts/texts.tsx';
import { useNow, useOperation } from '../../state.ts';

const agentColumns: readonly RowColumn<ConnectedAgent>[] = [
  {
    title: 'Token',
    show: ({ principal }) => <Said text={principal} />,
    below: (agent) => (
      <>
        <AgentClient agent={agent} /> · <AgentState agent={agent} />
      </>
    ),
    order: ({ principal }) => principal,
  },
  {
    title: 'Client',
    show: (agent) => <AgentClient agent={agent} />,
    order: ({ client }) => client ?? '',
    isExtra: true,
  },
  {
    title: 'State',
    show: (agent) => <AgentState agent={agent} />,
    order: ({ isOpen }) => Number(isOpen),
    isExtra: true,
  },
  { title: 'Last request', show: ({ lastSeenAt }) => <Ago at={lastSeenAt} />, order: ({ lastSeenAt }) => lastSeenAt },
  numberColumn('Requests', ({ requests }) => requests, formatCount),
  { title: 'Since', show: ({ since }) => <Time at={since} />, order: ({ since }) => since, isExtra: true },
  { title: 'Era', show: ({ era }) => era, order: ({ era }) => era, isExtra: true },
  { title: 'Door', show: ({ door }) => <Said text={door} />, order: ({ door }) => door, isExtra: true },
  { title: 'Project', show: ({ project }) => project ?? '', isExtra: true },
  { title: 'Surface', show: ({ surface }) => surface ?? '', isExtra: true },
];

function AgentClient({ agent: { client } }: { readonly agent: ConnectedAgent }) {
  return <Said text={client ?? 'unnamed'} />;
}

function AgentState({ agent: { era, isOpen } }: { readonly agent: ConnectedAgent }) {
  if (era === 'modern') return <Badge>no session</Badge>;
  return <Badge tone={isOpen ? 'good' : 'quiet'}>{isOpen ? 'session open' : 'session ended'}</Badge>;
}

const redrawMs = 10_000;

export function AgentList() {
  const list = useOperation('agents.list', {}, ['agents']);
  useNow(redrawMs);
  return (
    <FetchedRows
      answer={list}
      label="Agents"
      columns={agentColumns}
      keyOf={(row) => JSON.stringify([row.principalId, row.client, row.door, row.project, row.surface, row.since])}
      empty={<Empty title="No agents yet">Agents appear with their first request after the gateway starts.</Empty>}
    />
  );
}
