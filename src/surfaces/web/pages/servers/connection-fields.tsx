/** The form for the connection of a server, new or not: how it is reached, and what the gateway says to that. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type FormProblems, noteOnLine, type ServerForm, splitLine } from '../../../wording/wording.ts';
import { Check, PageForm, TextField } from '../../parts/fields.tsx';
import type { ApiError } from '../../session.ts';
import { asApiError } from '../../state.ts';
import { NamedValues } from './named-values.tsx';

interface ConnectionForm {
  readonly form: ServerForm;
  readonly change: (part: Partial<ServerForm>) => void;
  /** Empty until it was sent for the first time. */
  readonly problems: FormProblems;
  readonly trouble: ApiError | undefined;
  readonly isRunning: boolean;
  /** True if a person confirms variables that change which code runs. */
  readonly isEnvAllowed: boolean;
  readonly allowEnv: (isAllowed: boolean) => void;
  readonly send: () => void;
}

interface ConnectionFormOptions {
  readonly first: ServerForm;
  readonly problemsOf: (form: ServerForm) => FormProblems;
  /** Sends a form without problems. */
  readonly onSend: (form: ServerForm, isEnvAllowed: boolean) => Promise<void>;
}

/** Apart from its looks, so that the form is still filled after what it led to was discarded. */
export function useConnectionForm({ first, problemsOf, onSend }: ConnectionFormOptions): ConnectionForm {
  const [form, setForm] = useState(first);
  const [isRunning, setRunning] = useState(false);
  const [isSent, setSent] = useState(false);
  const [trouble, setTrouble] = useState<ApiError>();
  const [isEnvAllowed, allowEnv] = useState(false);
  const change = (part: Partial<ServerForm>) => {
    setForm({ ...form, ...part });
    setTrouble(undefined);
    // Changed variables need another confirmation.
    if (part.env) allowEnv(false);
  };
  const problems = problemsOf(form);
  const send = async () => {
    setSent(true);
    if (Object.keys(problems).length > 0) return;
    setRunning(true);
    try {
      await onSend(form, isEnvAllowed);
      setTrouble(undefined);
    } catch (error) {
      setTrouble(asApiError(error));
    } finally {
      setRunning(false);
    }
  };
  const told = isSent ? problems : {};
  return { form, change, problems: told, trouble, isRunning, isEnvAllowed, allowEnv, send: () => void send() };
}

interface ConnectionFieldsProps {
  readonly state: ConnectionForm;
  /** What is decided when its tools are known. */
  readonly question: string;
  /** Where to go instead. */
  readonly cancel: string;
  /** Fields before these. */
  readonly children?: ComponentChildren;
}

export function ConnectionFields({ state, question, cancel, children }: ConnectionFieldsProps) {
  const { form, change, problems, trouble, isRunning } = state;
  const isCommand = form.kind === 'command';
  return (
    <PageForm class="narrow" onSend={state.send}>
      {children}
      <KindChoice kind={form.kind} onChange={(kind) => change({ kind })} />
      {isCommand ? (
        <CommandFields form={form} problems={problems} onChange={change} />
      ) : (
        <UrlFields form={form} problems={problems} onChange={change} />
      )}
      {trouble && <ServerFormTrouble trouble={trouble} isAllowed={state.isEnvAllowed} onAllow={state.allowEnv} />}
      <p class="soft">
        {isCommand
          ? 'Toolcrib starts this program now, with your rights, to ask for its tools.'
          : 'Toolcrib connects to this address now, to ask for its tools.'}{' '}
        {question}
      </p>
      <div class="tools">
        <button type="submit" class="main" disabled={isRunning}>
          {isCommand ? 'Start it and show its tools' : 'Connect and show its tools'}
        </button>
        <a href={cancel}>Cancel</a>
        {isRunning && (
          <span role="status">
            <span class="spinner" /> {isCommand ? 'Starting the program …' : 'Connecting …'}
          </span>
        )}
      </div>
    </PageForm>
  );
}

/** The hint of a field, or what is wrong with it. */
export function FieldHint({ problem, children }: { readonly problem: string | undefined; readonly children?: string }) {
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
  readonly problems: FormProblems;
  readonly onChange: (part: Partial<ServerForm>) => void;
}

function CommandFields({ form, problems, onChange }: FieldsProps) {
  const split = splitLine(form.line);
  const note = noteOnLine(split);
  const dropped = /^(env|export)$/.test(split.words[0] ?? '') || /^\w+=/.test(split.words[0] ?? '');
  return (
    <>
      <TextField
        label="Command"
        hint={<FieldHint problem={problems.line}>The line as you would type it in a terminal.</FieldHint>}
        class="fixed"
        autocomplete="off"
        spellcheck={false}
        placeholder="npx -y @modelcontextprotocol/server-filesystem /srv/notes"
        aria-invalid={problems.line !== undefined}
        value={form.line}
        onValue={(line) => onChange({ line })}
      />
      {split.words.length > 0 && (
        <p class="tools">
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
      <TextField
        label="Folder"
        hint="Where the program is started. Leave empty for the gateway’s own folder."
        class="fixed"
        autocomplete="off"
        value={form.cwd}
        onValue={(cwd) => onChange({ cwd })}
      />
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
      <TextField
        label="URL"
        hint={<FieldHint problem={problems.url}>If it needs a sign-in, that comes next.</FieldHint>}
        class="fixed"
        inputMode="url"
        autocomplete="off"
        placeholder="https://mcp.example.com/mcp"
        aria-invalid={problems.url !== undefined}
        value={form.url}
        onValue={(url) => onChange({ url })}
      />
      <Check isOn={form.isSse} onValue={(isSse) => onChange({ isSse })}>
        It uses the older HTTP+SSE transport
      </Check>
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

interface ServerFormTroubleProps {
  readonly trouble: ApiError;
  readonly isAllowed: boolean;
  readonly onAllow: (isAllowed: boolean) => void;
}

/** Variables that change which code runs are refused until a person confirms them. */
function ServerFormTrouble({ trouble, isAllowed, onAllow }: ServerFormTroubleProps) {
  const isAboutEnv = trouble.data.reason === 'dangerous-environment';
  return (
    <div class={isAboutEnv ? 'notice warn' : 'notice bad'} role="alert">
      <strong>{trouble.message}</strong>
      {isAboutEnv ? (
        <Check isOn={isAllowed} onValue={onAllow}>
          I know why they are set. Go on with them.
        </Check>
      ) : (
        trouble.hint && <p>{trouble.hint}</p>
      )}
    </div>
  );
}
