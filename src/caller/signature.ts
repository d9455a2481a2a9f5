/** A tool's parameters as a short line: `owner, repo, title, body?`, with types where they are simple. */

import { isObject } from '../base/json.ts';

const maxShown = 20;

export function signatureOf(inputSchema: unknown): string {
  const schema = isObject(inputSchema) ? inputSchema : {};
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const names = Object.keys(properties);
  const ordered = [
    ...names.filter((name) => required.includes(name)),
    ...names.filter((name) => !required.includes(name)),
  ];
  const shown = ordered
    .slice(0, maxShown)
    .map((name) => `${name}${required.includes(name) ? '' : '?'}${typeOf(properties[name])}`);
  return shown.join(', ') + (ordered.length > maxShown ? `, … ${ordered.length - maxShown} more` : '');
}

/** Strings go without saying; choices and other simple types are worth their few characters. */
function typeOf(property: unknown): string {
  if (!isObject(property)) return '';
  const { enum: choices, type } = property;
  if (Array.isArray(choices) && choices.length > 0 && choices.length <= 6) {
    const text = choices.map((choice) => String(choice)).join('|');
    if (text.length <= 60) return `: ${text}`;
  }
  if (typeof type !== 'string' || type === 'string') return '';
  return `: ${type}`;
}
