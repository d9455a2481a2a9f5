/** Adds a server by a form: it is started, its tools are shown, and then it is kept or discarded. */

import { useState } from 'preact/hooks';
import type { ShownTrial } from '../../../../admin/admin.ts';
import { emptyServerForm, problemsIn, specOf } from '../../../wording/wording.ts';
import { Panel } from '../../parts/basic.tsx';
import { TextField } from '../../parts/fields.tsx';
import { pageLink } from '../../router.ts';
import { run } from '../../session.ts';
import { useLive } from '../../state.ts';
import { ConnectionFields, FieldHint, useConnectionForm } from './connection-fields.tsx';
import { TriedServer } from './tried-server.tsx';

export function AddServer() {
  const servers = useLive((view) => view.servers);
  const [trial, setTrial] = useState<ShownTrial>();
  const state = useConnectionForm({
    first: emptyServerForm,
    problemsOf: (form) => problemsIn(form, servers),
    onSend: async (form, allowEnv) =>
      setTrial(await run('servers.try', { name: form.name, spec: specOf(form), allowEnv })),
  });
  if (trial) return <TriedServer key={trial.trial} trial={trial} onBack={() => setTrial(undefined)} />;
  return (
    <>
      <p>
        <a href={pageLink(['servers'])}>Servers</a>
      </p>
      <Panel title="Add a server">
        <ConnectionFields
          state={state}
          question="Agents see nothing of it until you keep it."
          cancel={pageLink(['servers'])}
        >
          <TextField
            label="Name"
            hint={<FieldHint problem={state.problems.name}>Agents see its tools as name:tool.</FieldHint>}
            autocomplete="off"
            spellcheck={false}
            placeholder="files"
            aria-invalid={state.problems.name !== undefined}
            value={state.form.name}
            onValue={(name) => state.change({ name: name.trim() })}
          />
        </ConnectionFields>
      </Panel>
    </>
  );
}
