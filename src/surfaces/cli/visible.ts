/** Text of strangers with nothing hidden: what a person would not see is written as an escape. */

/** Everything but letters, marks, digits, signs, plain spaces and line breaks; and fillers that look like spaces. */
const unseen =
  /[^\P{C}\n]|\u034f|[\u115f\u1160\u2028\u2029\u2800\u3164\uffa0]|[\u17b4\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|(?! )\p{Zs}/gu;

export function visible(text: string): string {
  return text.replace(unseen, (found) => {
    const code = (found.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** The same on one line: a line break in a name would look like a row of its own. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll('\n', '\\u000a');
}
