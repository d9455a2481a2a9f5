/**
 * Sets, takes out and puts back one entry in the text of an agent's config file. Every other byte stays as it is: comments,
 * order, indentation, line breaks, a byte order mark. The text is parsed before and after, and an edit that would change
 * anything else is refused.
 */

import { isDeepStrictEqual } from 'node:util';
import { GatewayError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { FileFormat } from './agents.ts';
import { jsoncEditor } from './edit-jsonc.ts';
import { tomlEditor } from './edit-toml.ts';
import { yamlEditor } from './edit-yaml.ts';
import { parseAgentFile } from './parse-file.ts';

/** Where the entries of a file are. */
export interface EntryPlace {
  /** Its path, for messages. */
  readonly file: string;
  readonly format: FileFormat;
  /** The keys that lead to the object with the entries. */
  readonly path: readonly string[];
  /** The entries are items of a list, each with its `name` (YAML alone). */
  readonly isList?: boolean;
}

/**
 * How texts of one format are edited. An entry travels as its source: the whole member with its key, without the indentation
 * of where it stood, lines ended by LF.
 */
export interface TextEditor {
  render(text: string, place: EntryPlace, name: string, value: JsonObject): string;
  /** The source of an object that has this one member. */
  wrap(text: string, key: string, source: string): string;
  /** Replaces the member of that name, or adds it to the end of the object at `path`, which is there. */
  insert(text: string, path: readonly string[], name: string, source: string): string;
  /** Undefined where the member is written in a way that cannot be taken out on its own. */
  take(text: string, path: readonly string[], name: string): TakenEntry | undefined;
}

export interface TakenEntry {
  /** The text without the entry. */
  readonly text: string;
  readonly source: string;
}

const editors: Readonly<Record<FileFormat, TextEditor>> = {
  jsonc: jsoncEditor,
  toml: tomlEditor,
  yaml: yamlEditor,
};

/** Every entry of the file, by name. Throws CONFIG_INVALID for a text that cannot be read. */
export function entriesOf(text: string, place: EntryPlace): ReadonlyMap<string, unknown> {
  return new Map(entryRows(containerAt(parsed(text, place), place, place.path.length)));
}

/** The object or list of the entries is there. */
export function hasEntries(text: string, place: EntryPlace): boolean {
  return containerAt(parsed(text, place), place, place.path.length) !== undefined;
}

/** Nothing is in the file, wherever entries would be. */
export function isEmptyText(text: string, place: EntryPlace): boolean {
  return isEmpty(parsed(text, place));
}

/** Makes the objects above the entry where they are missing. An entry that is there with this value stays as it is written. */
export function setEntry(text: string, place: EntryPlace, name: string, value: JsonObject): string {
  if (isSame(entriesOf(text, place).get(name), value)) return text;
  const source = editors[place.format].render(withoutMark(text), place, name, value);
  return insertSource(text, place, name, source, (entry) => isSame(entry, value));
}

/** Undefined where there is no such entry. Objects above it that `original` lacks go, too, once they are empty. */
export function takeEntry(text: string, place: EntryPlace, name: string, original = text): TakenEntry | undefined {
  if (!entriesOf(text, place).has(name)) return undefined;
  const editor = editors[place.format];
  const taken = editor.take(withoutMark(text), place.path, name);
  if (taken === undefined) throw cannotEdit(place, name);
  const before = parsed(original, place);
  let after = taken.text;
  for (let depth = place.path.length; depth > 0; depth -= 1) {
    const isOurs = containerAt(before, place, depth) === undefined;
    if (!isOurs || !isEmpty(containerAt(parsed(after, place), place, depth))) break;
    after = editor.take(after, place.path.slice(0, depth - 1), place.path[depth - 1] ?? '')?.text ?? after;
  }
  const isGone = (entry: unknown) => entry === undefined;
  return { text: checked(text, markOf(text) + after, place, name, isGone), source: taken.source };
}

/** Adds an entry that was taken out, as it was written. */
export function putBackEntry(text: string, place: EntryPlace, name: string, source: string): string {
  return insertSource(text, place, name, source, (entry) => entry !== undefined);
}

function insertSource(
  text: string,
  place: EntryPlace,
  name: string,
  source: string,
  isRight: (entry: unknown) => boolean,
): string {
  const editor = editors[place.format];
  const body = withoutMark(text);
  const value = parsed(body, place);
  let depth = place.path.length;
  while (depth > 0 && containerAt(value, place, depth) == null) depth -= 1;
  const missing = place.path.slice(depth);
  const whole = missing.reduceRight((inner, key) => editor.wrap(body, key, inner), source);
  const after = editor.insert(body, place.path.slice(0, depth), missing[0] ?? name, whole);
  return checked(text, markOf(text) + after, place, name, isRight);
}

/** `after`, if it differs from `before` in the entry alone. */
function checked(
  before: string,
  after: string,
  place: EntryPlace,
  name: string,
  isRight: (entry: unknown) => boolean,
): string {
  try {
    const [was, is] = [parsed(before, place), parsed(after, place)];
    const rows = entryRows(containerAt(is, place, place.path.length));
    const [, entry] = rows.find(([key]) => key === name) ?? [];
    if (isRight(entry) && isSame(withoutEntry(was, place.path, name), withoutEntry(is, place.path, name))) return after;
  } catch (error) {
    throw cannotEdit(place, name, error);
  }
  throw cannotEdit(place, name);
}

function cannotEdit({ file, path }: EntryPlace, name: string, cause?: unknown): GatewayError {
  const where = [...path, name].join('.');
  return new GatewayError('CONFIG_INVALID', `${file} writes "${where}" in a way that Toolcrib cannot change safely.`, {
    hint: 'Change it by hand, or write each server on lines of its own and try again.',
    cause,
  });
}

const byteOrderMark = '\uFEFF';

function markOf(text: string): string {
  return text.startsWith(byteOrderMark) ? byteOrderMark : '';
}

function withoutMark(text: string): string {
  return text.slice(markOf(text).length);
}

function parsed(text: string, place: EntryPlace): unknown {
  return parseAgentFile(place.file, Buffer.from(withoutMark(text)), place.format);
}

/** The value that the first `depth` keys lead to; undefined where one is missing. Throws CONFIG_INVALID where it can hold no entry. */
function containerAt(value: unknown, place: EntryPlace, depth: number): unknown {
  let at = value;
  for (const key of place.path.slice(0, depth)) {
    if (!isObject(at)) return undefined;
    at = Object.hasOwn(at, key) ? at[key] : undefined;
  }
  const isList = place.isList === true && depth === place.path.length;
  if (at == null || (isList ? Array.isArray(at) : isObject(at))) return at;
  const where = depth === 0 ? 'The file' : `"${place.path.slice(0, depth).join('.')}"`;
  throw new GatewayError('CONFIG_INVALID', `${place.file}: ${where} must be ${isList ? 'a list' : 'an object'}.`);
}

function entryRows(container: unknown): (readonly [name: string, entry: unknown])[] {
  if (!Array.isArray(container)) return Object.entries(container ?? {});
  return container.flatMap((item) => (isObject(item) && typeof item.name === 'string' ? [[item.name, item]] : []));
}

/** The value without the entry, and without objects above it that are empty then. */
function withoutEntry(value: unknown, [key, ...rest]: readonly string[], name: string): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isObject(item) || item.name !== name);
  const members = isObject(value) ? { ...value } : {};
  if (key === undefined) {
    delete members[name];
    return members;
  }
  const inner = withoutEntry(members[key], rest, name);
  if (isEmpty(inner)) delete members[key];
  else members[key] = inner;
  return members;
}

function isEmpty(value: unknown): boolean {
  return value == null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** Whatever prototypes the parsers give their objects. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(structuredClone(one), structuredClone(other));
}
