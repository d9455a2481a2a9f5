/** Adds a server by a form: it is started, its tools are shown, and then it is kept or discarded. */

import { useState } from 'preact/hooks';
import { FormField, Panel } from '../../parts/basic.tsx';
import { pageLink } from '../../router.ts';
import { type ApiError, run } from '../../session.ts';
import { asApiError, useView } from '../../state.ts';
import { FoundServer } from './found-server.tsx';
import { NamedValues } from './named-values.tsx';
import { emptyServerForm, noteOnLine, problemsIn, type ServerForm, specOf, splitLine } from './server-form.ts';

export function AddServer() {
  const { servers } = useView();
  const [form, setForm] = useState<ServerForm>(emptyServerForm);
  const [added, setAdded] = useState<string>();
  const [discarded, setDiscarded] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const [isSent, setSent] = useState(false);
  const [trouble, setTrouble] = useState<ApiError>();
  const [isEnvAllowed, setEnvAllowed] = useState(false);
  const change = (part: Partial<ServerForm>) => {
    setForm({ ...form, ...part });
    setTrouble(undefined);
    // Changed variables need another confirmation.
    if (part.env) setEnvAllowed(false);
  };
  // The live view may learn a little later that a server is gone.
  const problems = problemsIn(form, { has: (name) => name !== discarded && servers.has(name) });
  const start = async (event: Event) => {
    event.preventDefault();
    setSent(true);
    if (Object.keys(problems).length > 0) return;
    setRunning(true);
    try {
      const outcome = await run('servers.add', { name: form.name, spec: specOf(form), allowEnv: isEnvAllowed });
      setAdded(outcome.name);
      setTrouble(undefined);
    } catch (error) {
      setTrouble(asApiError(error));
    } finally {
      setRunning(false);
    }
  };
  const forget = () => {
    setDiscarded(added);
    setAdded(undefined);
  };
  if (added !== undefined) return <FoundServer name={added} onDiscarded={forget} />;
  const told = isSent ? problems : {};
  return (
    <>
      <p class="crumbs">
        <a href={pageLink(['servers'])}>Servers</a>
      </p>
      <Panel title="Add a server">
        <form class="narrow" onSubmit={(event) => void start(event)}>
          <FormField label="Name" hint={<Hint problem={told.name}>Agents see its tools as name:tool.</Hint>}>
            <input
              value={form.name}
              autocomplete="off"
              spellcheck={false}
              placeholder="files"
              aria-invalid={told.name !== undefined}
              onInput={({ currentTarget }) => change({ name: currentTarget.value.trim() })}
            />
          </FormField>
          <KindChoice kind={form.kind} onChange={(kind) => change({ kind })} />
          {form.kind === 'command' ? (
            <CommandFields form={form} problems={told} onChange={change} />
          ) : (
            <UrlFields form={form} problems={told} onChange={change} />
          )}
          {trouble && <AddTrouble trouble={trouble} isAllowed={isEnvAllowed} onAllow={setEnvAllowed} />}
          <p class="soft">
            {form.kind === 'command'
              ? 'Toolcrib starts this program now, with your rights, to ask for its tools. Then you decide whether to keep it.'
              : 'Toolcrib connects to this address now, to ask for its tools. Then you decide whether to keep it.'}
          </p>
          <div class="tools">
            <button type="submit" class="main" disabled={isRunning}>
              {form.kind === 'command' ? 'Start it and show its tools' : 'Connect and show its tools'}
            </button>
            <a href={pageLink(['servers'])}>Cancel</a>
            {isRunning && (
              <span role="status">
                <span class="spinner" /> {form.kind === 'command' ? 'Starting the program …' : 'Connecting …'}
              </span>
            )}
          </div>
        </form>
      </Panel>
    </>
  );
}

function Hint({ problem, children }: { readonly problem: string | undefined; readonly children?: string }) {
  return <span class={problem === undefined ? '' : 'bad'}>{problem ?? children}</span>;
}

interface KindChoiceProps {
  readonly kind: ServerForm['kind'];
  readonly onChange: (kind: ServerForm['kind']) => void;
}

