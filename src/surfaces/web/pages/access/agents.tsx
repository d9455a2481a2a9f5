/** Agents that are connected, or were seen lately. */

import type { ConnectedAgent } from '../../../../admin/admin.ts';
import { Badge, Empty, WhenFetched } from '../../parts/basic.tsx';
import { type RowColumn, Rows } from '../../parts/rows.tsx';
import { Ago, formatCount, Said, Time } from '../../parts/texts.tsx';
import { useNow, useOperation } from '../../state.ts';

const agentColumns: readonly RowColumn<ConnectedAgent>[] = [
  { title: 'Token', show: ({ principal }) => <Said text={principal} />, order: ({ principal }) => principal },
  { title: 'Client', show: ({ client }) => <Said text={client ?? 'unnamed'} />, order: ({ client }) => client ?? '' },
  {
    title: 'State',
    show: ({ era, isOpen }) =>
      era === 'modern' ? (
        <Badge>no session</Badge>
      ) : (
        <Badge tone={isOpen ? 'good' : 'quiet'}>{isOpen ? 'session open' : 'session ended'}</Badge>
      ),
    order: ({ isOpen }) => Number(isOpen),
  },
  { title: 'Last request', show: ({ lastSeenAt }) => <Ago at={lastSeenAt} />, order: ({ lastSeenAt }) => lastSeenAt },
  { title: 'Requests', show: ({ requests }) => formatCount(requests), order: (row) => row.requests, isNumber: true },
  { title: 'Since', show: ({ since }) => <Time at={since} />, order: ({ since }) => since, isExtra: true },
  { title: 'Era', show: ({ era }) => era, order: ({ era }) => era, isExtra: true },
  { title: 'Door', show: ({ door }) => <Said text={door} />, order: ({ door }) => door, isExtra: true },
  { title: 'Project', show: ({ project }) => project ?? '', isExtra: true },
  { title: 'Surface', show: ({ surface }) => surface ?? '', isExtra: true },
];

const redrawMs = 10_000;

export function AgentList() {
  const list = useOperation('agents.list', {}, ['agents']);
  useNow(redrawMs);
  return (
    <WhenFetched answer={list}>
      {(rows) => (
        <Rows
          label="Agents"
          rows={rows}
          columns={agentColumns}
          keyOf={(row) => JSON.stringify([row.principalId, row.client, row.door, row.project, row.surface, row.since])}
          empty={<Empty title="No agents yet">Agents appear with their first request after the gateway starts.</Empty>}
        />
      )}
    </WhenFetched>
  );
}
