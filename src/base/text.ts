/** Small pure functions on text that came from elsewhere. */

/** A text that a server was to give: anything else in its place says nothing. */
export function givenText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** C0 and C1 controls, bidirectional overrides and invisible format characters: nothing of these may reach a terminal or a log line. */
const unprintable =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

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
  const line = text.trim().split(/\n\s*\n|\n(?=[-*#])/, 1)[0] ?? '';
  const flat = line.replace(/\s+/g, ' ').trim();
  const end = /[.!?](?=\s+[\p{Lu}"'(`*]|$)/u.exec(flat);
  const sentence = end ? flat.slice(0, end.index + 1) : flat;
  return cutAtWord(sentence, limit);
}

/** At most `limit` characters, cut between words, with an ellipsis where something was cut. */
export function cutAtWord(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, limit - 1);
  const space = head.lastIndexOf(' ');
  return `${(space > limit / 2 ? head.slice(0, space) : head).trimEnd()}…`;
}
