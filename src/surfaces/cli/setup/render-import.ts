/** The plan of `import` and what came of it, as people read them. */

import { agents } from '../../../agent-files/agent-files.ts';
import { plural } from '../../../base/plural.ts';
import { visibleLine } from '../../../base/visible.ts';
import type { CommandContext } from '../context.ts';
import { table } from '../table.ts';
import type { ImportPlan, ImportRow } from './plan-import.ts';

/** Servers that can be chosen are numbered, in the order of `importable`. */
export function renderPlan({ rows, importable, troubles }: ImportPlan, context: CommandContext): string {
  const { style, width } = context;
  const numbers = new Map(importable.map(({ name }, at) => [name, at + 1]));
  const list = table(
    rows,
    [
      { title: '', cell: (row) => (isNew(row) ? String(numbers.get(row.name)) : ''), isNumber: true },
      { title: 'NAME', cell: ({ name }) => name, paint: (text) => style.strong(text) },
      { title: 'FROM', cell: fromInWords },
      { title: 'PLAN', cell: planInWords, paint: (text, row) => (isNew(row) ? style.good(text) : style.faint(text)) },
      { title: 'SERVER', cell: ({ target }) => target },
    ],
    { style, width },
  );
  const more = [...rows.flatMap(remarksOn), ...troubles.map(({ message }) => `Skipped: ${message}`)];
  return [...(rows.length === 0 ? [] : [list]), ...(more.length === 0 ? [] : [more.join('\n')])].join('\n\n');
}

/** In one line, and with nothing hidden. */
export function variableInWords({ name, value }: ImportRow['variables'][number]): string {
  return `${visibleLine(name)}=${visibleLine(value)}`;
}

function isNew({ state }: ImportRow): boolean {
  return state === 'new' || state === 'conflict';
}

/** Each agent once. */
function fromInWords({ from }: ImportRow): string {
  const titles = from.map(({ agent, scope }) => `${agents[agent].title}${scope === 'user' ? '' : ` (${scope})`}`);
  return [...new Set(titles)].join(', ');
}

function planInWords({ state, name, isEnabled, secrets }: ImportRow): string {
  if (state === 'equal') return `already here as ${name}`;
  if (state === 'impossible') return 'impossible';
  const parts = [
    state === 'conflict' ? 'new name' : 'new',
    ...(isEnabled ? [] : ['disabled, as there']),
    ...(secrets.length === 0 ? [] : [`${plural(secrets.length, 'secret')} to the vault`]),
  ];
  return parts.join(', ');
}

function remarksOn(row: ImportRow): string[] {
  const { state, name, from, isOwn, reason, variables, secretsToSet, notes } = row;
  const [first] = from;
  return [
    ...(state === 'conflict' ? [`${name}: another server is named "${first?.name}".`] : []),
    ...(state === 'impossible' ? [`${name}: ${reason} (${first?.file})`] : []),
    ...(isNew(row) && !isOwn ? [`${name}: only in a file of this project: --project takes it (${first?.file})`] : []),
    ...variables.map(
      (variable) => `${name}: sets ${variableInWords(variable)}, which changes what runs (${first?.file})`,
    ),
    ...(state === 'equal' ? [] : notes.map((note) => `${name}: ${note}`)),
    ...secretsToSet.map((secret) => `${name}: needs a secret that only you know: toolcrib secret set ${secret}`),
  ];
}
