/** Makes a token: what it may do, where, and for how long. */

import { useState } from 'preact/hooks';
import type { CreatedToken, InputOf } from '../../../../admin/admin.ts';
import { Dialog, FormButtons } from '../../parts/dialog.tsx';
import { Check, PageForm, SelectField, TextField } from '../../parts/fields.tsx';
import { useLive, useOperation, useOrder } from '../../state.ts';
import { PatternPicker } from './pattern-picker.tsx';

type TokenScope = NonNullable<InputOf<'tokens.create'>['scopes']>[number];

const scopeMeanings: readonly (readonly [TokenScope, string])[] = [
  ['use', 'Find and call tools, read resources and prompts.'],
  [
    'admin',
    'Everything that the owner can do, on all servers; a limit below counts only for finding and calling tools.',
  ],
  ['metrics', 'Read the figures at /metrics.'],
  ['optimize', 'Improve descriptions of tools.'],
];

const dayMs = 86_400_000;
const expiries: readonly (readonly [string, number | undefined])[] = [
  ['Never', undefined],
  ['In 12 hours', dayMs / 2],
  ['In 7 days', 7 * dayMs],
  ['In 30 days', 30 * dayMs],
  ['In 90 days', 90 * dayMs],
  ['In a year', 365 * dayMs],
];
const tokenSurfaces = ['auto', 'search', 'direct', 'code', 'full'] as const;

interface TokenFormProps {
  readonly onClose: () => void;
  readonly onMade: (made: CreatedToken) => void;
}

export function TokenForm({ onClose, onMade }: TokenFormProps) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly TokenScope[]>(['use']);
  const [servers, setServers] = useState<readonly string[]>([]);
  const [project, setProject] = useState('');
  const [surface, setSurface] = useState('');
  const [expiry, setExpiry] = useState('Never');
  const projects = useOperation('projects.list', {}, ['projects']);
  const { isRunning, give } = useOrder();
  const make = async () => {
    const made = await give('tokens.create', {
      name: name.trim(),
      scopes: [...scopes],
      ...(servers.length > 0 && { servers: [...servers] }),
      ...(project !== '' && { project }),
      surface: tokenSurfaces.find((one) => one === surface),
      expiresInMs: expiries.find(([text]) => text === expiry)?.[1],
    });
    if (made) onMade(made);
  };
  return (
    <Dialog title="Create a token" onClose={onClose}>
      <PageForm onSend={() => void make()}>
        <TextField
          label="Name"
          hint="Letters, digits and . _ @ -"
          required
          pattern="[A-Za-z0-9][A-Za-z0-9._@\-]{0,63}"
          value={name}
          onValue={setName}
        />
        <ScopePicker scopes={scopes} onScopes={setScopes} />
        <PatternPicker
          label="Servers"
          hint="Leave empty for all servers. * stands for any characters."
          names={[...useLive((view) => view.servers).keys()]}
          chosen={servers}
          onChosen={setServers}
        />
        <div class="grid fields">
          <SelectField
            label="Project"
            hint="The token then sees only this project."
            none="None"
            value={project}
            choices={(projects.data ?? []).map((one) => one.name)}
            onValue={setProject}
          />
          <SelectField
            label="Surface"
            hint="What its agents see, unless their URL names a surface."
            none="As configured"
            value={surface}
            choices={tokenSurfaces}
            onValue={setSurface}
          />
          <SelectField label="Expires" value={expiry} choices={expiries.map(([text]) => text)} onValue={setExpiry} />
        </div>
        <FormButtons label="Create token" isDisabled={isRunning || scopes.length === 0} onCancel={onClose} />
      </PageForm>
    </Dialog>
  );
}

interface ScopePickerProps {
  readonly scopes: readonly TokenScope[];
  readonly onScopes: (scopes: readonly TokenScope[]) => void;
}

function ScopePicker({ scopes, onScopes }: ScopePickerProps) {
  return (
    <fieldset>
      <legend>Scopes</legend>
      {scopeMeanings.map(([scope, meaning]) => (
        <Check
          key={scope}
          isOn={scopes.includes(scope)}
          onValue={(isOn) => onScopes(isOn ? [...scopes, scope] : scopes.filter((one) => one !== scope))}
        >
          <strong>{scope}</strong> {meaning}
        </Check>
      ))}
    </fieldset>
  );
}
