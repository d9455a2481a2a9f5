/** The form for a new server: it starts a trial, and the owner then keeps the server or not. */

import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { ShownTrial } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import { emptyServerForm, noteOnLine, problemsIn, type ServerForm, specOf, splitLine } from '../../wording/wording.ts';
import { editText, type TypedText } from '../keys.ts';
import { type Cell, cells, gap, indented, paragraph, stack } from '../parts/layout.ts';
import { say, type TextTone } from '../parts/text.ts';
import { textAtCursor } from '../parts/text-field.ts';
import type { Screen } from '../screen.ts';
import { troubleInWords, useLivePart, useRemembered, useTui } from '../state.ts';
import { useTriedServer } from './tried-server.ts';

interface ServerDraft {
  /** The name, the command or URL, the folder of a command, and from there on a variable or header each. */
  readonly fields: readonly TypedText[];
  readonly at: number;
  /** In place of the folder: the transport of a URL. */
  readonly isSse: boolean;
  /** True after a first try: problems are told from then on. */
  readonly isSent: boolean;
  /** Why the gateway did not take it. */
  readonly trouble: string | null;
}

const emptyField: TypedText = { text: '', at: 0 };
const option = 2;
const firstPair = 3;
const emptyDraft: ServerDraft = {
  ...{ fields: Array<TypedText>(firstPair + 1).fill(emptyField), at: 0, isSse: false, isSent: false, trouble: null },
};

export function useAddServerView(): Screen {
  const { goInstead, back, columns } = useTui();
  const [draft, change] = useRemembered<ServerDraft>('add server', emptyDraft);
  const servers = useLivePart(({ view }) => view?.servers);
  const [trial, setTrial] = useState<ShownTrial>();
  const problems = problemsOf(draft, servers ?? new Map());
  const { trying, start, stop } = useTrying({
    onTrouble: (trouble) => change((last) => ({ ...last, trouble })),
    onTried: setTrial,
  });
  const tried = useTriedServer(trial, {
    onBack: () => setTrial(undefined),
    onKept: (name) => {
      change(() => emptyDraft);
      goInstead({ view: 'server', name });
    },
  });
  const send = () => {
    change((last) => ({ ...last, isSent: true, trouble: null }));
    if (Object.keys(problems).length === 0) start(formOf(draft));
  };
  const onKey = (key: string) => {
    if (!isForForm(key)) return false;
    change((last) => afterKey(last, key));
    return true;
  };
  if (tried) return tried;
  if (trying !== undefined) return waitingFor(trying, stop);
  return {
    title,
    commands: [
      { key: 'tab', label: 'Next field', run: () => change((last) => afterKey(last, 'tab')) },
      { key: 'enter', label: 'Try it', run: send },
      { key: 'esc', label: 'Cancel', run: back },
    ],
    onKey,
    body: showForm(draft, draft.isSent ? problems : {}, columns),
  };
}

const title = 'Add a server';

function waitingFor(name: string, stop: () => void): Screen {
  return {
    title,
    commands: [{ key: 'esc', label: 'Stop', run: stop }],
    body: stack(
      say(`Waiting for the tools of ${name}…`, 'notice'),
      gap('gap'),
      say('Agents see nothing of it yet.', 'faint'),
    ),
  };
}

interface TryingOptions {
  readonly onTrouble: (trouble: string) => void;
  readonly onTried: (trial: ShownTrial) => void;
}

/** `trying`: the name of the server that is starting. Leaving the view stops it. */
function useTrying({ onTrouble, onTried }: TryingOptions) {
  const { run, ask } = useTui();
  const [trying, setTrying] = useState<string>();
  const request = useRef(new AbortController());
  useEffect(() => () => request.current.abort(), []);
  const start = async (form: ServerForm, allowEnv = false) => {
    request.current = new AbortController();
    const { signal } = request.current;
    setTrying(form.name);
    try {
      const trial = await run('servers.try', { name: form.name, spec: specOf(form), allowEnv }, signal);
      if (!signal.aborted) onTried(trial);
    } catch (error) {
      if (signal.aborted) return;
      onTrouble(troubleInWords(error));
      const isAboutEnv = error instanceof GatewayError && error.data?.reason === 'dangerous-environment';
      if (isAboutEnv) ask({ text: 'Try it with these variables?', yes: () => void start(form, true) });
    } finally {
      if (!signal.aborted) setTrying(undefined);
    }
  };
  const stop = () => {
    request.current.abort();
    setTrying(undefined);
  };
  return { trying, start: (form: ServerForm) => void start(form), stop };
}

const steps: Readonly<Record<string, number>> = { tab: 1, down: 1, 'shift+tab': -1, up: -1 };

/** All others are commands. */
function isForForm(key: string): boolean {
  return steps[key] !== undefined || editText(emptyField, key) !== undefined;
}

