/** Makes or changes a project. */

import { useState } from 'preact/hooks';
import type { InputOf, ProjectReport } from '../../../../admin/admin.ts';
import { Button } from '../../parts/basic.tsx';
import { Dialog, FormButtons } from '../../parts/dialog.tsx';
import { Check, PageForm, Select, SelectField, TextField } from '../../parts/fields.tsx';
import { OutdatedNotice, useSeenVersion } from '../../parts/seen-version.tsx';
import { useLive, useOrder } from '../../state.ts';
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
export const permissionWords = ['allow', 'ask', 'deny'] as const;

interface ProjectFormProps {
  /** As it is now; left out: a new one. */
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
  const version = useSeenVersion(before && settingsOf(before));
  const { isRunning, give } = useOrder();
  const save = async () => {
    const settings = {
      name: name.trim(),
      description: description.trim(),
      servers: [...servers],
      search,
      surface: surface === '' ? null : surface,
    };
    const { seen } = version;
    const done = !seen
      ? await give(
          'projects.create',
          { ...settings, permissions: permissionChanges({}, rules) as Record<string, PermissionRow[1]> },
          `Project ${settings.name} is created.`,
        )
      : await give(
          'projects.set',
          { ...settings, permissions: permissionChanges(seen.permissions, rules), seen },
          `Project ${settings.name} is changed.`,
        );
    if (done) onClose();
  };
  return (
    <Dialog title={project ? `Project ${name}` : 'Create a project'} onClose={onClose}>
      <PageForm onSend={() => void save()}>
        {project === undefined && <TextField label="Name" required value={name} onValue={setName} />}
        <TextField label="Purpose" value={description} onValue={setDescription} />
        <PatternPicker
          label="Servers"
          hint="* stands for any characters. Servers can also name the project in their own settings."
          names={[...useLive((view) => view.servers).keys()]}
          chosen={servers}
          onChosen={setServers}
        />
        <SearchToggle search={search} onSearch={setSearch} />
        <SelectField
          label="Surface"
          none="As configured"
          value={surface}
          choices={projectSurfaces}
          onValue={setSurface}
        />
        <PermissionRows rules={rules} onRules={setRules} />
        {!isRunning && <OutdatedNotice what="This project" version={version} />}
        <FormButtons
          label={version.seen ? 'Save' : 'Create project'}
          isDisabled={isRunning || version.isOutdated}
          onCancel={onClose}
        />
      </PageForm>
    </Dialog>
  );
}

/** The part that the form replaces. */
function settingsOf({ description, servers, search, surface, permissions }: ProjectReport) {
  return { description, servers: [...servers], search, surface, permissions };
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
      <Check isOn={search !== null} onValue={(isOn) => onSearch(isOn ? 'hybrid' : null)}>
        {search === null
          ? 'Off: agents cannot discover tools; they call the tools they know.'
          : 'On: agents find tools.'}
      </Check>
      {search !== null &&
        Object.entries(searchMeanings).map(([choice, meaning]) => (
          <label key={choice} class="marked">
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
      <p>
        <small>Tools as SERVER:TOOL, in which * stands for any characters. The most specific name counts.</small>
      </p>
      {rules.map(([pattern, permission], at) => (
        <div key={at} class="rule">
          <input
            aria-label="Tools"
            required
            placeholder="SERVER:TOOL"
            value={pattern}
            onInput={({ currentTarget }) => change(at, [currentTarget.value, permission])}
          />
          <Select
            label="Permission"
            value={permission}
            choices={permissionWords}
            onValue={(word) => change(at, [pattern, word])}
          />
          <button type="button" aria-label={`Remove ${pattern}`} onClick={() => onRules(rules.toSpliced(at, 1))}>
            ✕
          </button>
        </div>
      ))}
      <Button label="Add a permission" onClick={() => onRules([...rules, ['', 'ask']])} />
    </fieldset>
  );
}
