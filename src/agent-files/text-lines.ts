/** Lines of a text as they are: where they begin and end, how deep they are indented, which line break they use. */

/** The first line break decides; LF where there is none. */
export function lineBreakOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** Where the line of `at` begins. */
export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** Where the line of `at` ends, before its line break. */
export function lineEnd(text: string, at: number): number {
  const next = text.indexOf('\n', at);
  if (next === -1) return text.length;
  return next > at && text[next - 1] === '\r' ? next - 1 : next;
}

/** Where the line break that ends at `at` begins; `at` itself where there is none. */
export function beforeLineBreak(text: string, at: number): number {
  if (text[at - 1] !== '\n') return at;
  return text[at - 2] === '\r' ? at - 2 : at - 1;
}

/** Where the line break that begins at `at` ends; `at` itself where there is none. */
export function afterLineBreak(text: string, at: number): number {
  if (text[at] === '\n') return at + 1;
  return text.startsWith('\r\n', at) ? at + 2 : at;
}

/** The spaces and tabs that the line of `at` begins with. */
export function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? '';
}

/** Every line that is not empty one indent deeper, with the line breaks of another text. */
export function withIndent(source: string, indent: string, lineBreak: string): string {
  return source
    .split('\n')
    .map((line) => (line === '' ? line : indent + line))
    .join(lineBreak);
}

/** The opposite of `withIndent`; lines that are less deep stay as they are. */
export function withoutIndent(source: string, indent: string): string {
  return source
    .split(/\r?\n/)
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n');
}
