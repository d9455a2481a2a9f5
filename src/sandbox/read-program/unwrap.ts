/** Takes code out of the fences, prose, tags and quotes that models wrap it in. Dropped lines stay as empty ones. */

const codeLanguages = new Set([
  '',
  'js',
  'javascript',
  'jsx',
  'mjs',
  'cjs',
  'node',
  'ts',
  'typescript',
  'tsx',
  'json',
  'json5',
]);

/** The code without a byte order mark, a first line for a shell or a label that says the language. */
export function withoutLabels(code: string): string {
  return code
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/^#![^\n]*/, '')
    .replace(/^(\s*)(?:js|javascript|ts|typescript)[ \t]*(?=\n)/i, '$1')
    .replace(/^(\s*)javascript:/i, '$1');
}

/** True for a text that begins with a fence, which could be read as code by accident. */
export function beginsFenced(code: string): boolean {
  return /^\s*(?:`{3}|~{3})/.test(code);
}

/** The fenced blocks of a text, each at its own lines; undefined where there are none. */
export function withoutFences(text: string): string | undefined {
  const single = /^\s*`{3}([\w+#.-]*)[ \t]+([^\n`]+)`{3}\s*$/.exec(text);
  if (single !== null)
    return codeLanguages.has((single[1] ?? '').toLowerCase()) ? single[2] : `${single[1]} ${single[2]}`;
  const kept: string[] = [];
  let fence: string | undefined;
  let isCode = false;
  let hasCode = false;
  for (const line of text.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/.exec(line);
    if (fence === undefined && mark !== null) {
      fence = mark[1] ?? '';
      isCode = codeLanguages.has((mark[2] ?? '').toLowerCase());
      hasCode ||= isCode;
      kept.push('');
    } else if (fence !== undefined && mark !== null && (mark[1] ?? '').startsWith(fence) && mark[2] === '') {
      fence = undefined;
      kept.push('');
    } else kept.push(fence === undefined || !isCode ? '' : line);
  }
  return hasCode ? kept.join('\n') : undefined;
}

/** The inside of a tag such as `<code>`, or of quotes of Markdown around everything. */
export function withoutTags(text: string): string | undefined {
  const tag = /^(\s*)<([a-z][\w-]*)(?:\s[^>\n]*)?>([\s\S]*)<\/\2>\s*$/i.exec(text);
  if (tag !== null) return `${tag[1]}${tag[3]}`;
  const quoted = /^(\s*)`([^`]*)`\s*;?\s*$/.exec(text);
  const inside = quoted?.[2] ?? '';
  return quoted !== null && /\w\s*\(/.test(inside) && !inside.includes('${') ? `${quoted[1]}${inside}` : undefined;
}

export interface Repair {
  readonly note: string;
  readonly apply: (code: string) => string;
}

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#34': '"',
  '#x27': "'",
  nbsp: ' ',
};
const decoded = (code: string) =>
  code.replace(/&(#?\w+);/g, (whole, name: string) => entities[name.toLowerCase()] ?? whole);
const straightened = (code: string) =>
  code
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f]/g, '"')
    .replace(/\u00a0/g, ' ');

/** Tried in this order, and only on code that does not parse as it is. */
export const repairs: readonly Repair[] = [
  { note: 'HTML entities were read as the signs they stand for.', apply: decoded },
  { note: 'Typographic quotes were read as plain ones.', apply: straightened },
  {
    note: 'The first line is not code and was left out.',
    apply: (code) => code.replace(/^(\s*)[^\n{}()=;]*[:.!][ \t]*(?=\n)/, '$1'),
  },
  {
    note: 'Line breaks written as \\n were read as line breaks.',
    apply: (code) => (code.includes('\n') ? code : code.replace(/\\r?\\n|\\n/g, '\n').replace(/\\"/g, '"')),
  },
  {
    note: 'HTML entities and typographic quotes were read as plain signs.',
    apply: (code) => straightened(decoded(code)),
  },
];
