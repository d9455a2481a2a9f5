/** Text of strangers with nothing hidden: what a person would not see is written as an escape. */

import { withEdges } from './text.ts';

/** Everything but letters, marks, digits, signs, plain spaces and line breaks; and fillers that look like spaces. */
const unseen =
  /[^\P{C}\n]|\u034f|[\u115f\u1160\u2028\u2029\u2800\u3164\uffa0]|[\u17b4\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|(?! )\p{Zs}/gu;

export function visible(text: string): string {
  return text.replace(unseen, (found) => {
    const code = (found.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** Ordinary characters of a page: tabs, spaces that do not break, and one selector behind a picture. */
const ordinary = /([\t\u00a0\u202f]|\p{Extended_Pictographic}\ufe0f)/u;

/** The same for a page. */
export function visibleText(text: string): string {
  const parts = text.split(ordinary);
  return parts.map((part, at) => (at % 2 === 1 ? part : visible(part))).join('');
}

/** The same for a name: a line break in it would look like a row of its own, and a space at its end like none. */
export function visibleLine(text: string): string {
  return withEdges(visible(text).replaceAll('\n', '\\u000a'));
}

/** A name as it can be typed at a shell, escapes and all; `readTyped` takes it back. */
export function typed(name: string): string {
  const shown = visibleLine(name.replaceAll('\\', '\\u005c')).replaceAll("'", '\\u0027');
  return /^[\p{L}\p{M}\p{N}_.:@/+-]+$/u.test(shown) ? shown : `'${shown}'`;
}

export function readTyped(text: string): string {
  return text.replace(/\\u(?:([\da-f]{4})|\{([\da-f]{5,6})\})/g, (whole, short?: string, long?: string) => {
    const code = Number.parseInt(short ?? long ?? '', 16);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
  });
}
