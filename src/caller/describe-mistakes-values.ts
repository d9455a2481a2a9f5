/** Words for what a value is, where it stands and what was wanted there; nothing long and no secret is said again. */

import { isObject } from '../base/json.ts';
import { isSecretKey, redactText } from '../base/redact.ts';
import { printable } from '../base/text.ts';
import { refers, type TamedSchema } from './tame-schema.ts';
import type { Path, Schema } from './validate-arguments-place.ts';
import { typeOfValue } from './validate-arguments-values.ts';

const maxShown = 60;
const maxChoices = 8;
/** References that are followed to say what was wanted. */
const maxFollowed = 8;

/** At most so many characters, on one line. */
export function cut(text: string, limit = maxShown): string {
  const line = printable(text.slice(0, limit * 2));
  return line.length <= limit && text.length <= limit * 2 ? line : `${line.slice(0, limit - 1)}…`;
}

/** A name in quotes. */
export function quoted(name: string): string {
  return `"${cut(name)}"`;
}

/** `filter.items[2].name`; empty for the arguments as a whole. */
export function placeOf(path: Path): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${cut(part, 40)}`));
  return cut(parts.join('').replace(/^\./, ''), 120);
}

/** A value, short: `"five"`, `5`, `[1,2]`. */
export function show(value: unknown, path: Path): string {
  if (path.some((part) => typeof part === 'string' && isSecretKey(part))) return '***';
  if (typeof value === 'string') return JSON.stringify(cut(redactText(value.slice(0, 4 * maxShown))));
  if (typeof value !== 'object' || value === null) return String(value);
  if (JSON.isRawJSON(value)) return JSON.stringify(value);
  // Enough members to fill the line, one level deep: a long value is not written out to be cut.
  if (Array.isArray(value))
    return cut(
      `[${value
        .slice(0, 20)
        .map((item) => showMember(item, path))
        .join(',')}]`,
    );
  const members = Object.entries(value)
    .slice(0, 20)
    .map(([name, member]) => `${JSON.stringify(cut(name))}:${showMember(member, [...path, name])}`);
  return cut(`{${members.join(',')}}`);
}

function showMember(value: unknown, path: Path): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : '[…]';
  return isObject(value) ? '{…}' : show(value, path);
}

/** What came: `the string "five"`, `5`, `an object`. */
export function got(value: unknown, path: Path): string {
  if (typeof value === 'string') return `the string ${show(value, path)}`;
  if (Array.isArray(value)) return 'an array';
  return isObject(value) ? 'an object' : show(value, path);
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

/** What a schema wants, in a few words; empty where it is too much for that. */
export function wanted(schema: unknown, tamed: TamedSchema): string {
  const own = followed(schema, tamed);
  const choices = choicesOf(own);
  if (choices) return oneOf(choices, '');
  const names = Array.isArray(own.type) ? own.type : [own.type];
  return or(names.map((name) => typeWords[String(name)] ?? '').filter(Boolean));
}

/** The type of a parameter as JSON Schema calls it, for a list of what is missing. */
export function typeName(schema: unknown, tamed: TamedSchema): string {
  const own = followed(schema, tamed);
  const choices = choicesOf(own);
  if (choices) return oneOf(choices, '');
  return typeof own.type === 'string' ? cut(own.type) : '';
}

/** `"a", "b" or "c"`, those nearest to what was meant first where there are many. */
export function oneOf(choices: readonly unknown[], near: unknown): string {
  const ordered = near === '' ? choices : [near, ...choices.filter((choice) => choice !== near)];
  const shown = ordered.slice(0, maxChoices).map((choice) => show(choice, []));
  const more = choices.length - shown.length;
  if (shown.length === 1 && more === 0) return shown[0] ?? '';
  return `one of ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export function or(words: readonly string[]): string {
  const distinct = [...new Set(words)];
  if (distinct.length < 2) return distinct[0] ?? '';
  return `${distinct.slice(0, -1).join(', ')} or ${distinct.at(-1)}`;
}

/** The values that a schema lists, if it does. */
export function choicesOf(schema: Schema): readonly unknown[] | undefined {
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum;
  return schema.const === undefined ? undefined : [schema.const];
}

/** A schema, or the one that it refers to. */
export function followed(schema: unknown, tamed: TamedSchema): Schema {
  let at = schema;
  for (let count = 0; count < maxFollowed && isObject(at) && refers(at); count += 1) at = tamed.target(at);
  return isObject(at) ? at : {};
}

/** Whether a schema speaks of values of this kind at all. */
export function isOfType(schema: Schema, value: unknown): boolean {
  if (schema.type === undefined) return true;
  const names: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const actual = typeOfValue(value);
  return names.some((name) => name === actual || (name === 'integer' && actual === 'number'));
}