function afterKey(draft: ServerDraft, key: string): ServerDraft {
  const { fields, at } = draft;
  const step = steps[key];
  if (step !== undefined) return { ...draft, at: (at + step + fields.length) % fields.length };
  if (at === option && formOf(draft).kind === 'url') return key === ' ' ? { ...draft, isSse: !draft.isSse } : draft;
  const typed = editText(fields[at] ?? emptyField, key);
  if (typed === undefined) return draft;
  const next = fields.with(at, typed);
  // There is always one more line for a variable.
  return { ...draft, trouble: null, fields: next.at(-1)?.text === '' ? next : [...next, emptyField] };
}

function formOf({ fields, isSse }: ServerDraft): ServerForm {
  const [name = '', target = '', cwd = '', ...pairs] = fields.map(({ text }) => text.trim());
  const isUrl = /^https?:\/\//i.test(target);
  const sign = signOfPairs(isUrl);
  const given = pairs
    .filter((pair) => pair !== '')
    .map((pair, id) => {
      const at = pair.indexOf(sign);
      return {
        id,
        name: pair.slice(0, Math.max(0, at)).trim(),
        value: pair.slice(at + 1).replace(isUrl ? /^\s+/ : '', ''),
      };
    });
  return isUrl
    ? { ...emptyServerForm, name, kind: 'url', url: target, isSse, headers: given }
    : { ...emptyServerForm, name, kind: 'command', line: target, cwd, env: given };
}

function signOfPairs(isUrl: boolean): string {
  return isUrl ? ':' : '=';
}

function formOfPairs(isUrl: boolean): string {
  return isUrl ? 'Name: value' : 'NAME=value';
}

interface DraftProblems {
  readonly name?: string | undefined;
  readonly target?: string | undefined;
  readonly pairs?: string | undefined;
}

function problemsOf(draft: ServerDraft, taken: { has(name: string): boolean }): DraftProblems {
  const form = formOf(draft);
  const { name, line, url, env, headers } = problemsIn(form, taken);
  const sign = signOfPairs(form.kind === 'url');
  const bare = draft.fields.slice(firstPair).find(({ text }) => text.trim() !== '' && text.indexOf(sign) < 1);
  const pairs = bare ? `Write ${formOfPairs(form.kind === 'url')}.` : (env ?? headers);
  const target = line ?? url;
  return { ...(name && { name }), ...(target && { target }), ...(pairs && { pairs }) };
}

const labelColumns = 16;

function showForm(draft: ServerDraft, problems: DraftProblems, columns: number): ReactElement {
  const { fields, at, isSse, trouble } = draft;
  const form = formOf(draft);
  const isUrl = form.kind === 'url';
  const row = (label: string, index: number, value: Cell): ReactElement =>
    cells([{ text: label, width: labelColumns, tone: index === at ? 'strong' : 'faint' }, value], index === at);
  const field = (label: string, index: number, empty = ''): ReactElement => {
    const typed = fields[index] ?? emptyField;
    if (index === at) return row(label, index, { text: textAtCursor(typed, columns - labelColumns - 3) });
    const still = index < firstPair ? typed.text : hideValue(typed.text, signOfPairs(isUrl));
    return row(label, index, { text: still || empty, tone: still ? undefined : 'faint' });
  };
  const under = (problem: string | undefined, hint: string, tone: TextTone = 'faint') =>
    indented(labelColumns + 3, problem ? paragraph(`✗ ${problem}`, 2, 'bad') : paragraph(hint, 2, tone));
  const note = isUrl ? null : noteOnLine(splitLine(form.line));
  return stack(
    field('Name', 0),
    under(problems.name, 'Agents see its tools as name:tool.'),
    gap('after name'),
    field('Command or URL', 1),
    under(
      problems.target,
      note ?? 'As in a shell, with whole paths; or http://… or https://…',
      note ? 'notice' : 'faint',
    ),
    gap('after target'),
    isUrl
      ? row('Transport', option, { text: `[${isSse ? 'x' : ' '}] HTTP+SSE, the older one (Space)` })
      : field('Folder', option, 'that of the gateway'),
    gap('after option'),
    ...fields
      .slice(firstPair)
      .map((_, index) =>
        field(index > 0 ? '' : isUrl ? 'Headers' : 'Environment', index + firstPair, formOfPairs(isUrl)),
      ),
    under(problems.pairs, `\${secret:NAME} in a value takes a stored secret.`),
    gap('after pairs'),
    trouble === null ? null : paragraph(trouble, 4, 'bad'),
    paragraph(
      isUrl
        ? 'Enter connects to this address and shows its tools.'
        : 'Enter starts this program, with the rights of the gateway, and shows its tools.',
      2,
      'faint',
    ),
  );
}

/** A value may be a secret: it is shown only while it is typed. */
function hideValue(pair: string, sign: string): string {
  const at = pair.indexOf(sign) + 1;
  return at === 0 ? pair : pair.slice(0, at) + '•'.repeat(Math.min(8, pair.length - at));
}
