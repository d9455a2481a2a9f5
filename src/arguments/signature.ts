/** A tool's parameters as a short line: `owner, repo, title, body?`, with types where they are simple. */

import { isObject } from '../base/json.ts';
import { atPointer } from './tamed-schema.ts';
import type { JsonSchema } from './value-keywords.ts';

const maxShown = 20;
const maxTypeLength = 60;
const maxNesting = 4;
/** Characters of a line for an agent about to call the tool; about 110 tokens. */
const usualLength = 400;

interface Parameter {
  readonly name: string;
  readonly isRequired: boolean;
  /** Empty where it goes without saying or takes too many words. */
  readonly type: string;
}

/**
 * A line longer than `mostLength` loses first the types of what may be left out, then the last of those
 * names, then the types of what must be given: that last of all, because no call succeeds without it.
 */
export function signatureOf(inputSchema: unknown, mostLength = usualLength): string {
  const parameters = readParameters(inputSchema);
  const typed = parameters.map(typedName);
  const sparing = parameters.map((parameter) => (parameter.isRequired ? typedName(parameter) : bareName(parameter)));
  const mustHave = sparing.slice(0, parameters.filter(({ isRequired }) => isRequired).length);
  for (const words of [typed, sparing]) if (shown(words).length <= mostLength) return shown(words);
  const isRoomy = shown(mustHave).length + restLength <= mostLength;
  return cut(isRoomy ? sparing : parameters.map(bareName), mostLength);
}

/** Required parameters first. */
function readParameters(inputSchema: unknown): Parameter[] {
  const root = isObject(inputSchema) ? inputSchema : {};
  const schema = followed(root, root, 0);
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : []);
  const names = Object.keys(properties);
  const ordered = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
  return ordered.map((name) => {
    const type = typeOf(properties[name], root, 0);
    // Strings go without saying; choices and other simple types are worth their few characters.
    const isSaid = type !== 'string' && type.length <= maxTypeLength;
    return { name, isRequired: required.has(name), type: isSaid ? type : '' };
  });
}

function typedName(parameter: Parameter): string {
  return parameter.type === '' ? bareName(parameter) : `${bareName(parameter)}: ${parameter.type}`;
}

function bareName({ name, isRequired }: Parameter): string {
  return isRequired ? name : `${name}?`;
}

function shown(words: readonly string[], count = maxShown): string {
  const head = words.slice(0, count);
  const left = words.length - head.length;
  return [...head, ...(left > 0 ? [`… ${left} more`] : [])].join(', ');
}

/** `, … 12 more` */
const restLength = 11;

function cut(words: readonly string[], mostLength: number): string {
  let count = Math.min(words.length, maxShown);
  while (count > 0 && shown(words, count).length > mostLength) count -= 1;
  return shown(words, count);
}

/** Some schemas are no more than a reference to what they are. */
function followed(schema: unknown, root: JsonSchema, nesting: number): JsonSchema {
  if (!isObject(schema) || nesting > maxNesting) return {};
  const { $ref, properties } = schema;
  const isElsewhere = properties === undefined && typeof $ref === 'string' && $ref.startsWith('#/');
  return isElsewhere ? followed(atPointer($ref.slice(1), root), root, nesting + 1) : schema;
}

/** Empty where there is no short word for it. */
function typeOf(property: unknown, root: JsonSchema, nesting: number): string {
  if (!isObject(property) || nesting > maxNesting) return '';
  const { enum: choices, type, $ref, anyOf, oneOf } = property;
  if (Array.isArray(choices) && choices.length > 0 && choices.length <= 6) {
    const text = choices.map((choice) => (isSimple(choice) ? String(choice) : '…')).join('|');
    if (text.length <= maxTypeLength) return text;
  }
  if (type === 'array') return listOf(property.items, root, nesting);
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return either(type.map(String));
  if (typeof $ref === 'string' && $ref.startsWith('#/'))
    return typeOf(atPointer($ref.slice(1), root), root, nesting + 1);
  const forms = Array.isArray(anyOf) ? anyOf : oneOf;
  if (!Array.isArray(forms) || forms.length > 4) return '';
  return either(forms.map((form) => typeOf(form, root, nesting + 1)));
}

function listOf(items: unknown, root: JsonSchema, nesting: number): string {
  const item = typeOf(items, root, nesting + 1);
  return item === '' || /[|[]/.test(item) ? 'array' : `${item}[]`;
}

/** Null goes without saying: what may be null may nearly always be left out. */
function either(names: readonly string[]): string {
  const said = new Set(names.filter((name) => name !== 'null'));
  return said.has('') ? '' : [...said].join('|');
}

function isSimple(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
