/** Turns `key=value` words into the arguments of a tool, each value read as the tool's schema says. */

import { GatewayError } from '../base/errors.ts';
import { isObject, parseJson } from '../base/json.ts';
import { typeInWords } from '../base/text.ts';

/** Throws USAGE for a word that is no pair and ARGUMENTS_INVALID for a value of the wrong type. */
export function readPairs(tool: string, schema: unknown, words: readonly string[]): Record<string, unknown> {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const values = new Map<string, unknown>();
  for (const word of words) {
    const at = word.indexOf('=');
    if (at <= 0) {
      throw new GatewayError('USAGE', `The argument "${word}" is not of the form key=value.`, {
        hint: howToWrite(Object.keys(properties), word),
      });
    }
    const key = word.slice(0, at);
    if (values.has(key)) {
      throw new GatewayError('USAGE', `The argument "${key}" is given twice.`, {
        hint: `Write a list as JSON: ${key}='[1,2]'`,
      });
    }
    values.set(key, readValue(tool, key, word.slice(at + 1), properties[key]));
  }
  return Object.fromEntries(values);
}

function howToWrite([first, ...others]: readonly string[], word: string): string {
  if (first === undefined) return 'It takes no parameters.';
  return `It takes: ${[first, ...others].join(', ')}. For example: ${first}=${word}`;
}

/** How each JSON type is read from text; undefined where the text is not of that type. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  null: (text) => (text === 'null' ? null : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  integer: (text) => (/^[+-]?\d+$/.test(text) ? Number(text) : undefined),
  number: (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined),
  array: (text) => readJson(text, Array.isArray),
  object: (text) => readJson(text, isObject),
  // Last, because every text is a string.
  string: (text) => text,
};

/** A value whose type the schema does not state is read as JSON where it is JSON, else as text. */
function readValue(tool: string, key: string, text: string, property: unknown): unknown {
  const types = typesOf(property);
  if (types.length === 0) return readJson(text, () => true) ?? text;
  for (const [type, read] of Object.entries(readers)) {
    const value = types.includes(type) ? read(text) : undefined;
    if (value !== undefined) return value;
  }
  const wanted = types.some((type) => type === 'array' || type === 'object') ? ', written as JSON' : '';
  const message = `The argument "${key}" of "${tool}" must be of the type ${typeInWords(property)}${wanted}, not "${text}".`;
  throw new GatewayError('ARGUMENTS_INVALID', message, { hint: `See: toolcrib info ${tool}` });
}

/** The types that a property may have; none where the schema does not say. */
function typesOf(property: unknown): readonly string[] {
  if (!isObject(property)) return [];
  if (typeof property.type === 'string') return [property.type];
  if (Array.isArray(property.type)) return property.type.map(String);
  if (Array.isArray(property.enum)) return [...new Set(property.enum.map((value) => typeof value))];
  const variants = [property.anyOf, property.oneOf].find(Array.isArray) ?? [];
  const types = variants.map(typesOf);
  return types.some((found) => found.length === 0) ? [] : types.flat();
}

function readJson(text: string, fits: (value: unknown) => boolean): unknown {
  try {
    const value = parseJson(text);
    return fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
