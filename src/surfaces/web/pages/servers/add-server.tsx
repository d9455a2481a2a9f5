/** Adds a server by a form: it is started, its tools are shown, and then it is kept or discarded. */

import { useState } from 'preact/hooks';
import { emptyServerForm, problemsIn, specOf } from '../../../wording/wording.ts';
import { Panel } from '../../parts/basic.tsx';
import { TextField } from '../../parts/fields.tsx';
import { pageLink } from '../../router.ts';
import { run } from '../../session.ts';
import { useLive } from '../../state.ts';
import { ConnectionFields, FieldHint, useConnectionForm } from './connection-fields.tsx';
import { FoundServer } from './found-server.tsx';

export function AddServer() {
  const servers = useLive((view) => view.servers);
  const [added, setAdded] = useState<string>();
  const [discarded, setDiscarded] = useState<string>();
  const state = useConnectionForm({
    first: emptyServerForm,
    // The live view may learn a little later that a server is gone.
    problemsOf: (form) => problemsIn(form, { has: (name) => name !== discarded && servers.has(name) }),
    onSend: async (form, allowEnv) => {
      const outcome = await run('servers.add', { name: form.name, spec: specOf(form), allowEnv });
      setAdded(outcome.name);
    },
  });
  const forget = () => {
    setDiscarded(added);
    setAdded(undefined);
  };
  if (added !== undefined) return <FoundServer name={added} onDiscarded={forget} />;
  return (
    <>
      <p>
        <a href={pageLink(['servers'])}>Servers</a>
      </p>
      <Panel title="Add a server">
        <ConnectionFields state={state} question="Then you decide whether to keep it." cancel={pageLink(['servers'])}>
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
