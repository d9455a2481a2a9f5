/** The type of a parameter as people read it. */

import { isObject } from './json.ts';

const maxChoicesLength = 80;

/** The type, or the values that are allowed where they are few. */
export function typeInWords(property: unknown): string {
  if (!isObject(property)) return 'any';
  if (Array.isArray(property.enum)) {
    const choices = property.enum.map(String).join('|');
    if (choices.length <= maxChoicesLength) return choices;
  }
  if (property.type === 'array' && isObject(property.items)) return `list of ${typeInWords(property.items)}`;
  if (typeof property.type === 'string') return property.type;
  return Array.isArray(property.type) ? property.type.map(String).join('|') : 'any';
}