const kinds = [
  ['command', 'A program on this machine'],
  ['url', 'A URL'],
] as const;

function KindChoice({ kind, onChange }: KindChoiceProps) {
  return (
    <fieldset class="choices">
      <legend>How it is reached</legend>
      {kinds.map(([value, label]) => (
        <label key={value}>
          <input type="radio" name="kind" checked={kind === value} onChange={() => onChange(value)} /> {label}
        </label>
      ))}
    </fieldset>
  );
}

interface FieldsProps {
  readonly form: ServerForm;
  readonly problems: ReturnType<typeof problemsIn>;
  readonly onChange: (part: Partial<ServerForm>) => void;
}

function CommandFields({ form, problems, onChange }: FieldsProps) {
  const split = splitLine(form.line);
  const note = noteOnLine(split);
  const dropped = /^(env|export)$/.test(split.words[0] ?? '') || /^\w+=/.test(split.words[0] ?? '');
  return (
    <>
      <FormField
        label="Command"
        hint={<Hint problem={problems.line}>The line as you would type it in a terminal.</Hint>}
      >
        <input
          class="fixed"
          value={form.line}
          autocomplete="off"
          spellcheck={false}
          placeholder="npx -y @modelcontextprotocol/server-filesystem /srv/notes"
          aria-invalid={problems.line !== undefined}
          onInput={({ currentTarget }) => onChange({ line: currentTarget.value })}
        />
      </FormField>
      {split.words.length > 0 && (
        <p class="typed-words">
          <span class="soft">Sent as: </span>
          {split.words.map((word, at) => (
            <code key={at} class="word">
              {word === '' ? '(empty)' : word}
            </code>
          ))}
        </p>
      )}
      {note && <p class="notice warn">{note}</p>}
      {dropped && <p class="notice warn">Set variables below: they are not part of the command.</p>}
      <FormField label="Folder" hint="Where the program is started. Leave empty for the gateway’s own folder.">
        <input
          class="fixed"
          value={form.cwd}
          autocomplete="off"
          onInput={({ currentTarget }) => onChange({ cwd: currentTarget.value })}
        />
      </FormField>
      <NamedValues
        title="Environment"
        what="variable"
        pairs={form.env}
        problem={problems.env}
        onChange={(env) => onChange({ env })}
      />
    </>
  );
}

function UrlFields({ form, problems, onChange }: FieldsProps) {
  return (
    <>
      <FormField label="URL" hint={<Hint problem={problems.url}>If it needs a sign-in, that comes next.</Hint>}>
        <input
          class="fixed"
          inputMode="url"
          value={form.url}
          autocomplete="off"
          placeholder="https://mcp.example.com/mcp"
          aria-invalid={problems.url !== undefined}
          onInput={({ currentTarget }) => onChange({ url: currentTarget.value })}
        />
      </FormField>
      <label class="check">
        <input
          type="checkbox"
          checked={form.isSse}
          onChange={({ currentTarget }) => onChange({ isSse: currentTarget.checked })}
        />{' '}
        It uses the older HTTP+SSE transport
      </label>
      <NamedValues
        title="Headers"
        what="header"
        pairs={form.headers}
        problem={problems.headers}
        onChange={(headers) => onChange({ headers })}
      />
    </>
  );
}

interface AddTroubleProps {
  readonly trouble: ApiError;
  readonly isAllowed: boolean;
  readonly onAllow: (isAllowed: boolean) => void;
}

/** Variables that change which code runs are refused until a person confirms them. */
function AddTrouble({ trouble, isAllowed, onAllow }: AddTroubleProps) {
  const isAboutEnv = trouble.data.reason === 'dangerous-environment';
  return (
    <div class={isAboutEnv ? 'notice warn' : 'notice bad'} role="alert">
      <strong>{trouble.message}</strong>
      {isAboutEnv ? (
        <label class="check">
          <input type="checkbox" checked={isAllowed} onChange={({ currentTarget }) => onAllow(currentTarget.checked)} />{' '}
          I know why they are set. Add the server with them.
        </label>
      ) : (
        trouble.hint && <p>{trouble.hint}</p>
      )}
    </div>
  );
}
