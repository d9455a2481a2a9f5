/** Changes how a server is reached: the new way is tried out, its tools are shown, and then it is kept or discarded. */

import { useState } from 'preact/hooks';
import type { ShownTrial, WrittenConnection } from '../../../../admin/admin.ts';
import { changesIn, formOf, problemsIn, whyFixed } from '../../../wording/wording.ts';
import { Empty, Panel, WhenFetched } from '../../parts/basic.tsx';
import { pageLink } from '../../router.ts';
import { run } from '../../session.ts';
import { useOperation } from '../../state.ts';
import { ConnectionFields, useConnectionForm } from './connection-fields.tsx';
import { TriedServer } from './tried-server.tsx';

export function EditServer({ name }: { readonly name: string }) {
  // Asked once: what somebody types must not be replaced.
  const details = useOperation('servers.show', { name });
  return (
    <>
      <p>
        <a href={pageLink(['servers'])}>Servers</a> / <a href={pageLink(['servers', name])}>{name}</a>
      </p>
      <WhenFetched answer={details}>
        {(server) =>
          server.written === null ? (
            <Empty title="This connection cannot be changed here">{whyFixed(server)}</Empty>
          ) : (
            <EditConnection name={name} written={server.written} />
          )
        }
      </WhenFetched>
    </>
  );
}

const nobody = new Set<string>();

function EditConnection({ name, written }: { readonly name: string; readonly written: WrittenConnection }) {
  const [trial, setTrial] = useState<ShownTrial>();
  const state = useConnectionForm({
    first: formOf(name, written),
    problemsOf: (form) => problemsIn(form, nobody),
    onSend: async (form, allowEnv) =>
      setTrial(await run('servers.try', { name, connection: changesIn(form, written), allowEnv })),
  });
  if (trial) return <TriedServer key={trial.trial} trial={trial} onBack={() => setTrial(undefined)} />;
  return (
    <Panel title={`Edit the connection of “${name}”`}>
      <ConnectionFields
        state={state}
        question="Agents use the old connection until you keep the new one."
        cancel={pageLink(['servers', name])}
      >
        <p class="soft">Secrets are not shown. A value that reads “***” or “Kept” stays until you type over it.</p>
      </ConnectionFields>
    </Panel>
  );
}
