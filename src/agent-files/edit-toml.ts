/** Edits one table of a TOML text, with the tables inside it. */

import { parse, stringify } from 'smol-toml';
import type { JsonObject } from '../base/json.ts';
import type { TextEditor } from './edit-entry.ts';
import { afterLineBreak, beforeLineBreak, lineBreakOf, lineEnd, lineStart, withIndent } from './text-lines.ts';
import { type TomlStatement, tomlStatements } from './toml-statements.ts';

export const tomlEditor: TextEditor = {
  render: (_text, { path }, name, value) => render([...path, name], value),
  // A table names all that is above it.
  wrap: (_text, _key, source) => source,
  insert(text, path, name, source) {
    const [first, ...others] = runsOf(text, [...path, name]);
    if (first === undefined) return append(text, source);
    if (!first.isTable) return append(without(text, [first, ...others]), source);
    const rest = without(text, others);
    return rest.slice(0, first.start) + withIndent(source, '', lineBreakOf(text)) + rest.slice(first.end);
  },
  take(text, path, name) {
    const runs = runsOf(text, [...path, name]);
    if (runs.length === 0) return undefined;
    return { text: without(text, runs), source: sourceOf(text, runs, [...path, name]) };
  },
};

function render(path: readonly string[], value: unknown): string {
  const nested = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return stringify(nested as JsonObject).trimEnd();
}

/** Lines of an entry without another statement between them; its comments are among them. */
interface Run {
  readonly isTable: boolean;
  /** Where the first line begins, and where the last one ends before its line break. */
  readonly start: number;
  readonly end: number;
}

function runsOf(text: string, path: readonly string[]): Run[] {
  const isOwn = (statement: TomlStatement) => path.every((key, at) => statement.path[at] === key);
  const runs: Run[] = [];
  let open: { -readonly [K in keyof Run]: Run[K] } | undefined;
  for (const statement of tomlStatements(text)) {
    const end = lineEnd(text, statement.end);
    if (!isOwn(statement)) open = undefined;
    else if (open !== undefined) open.end = end;
    else {
      open = { isTable: statement.isTable, start: lineStart(text, statement.start), end };
      runs.push(open);
    }
  }
  return runs;
}

/** With the line break before each of them, and the empty line before a table. */
function without(text: string, runs: readonly Run[]): string {
  return runs.reduceRight((rest, { isTable, start, end }) => {
    const above = beforeLineBreak(rest, start);
    const isAfterEmpty = isTable && above < start && lineStart(rest, above) === above;
    const from = isAfterEmpty ? beforeLineBreak(rest, above) : above;
    return rest.slice(0, from) + rest.slice(start === 0 ? afterLineBreak(rest, end) : end);
  }, text);
}

/** Values that stand in the table of something else have to be written as a table of their own. */
function sourceOf(text: string, runs: readonly Run[], path: readonly string[]): string {
  if (!runs.every(({ isTable }) => isTable)) {
    const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], parse(text));
    return render(path, value);
  }
  return runs.map(({ start, end }) => text.slice(start, end).replaceAll('\r\n', '\n')).join('\n\n');
}

/** Before the line break at the end of the file, if it has one. */
function append(text: string, source: string): string {
  const lineBreak = lineBreakOf(text);
  const block = withIndent(source, '', lineBreak);
  const end = beforeLineBreak(text, text.length);
  if (text.slice(0, end).trim() === '') return text.slice(0, end) + block + (text.slice(end) || lineBreak);
  return text.slice(0, end) + lineBreak + lineBreak + block + text.slice(end);
}
