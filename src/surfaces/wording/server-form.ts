/** The form that adds a server or changes its connection, without its looks: a command line split into words, and what is sent. */

import type { ConnectionChanges, WrittenConnection } from '../../admin/admin.ts';

export interface NamedValue {
  /** Of its row in the form. */
  readonly id: number;
  readonly name: string;
  readonly value: string;
  /** The name under which the gateway has a value that it does not show: it stays while none is typed. */
  readonly kept?: string;
}

export interface ServerForm {
  readonly name: string;
  readonly kind: 'command' | 'url';
  /** The program with its arguments, as somebody types it. */
  readonly line: string;
  readonly cwd: string;
  readonly env: readonly NamedValue[];
  readonly url: string;
  readonly isSse: boolean;
  readonly headers: readonly NamedValue[];
}

export const emptyServerForm: ServerForm = {
  ...{ name: '', kind: 'command', line: '', cwd: '', env: [], url: '', isSse: false, headers: [] },
};

export interface SplitLine {
  readonly words: readonly string[];
  /** Why it cannot be read. */
  readonly problem: string | null;
}

/**
 * Words as a shell splits them: quotes keep spaces, and a backslash keeps the space, quote or backslash behind it. Every other
 * backslash stays, because paths of Windows have them. Nothing else of a shell has a meaning here.
 */
export function splitLine(line: string): SplitLine {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at] ?? '';
    const next = line[at + 1] ?? '';
    if (sign === '\\' && quote !== "'" && next !== '' && (quote ? `${quote}\\` : ' \t"\'\\').includes(next)) {
      word = (word ?? '') + next;
      at += 1;
    } else if (quote !== undefined) {
      if (sign === quote) quote = undefined;
      else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= '';
    } else if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + sign;
  }
  if (word !== undefined) words.push(word);
  return { words, problem: quote === undefined ? null : `A quote ${quote} is not closed.` };
}

/** Signs by which a shell does more than to start a program; here they would be arguments. */
const shellWords: readonly string[] = ['|', '||', '&&', '&', ';', '>', '>>', '<'];

/** Warnings about a command line that is sent anyway. */
export function noteOnLine({ words }: SplitLine): string | null {
  const sign = words.find((word) => shellWords.includes(word));
  if (sign !== undefined)
    return `“${sign}” is passed on as an argument: no shell runs this line. To use one: sh -c '…'`;
  if (words.some((word) => /^~\//.test(word)))
    return '“~” is passed on as it is: no shell replaces it. Write the whole path.';
  return null;
}

const namePattern = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** By the name of the field that it is about. */
export type FormProblems = Readonly<Partial<Record<'name' | 'line' | 'url' | 'env' | 'headers', string>>>;

export function problemsIn(form: ServerForm, taken: { has(name: string): boolean }): FormProblems {
  const { name, kind, url } = form;
  const line = splitLine(form.line);
  return {
    ...(!namePattern.test(name) && {
      name: 'Use lowercase letters, digits, - and _. Begin with a letter or digit; at most 63 characters.',
    }),
    ...(taken.has(name) && { name: `There is already a server “${name}”.` }),
    ...(kind === 'command' && lineProblem(line)),
    ...(kind === 'command' && pairProblem('env', form.env)),
    ...(kind === 'url' && !isHttp(url) && { url: 'The URL must begin with http:// or https://.' }),
    ...(kind === 'url' && pairProblem('headers', form.headers)),
  };
}

function lineProblem({ words, problem }: SplitLine): FormProblems {
  if (problem !== null) return { line: problem };
  const [first = ''] = words;
  if (first === '') return { line: 'Type the command that starts the server.' };
  return /^https?:\/\//i.test(first) ? { line: 'This is a URL: choose “A URL” above.' } : {};
}

function pairProblem(field: 'env' | 'headers', pairs: readonly NamedValue[]): FormProblems {
  const used = pairs.filter(({ name, value, kept }) => name !== '' || value !== '' || kept !== undefined);
  if (used.some(({ name }) => name.trim() === '')) return { [field]: 'Every value needs a name.' };
  const renamed = used.find(({ name, value, kept }) => value === '' && kept !== undefined && kept !== name.trim());
  if (renamed) return { [field]: `Type the value of “${renamed.name.trim()}”: it is kept for “${renamed.kept}” only.` };
  const names = used.map(({ name }) => (field === 'headers' ? name.trim().toLowerCase() : name.trim()));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? {} : { [field]: `“${twice}” is given twice.` };
}

function isHttp(text: string): boolean {
  const url = URL.parse(text.trim());
  return url !== null && /^https?:$/.test(url.protocol);
}

/** The entry as a member of `mcpServers`, of a form without problems. */
export function specOf({ kind, line, cwd, env, url, isSse, headers }: ServerForm): Record<string, unknown> {
  if (kind === 'url') return { url: url.trim(), ...(isSse && { type: 'sse' }), ...tableOf('headers', headers) };
  const [command = '', ...args] = splitLine(line).words;
  return { command, args, ...(cwd.trim() !== '' && { cwd: cwd.trim() }), ...tableOf('env', env) };
}

function tableOf(key: string, pairs: readonly NamedValue[]): Record<string, unknown> {
  const given = pairs.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]);
  return given.length === 0 ? {} : { [key]: Object.fromEntries(given) };
}

