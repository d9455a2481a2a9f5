/** Makes a token: what it may do, where, and for how long. */

import { useState } from 'preact/hooks';
import type { CreatedToken, InputOf } from '../../../../admin/admin.ts';
import { FormField } from '../../parts/basic.tsx';
import { Dialog, FormButtons } from '../../parts/dialog.tsx';
import { useOperation, useOrder, useView } from '../../state.ts';
import { PatternPicker } from './pattern-picker.tsx';

type TokenScope = NonNullable<InputOf<'tokens.create'>['scopes']>[number];

const scopeMeanings: readonly (readonly [TokenScope, string])[] = [
  ['use', 'Find and call tools, read resources and prompts.'],
  ['admin', 'Everything that the owner can do: servers, projects, tokens, approvals.'],
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
  const [expiry, setExpiry] = useState(0);
  const { isRunning, give } = useOrder();
  const make = async (event: Event) => {
    event.preventDefault();
    const made = await give('tokens.create', {
      name: name.trim(),
      scopes: [...scopes],
      ...(servers.length > 0 && { servers: [...servers] }),
      ...(project !== '' && { project }),
      surface: tokenSurfaces.find((one) => one === surface),
      expiresInMs: expiries[expiry]?.[1],
    });
    if (made) onMade(made);
  };
  return (
    <Dialog title="Create a token" onClose={onClose}>
      <form onSubmit={(event) => void make(event)}>
        <FormField label="Name" hint="Letters, digits and . _ @ -">
          <input
            required
            pattern="[A-Za-z0-9][A-Za-z0-9._@\-]{0,63}"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </FormField>
        <ScopePicker scopes={scopes} onScopes={setScopes} />
        <PatternPicker
          label="Servers"
          hint="Leave empty for all servers. * stands for any characters."
          names={[...useView().servers.keys()]}
          chosen={servers}
          onChosen={setServers}
        />
        <div class="fields">
          <ProjectSelect project={project} onProject={setProject} />
          <FormField label="Surface" hint="What its agents see, unless their URL names a surface.">
            <select value={surface} onChange={({ currentTarget }) => setSurface(currentTarget.value)}>
              <option value="">As the config says</option>
              {tokenSurfaces.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </FormField>
          <FormField label="Expires">
            <select value={expiry} onChange={({ currentTarget }) => setExpiry(Number(currentTarget.value))}>
              {expiries.map(([text], at) => (
                <option key={text} value={at}>
                  {text}
                </option>
              ))}
            </select>
          </FormField>
        </div>
        <FormButtons label="Create token" isDisabled={isRunning || scopes.length === 0} onCancel={onClose} />
      </form>
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
        <label key={scope} class="choice">
          <input
            type="checkbox"
            checked={scopes.includes(scope)}
            onChange={({ currentTarget }) =>
              onScopes(currentTarget.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
            }
          />
          <span>
            <strong>{scope}</strong> {meaning}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface ProjectSelectProps {
  readonly project: string;
  readonly onProject: (name: string) => void;
}

function ProjectSelect({ project, onProject }: ProjectSelectProps) {
  const projects = useOperation('projects.list', {}, ['projects']);
  return (
    <FormField label="Project" hint="The token then sees only this project.">
      <select value={project} onChange={({ currentTarget }) => onProject(currentTarget.value)}>
        <option value="">None</option>
        {(projects.data ?? []).map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </FormField>
  );
}
