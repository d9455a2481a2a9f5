/** Secrets by name: set, replaced and removed, never read. */

import { useState } from 'preact/hooks';
import type { OutputOf } from '../../../../admin/admin.ts';
import { Badge, Empty, FormField, WhenFetched } from '../../parts/basic.tsx';
import { ConfirmButton, Dialog, FormButtons } from '../../parts/dialog.tsx';
import { type RowColumn, Rows } from '../../parts/rows.tsx';
import { Time } from '../../parts/texts.tsx';
import { useOperation, useOrder } from '../../state.ts';

type SecretRow = OutputOf<'secrets.list'>[number];

export function SecretList() {
  const list = useOperation('secrets.list', {}, ['secrets', 'config', 'servers']);
  /** The name of the one that is set; empty: a new one. */
  const [editing, setEditing] = useState<string | undefined>();
  const { isRunning, give } = useOrder();
  const columns: readonly RowColumn<SecretRow>[] = [
    { title: 'Name', show: ({ name }) => <strong>{name}</strong>, order: ({ name }) => name },
    {
      title: 'State',
      show: ({ state }) => <Badge tone={state === 'set' ? 'good' : 'bad'}>{state}</Badge>,
      order: ({ state }) => state,
    },
    {
      title: 'Set',
      show: ({ setAt }) => setAt && <Time at={setAt} />,
      order: ({ setAt }) => setAt ?? '',
      isExtra: true,
    },
    { title: 'Used by', show: ({ usedBy }) => usedBy.join(', '), isExtra: true },
    {
      title: 'Change',
      show: ({ name, state, usedBy }) => (
        <div class="tools">
          <button type="button" onClick={() => setEditing(name)}>
            {state === 'missing' ? 'Set' : 'Replace'}
          </button>
          {state !== 'missing' && (
            <ConfirmButton
              label="Remove"
              question={
                usedBy.length === 0
                  ? `Remove secret “${name}”? Its value is deleted.`
                  : `Remove secret “${name}”? Its value is deleted. These servers stop working: ${usedBy.join(', ')}.`
              }
              isDisabled={isRunning}
              onConfirm={() => void give('secrets.remove', { name, force: true }, `Secret ${name} is removed.`)}
            />
          )}
        </div>
      ),
    },
  ];
  return (
    <>
      <div class="tools summary">
        <button type="button" class="main" onClick={() => setEditing('')}>
          Set a secret
        </button>
        <span>
          Servers refer to one as{' '}
          <code>
            ${'{'}secret:NAME{'}'}
          </code>
          . Values are never shown.
        </span>
      </div>
      <WhenFetched answer={list}>
        {(rows) => (
          <Rows
            label="Secrets"
            rows={rows}
            columns={columns}
            keyOf={({ name }) => name}
            empty={<Empty title="No secrets">Set one, and refer to it in the settings of a server.</Empty>}
          />
        )}
      </WhenFetched>
      {editing !== undefined && <SecretForm name={editing} onClose={() => setEditing(undefined)} />}
    </>
  );
}

function SecretForm({ name: given, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const [name, setName] = useState(given);
  const [value, setValue] = useState('');
  const { isRunning, give } = useOrder();
  const save = async (event: Event) => {
    event.preventDefault();
    if (await give('secrets.set', { name: name.trim(), value }, `Secret ${name.trim()} is set.`)) onClose();
  };
  return (
    <Dialog title={given === '' ? 'Set a secret' : `Secret ${given}`} onClose={onClose}>
      <form onSubmit={(event) => void save(event)}>
        {given === '' && (
          <FormField label="Name" hint="Letters, digits, _ - and .">
            <input required value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
          </FormField>
        )}
        <FormField label="Value" hint="Stored encrypted. Servers reconnect with it at their next use.">
          <input
            type="password"
            required
            autocomplete="off"
            value={value}
            onInput={({ currentTarget }) => setValue(currentTarget.value)}
          />
        </FormField>
        <FormButtons label="Set secret" isDisabled={isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