/** The form for a server that there is, filled with all of its connection that is shown. */
export function formOf(name: string, written: WrittenConnection): ServerForm {
  const form = { ...emptyServerForm, name, kind: written.kind };
  if (written.kind === 'url')
    return { ...form, url: written.url, isSse: written.isSse, headers: pairsOf(written.headers) };
  const { command, args, cwd, env } = written;
  return { ...form, line: [command, ...args].map(lineWord).join(' '), cwd: cwd ?? '', env: pairsOf(env) };
}

/** `splitLine` reads it as it was; quoted only where it has to be, because most lines are not. */
function lineWord(word: string): string {
  return /^[^\s"'\\]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function pairsOf(values: Readonly<Record<string, string | null>>): NamedValue[] {
  return Object.entries(values).map(([name, value], at) => ({
    ...{ id: at + 1, name, value: value ?? '' },
    ...(value === null && { kept: name }),
  }));
}

/** The difference between a form without problems and the connection that it was filled with. */
export function changesIn(form: ServerForm, written: WrittenConnection): ConnectionChanges {
  if (form.kind === 'url') {
    const before = written.kind === 'url' ? written : { url: '', isSse: false, headers: {} };
    const { isSse, headers } = form;
    const url = form.url.trim();
    return {
      ...(url !== before.url && { url }),
      ...(isSse !== before.isSse && { type: isSse ? 'sse' : 'http' }),
      ...changedPairs('headers', headers, before.headers),
    };
  }
  const before = written.kind === 'command' ? written : { command: '', args: [], cwd: null, env: {} };
  const [command = '', ...args] = splitLine(form.line).words;
  const cwd = form.cwd.trim() || null;
  return {
    ...(command !== before.command && { command }),
    ...(JSON.stringify(args) !== JSON.stringify(before.args) && { args }),
    ...(cwd !== before.cwd && { cwd }),
    ...changedPairs('env', form.env, before.env),
  };
}

/** Names that are gone are told: nothing is taken out because it was left out. */
function changedPairs(
  key: 'env' | 'headers',
  pairs: readonly NamedValue[],
  before: Readonly<Record<string, string | null>>,
): ConnectionChanges {
  const given = pairs.filter(({ name }) => name.trim() !== '');
  const names = new Set(given.map(({ name }) => name.trim()));
  const gone = Object.keys(before).filter((name) => !names.has(name));
  const isKept = ({ value, kept }: NamedValue) => value === '' && kept !== undefined;
  const typed = given.filter((pair) => !isKept(pair) && pair.value !== before[pair.name.trim()]);
  const changes = [...gone.map((name) => [name, null]), ...typed.map(({ name, value }) => [name.trim(), value])];
  return changes.length === 0 ? {} : { [key]: Object.fromEntries(changes) };
}
