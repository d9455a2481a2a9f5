/** Small pure functions on text that came from elsewhere. */

import { isObject } from './json.ts';

/** A text that a server was to give: anything else counts as empty. */
export function givenText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** C0 and C1 controls but for line breaks and tabs, bidirectional overrides and invisible format characters: no reader may be deceived by them. */
const unprintable =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** JSON in which all of these are escaped, not only the lowest: the value is the same, and no line of it can deceive. */
export function printableJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(unprintable, escaped);
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** The text with control and direction characters removed and line breaks turned into spaces: safe to print on one line. */
export function printable(text: string): string {
  return text.replace(/[\r\n\t]+/g, ' ').replace(unprintable, '');
}

/** The same for text that may keep its line breaks. */
export function printableLines(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(unprintable, '');
}

/** Spaces around a name as escapes: nobody sees them there, and with them it is another name. */
export function withEdges(name: string): string {
  return name.replace(/^ +| +$/g, (spaces) => '\\u0020'.repeat(spaces.length));
}

/** The first sentence of a description, cut at `limit` characters at a word. */
export function firstSentence(text: string, limit = 160): string {
  const line =
    text
      .trim()
      .replace(headings, '')
      .split(/\n\s*\n|\n(?=[-*#])/, 1)[0] ?? '';
  const flat = line.replace(/\s+/g, ' ').trim();
  const end = /[.!?](?=\s+[\p{Lu}"'(`*]|$)/u.exec(flat);
  const sentence = end ? flat.slice(0, end.index + 1) : flat;
  return cutAtWord(sentence, limit);
}

/** Before the text that they stand over; a heading alone is kept. */
const headings = /^(?:#{1,6}[ \t][^\n]*\n\s*)+(?=[^#\s])/;

/** At most `limit` characters, cut between words, with an ellipsis where something was cut. */
export function cutAtWord(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, limit - 1);
  const space = head.lastIndexOf(' ');
  return `${(space > limit / 2 ? head.slice(0, space) : head).trimEnd()}…`;
}

/** Compatibility forms, case, characters without a shape, and spaces around it do not make another name; a control character does. */
export function foldName(name: string): string {
  if (plain.test(name)) return name.toLowerCase();
  // To and fro: the capital of "ı" is that of "i", and "ẞ" becomes "ss" only by way of "ß".
  const folded = name.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
  return folded.replace(shapeless, '').trim();
}

/** Nearly every name, and folding those must cost nothing: it is done for each member of each message. */
const plain = /^[\x21-\x7e]*$/;
const shapeless = /\p{Default_Ignorable_Code_Point}/gu;

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
