/** Makes or changes a project. */

import { useState } from 'preact/hooks';
import type { InputOf, ProjectReport } from '../../../../admin/admin.ts';
import { FormField } from '../../parts/basic.tsx';
import { Dialog, FormButtons } from '../../parts/dialog.tsx';
import { useOrder, useView } from '../../state.ts';
import { PatternPicker } from './pattern-picker.tsx';
import { type PermissionRow, permissionChanges } from './permission-changes.ts';

type ProjectSurface = NonNullable<InputOf<'projects.create'>['surface']>;
type SearchChoice = NonNullable<InputOf<'projects.create'>['search']>;

const searchMeanings: Readonly<Record<SearchChoice, string>> = {
  bm25: 'by words',
  hybrid: 'by words and meaning',
  cloud: 'by words and meaning, at another gateway',
};
const projectSurfaces: readonly ProjectSurface[] = ['auto', 'search', 'direct', 'code', 'full'];
const permissionWords = ['allow', 'ask', 'deny'] as const;

interface ProjectFormProps {
  /** Left out: a new one. */
  readonly project: ProjectReport | undefined;
  readonly onClose: () => void;
}

export function ProjectForm({ project, onClose }: ProjectFormProps) {
  // A closed one has lost its settings: it begins like a new one.
  const before = project?.origin === 'gone' ? undefined : project;
  const [name, setName] = useState(project?.name ?? '');
  const [description, setDescription] = useState(project?.description ?? '');
  const [servers, setServers] = useState<readonly string[]>(project?.servers ?? []);
  const [search, setSearch] = useState<SearchChoice | null>(before ? before.search : 'hybrid');
  const [surface, setSurface] = useState<ProjectSurface | ''>(project?.surface ?? '');
  const [rules, setRules] = useState<readonly PermissionRow[]>(Object.entries(before?.permissions ?? {}));
  const { isRunning, give } = useOrder();
  const save = async (event: Event) => {
    event.preventDefault();
    const settings = {
      name: name.trim(),
      description: description.trim(),
      servers: [...servers],
      search,
      surface: surface === '' ? null : surface,
    };
    const done = !before
      ? await give(
          'projects.create',
          { ...settings, permissions: permissionChanges({}, rules) as Record<string, PermissionRow[1]> },
          `Project ${settings.name} is created.`,
        )
      : await give(
          'projects.set',
          { ...settings, permissions: permissionChanges(before.permissions, rules) },
          `Project ${settings.name} is changed.`,
        );
    if (done) onClose();
  };
  return (
    <Dialog title={project ? `Project ${name}` : 'Create a project'} onClose={onClose}>
      <form onSubmit={(event) => void save(event)}>
        {project === undefined && (
          <FormField label="Name">
            <input required value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
          </FormField>
        )}
        <FormField label="Purpose">
          <input value={description} onInput={({ currentTarget }) => setDescription(currentTarget.value)} />
        </FormField>
        <PatternPicker
          label="Servers"
          hint="* stands for any characters. Servers can also name the project in their own settings."
          names={[...useView().servers.keys()]}
          chosen={servers}
          onChosen={setServers}
        />
        <SearchToggle search={search} onSearch={setSearch} />
        <FormField label="Surface">
          <select
            value={surface}
            onChange={({ currentTarget }) => setSurface(currentTarget.value as ProjectSurface | '')} // its options
          >
            <option value="">As the config says</option>
            {projectSurfaces.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </FormField>
        <PermissionRows rules={rules} onRules={setRules} />
        <FormButtons label={before ? 'Save' : 'Create project'} isDisabled={isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

interface SearchToggleProps {
  readonly search: SearchChoice | null;
  readonly onSearch: (search: SearchChoice | null) => void;
}

/** Off: agents call the tools that they know. */
function SearchToggle({ search, onSearch }: SearchToggleProps) {
  return (
    <fieldset>
      <legend>Context optimization</legend>
      <label class="choice">
        <input
          type="checkbox"
          checked={search !== null}
          onChange={({ currentTarget }) => onSearch(currentTarget.checked ? 'hybrid' : null)}
        />
        <span>
          {search === null
            ? 'Off: agents cannot discover tools; they call the tools they know.'
            : 'On: agents find tools.'}
        </span>
      </label>
      {search !== null &&
        Object.entries(searchMeanings).map(([choice, meaning]) => (
          <label key={choice} class="choice">
            <input
              type="radio"
              name="search"
              checked={search === choice}
              onChange={() => onSearch(choice as SearchChoice)} // a key of the table
            />
            <span>
              <strong>{choice}</strong> {meaning}
            </span>
          </label>
        ))}
    </fieldset>
  );
}

interface PermissionRowsProps {
  readonly rules: readonly PermissionRow[];
  readonly onRules: (rules: readonly PermissionRow[]) => void;
}

function PermissionRows({ rules, onRules }: PermissionRowsProps) {
  const change = (at: number, row: PermissionRow) => onRules(rules.with(at, row));
  return (
    <fieldset>
      <legend>Permissions</legend>
      <small>Tools as SERVER:TOOL, in which * stands for any characters. The most specific name counts.</small>
      {rules.map(([pattern, permission], at) => (
        <div key={at} class="rule">
          <input
            aria-label="Tools"
            required
            placeholder="SERVER:TOOL"
            value={pattern}
            onInput={({ currentTarget }) => change(at, [currentTarget.value, permission])}
          />
          <select
            aria-label="Permission"
            value={permission}
            onChange={({ currentTarget }) => change(at, [pattern, currentTarget.value as PermissionRow[1]])} // its options
          >
            {permissionWords.map((word) => (
              <option key={word}>{word}</option>
            ))}
          </select>
          <button type="button" aria-label={`Remove ${pattern}`} onClick={() => onRules(rules.toSpliced(at, 1))}>
            ✕
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onRules([...rules, ['', 'ask']])}>
        Add a permission
      </button>
    </fieldset>
  );
}
