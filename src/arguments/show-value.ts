/** Words for a value, its path and its expected type; long texts are cut and secrets masked. */

import { isObject } from '../base/json.ts';
import { isSecretKey, redactText } from '../base/redact.ts';
import { printable } from '../base/text.ts';
import { choicesOf, followed, type TamedSchema } from './tamed-schema.ts';
import type { Path } from './value-keywords.ts';

const maxShown = 60;
const maxChoices = 8;

/** One line of at most `limit` characters. */
export function cut(text: string, limit = maxShown): string {
  const line = printable(text.slice(0, limit * 2));
  return line.length <= limit && text.length <= limit * 2 ? line : `${line.slice(0, limit - 1)}…`;
}

/** A name in quotes. */
export function quotedName(name: string): string {
  return `"${cut(name)}"`;
}

/** `filter.items[2].name`; empty for the arguments as a whole. */
export function pathText(path: Path): string {
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

/** The value that came: `the string "five"`, `5`, `an object`. */
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

/** The expected type or choices in a few words; empty if that takes more. */
export function wanted(schema: unknown, tamed: TamedSchema): string {
  const own = followed(schema, tamed);
  const choices = choicesOf(own);
  if (choices) return listChoices(choices, '');
  const names = Array.isArray(own.type) ? own.type : [own.type];
  return or(names.map((name) => typeWords[String(name)] ?? '').filter(Boolean));
}

/** The type of a parameter as JSON Schema calls it, for a list of what is missing. */
export function typeName(schema: unknown, tamed: TamedSchema): string {
  const own = followed(schema, tamed);
  const choices = choicesOf(own);
  if (choices) return listChoices(choices, '');
  return typeof own.type === 'string' ? cut(own.type) : '';
}

/** `"a", "b" or "c"`, those nearest to what was meant first where there are many. */
export function listChoices(choices: readonly unknown[], near: unknown): string {
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

const words = /^\p{L}[\p{L}\d _.-]*$/u;
const oneWord = /\p{L}{3}/u;

/** True for a choice made of words, in which case means nothing. In `1M` and `Mb` it does. */
export function isInWords(choice: string): boolean {
  return words.test(choice) && oneWord.test(choice);
}
