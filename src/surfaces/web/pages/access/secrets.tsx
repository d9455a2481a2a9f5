/** Secrets by name: set, replaced and removed, never read. */

import { useState } from 'preact/hooks';
import type { OutputOf } from '../../../../admin/admin.ts';
import { Badge, Button, Empty } from '../../parts/basic.tsx';
import { ConfirmButton, Dialog, FormButtons } from '../../parts/dialog.tsx';
import { PageForm, TextField } from '../../parts/fields.tsx';
import { FetchedRows, type RowColumn } from '../../parts/rows.tsx';
import { Time } from '../../parts/texts.tsx';
import { useOperation, useOrder } from '../../state.ts';

type SecretRow = OutputOf<'secrets.list'>[number];

export function SecretList() {
  const list = useOperation('secrets.list', {}, ['secrets', 'config', 'servers']);
  /** The name of the one that is set; empty: a new one. */
  const [editing, setEditing] = useState<string | undefined>();
  const { isRunning, give } = useOrder();
  const columns: readonly RowColumn<SecretRow>[] = [
    ...secretFacts,
    {
      title: 'Change',
      show: ({ name, state, usedBy }) => (
        <div class="tools">
          <Button label={state === 'missing' ? 'Set' : 'Replace'} onClick={() => setEditing(name)} />
          {state !== 'missing' && (
            <ConfirmButton
              label="Remove"
              question={
                usedBy.length === 0
                  ? `Remove secret “${name}”? Its value is deleted.`
                  : `Remove secret “${name}”? Its value is deleted. These stop working: ${usedBy.join(', ')}.`
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
        <Button label="Set a secret" class="main" onClick={() => setEditing('')} />
        <span>
          Servers refer to one as{' '}
          <code>
            ${'{'}secret:NAME{'}'}
          </code>
          . Values are never shown.
        </span>
      </div>
      <FetchedRows
        answer={list}
        label="Secrets"
        columns={columns}
        keyOf={({ name }) => name}
        empty={<Empty title="No secrets">Set one, and refer to it in the settings of a server.</Empty>}
      />
      {editing !== undefined && <SecretForm name={editing} onClose={() => setEditing(undefined)} />}
    </>
  );
}

const secretFacts: readonly RowColumn<SecretRow>[] = [
  {
    title: 'Name',
    show: ({ name }) => <strong>{name}</strong>,
    below: ({ state }) => <SecretState state={state} />,
    order: ({ name }) => name,
  },
  {
    title: 'State',
    show: ({ state }) => <SecretState state={state} />,
    order: ({ state }) => state,
    isExtra: true,
  },
  {
    title: 'Set',
    show: ({ setAt }) => setAt && <Time at={setAt} />,
    order: ({ setAt }) => setAt ?? '',
    isExtra: true,
  },
  { title: 'Used by', show: ({ usedBy }) => usedBy.join(', '), isExtra: true },
];

function SecretState({ state }: Pick<SecretRow, 'state'>) {
  return <Badge tone={state === 'set' ? 'good' : 'bad'}>{state}</Badge>;
}

function SecretForm({ name: given, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const [name, setName] = useState(given);
  const [value, setValue] = useState('');
  const { isRunning, give } = useOrder();
  const save = async () => {
    if (await give('secrets.set', { name: name.trim(), value }, `Secret ${name.trim()} is set.`)) onClose();
  };
  return (
    <Dialog title={given === '' ? 'Set a secret' : `Secret ${given}`} onClose={onClose}>
      <PageForm onSend={() => void save()}>
        {given === '' && (
          <TextField label="Name" hint="Letters, digits, _ - and ." required value={name} onValue={setName} />
        )}
        <TextField
          label="Value"
          hint="Stored encrypted. Servers reconnect with it at their next use."
          type="password"
          required
          autocomplete="off"
          value={value}
          onValue={setValue}
        />
        <FormButtons label="Set secret" isDisabled={isRunning} onCancel={onClose} />
      </PageForm>
    </Dialog>
  );
}
