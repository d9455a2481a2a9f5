/** Key paths (`mcpServers.files.args[0]`), and where in a text the thing at such a path was written. */

import { findNodeAtLocation, type Node } from 'jsonc-parser';

export type KeyPath = readonly (string | number)[];

/** Line and column count from 1, as editors show them. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The source of a mistake: the value as written, before variables were expanded, and its position. */
export interface Source {
  /** null: it did not come from a file, and nothing has a position. */
  readonly file: string | null;
  valueAt(path: KeyPath): unknown;
  /** Where the key or value at a path begins, or the text `within` that value; the nearest parent's place if it is absent. */
  position(path: KeyPath, at: 'key' | 'value', within?: string): TextPosition | null;
}

/** A source that was parsed from a text, with positions. */
export function textSource(file: string, text: string, root: Node | undefined, value: unknown): Source {
  const positionAt = positionsOf(text);
  return {
    file,
    valueAt: (path) => valueAt(value, path),
    position(path, at, within) {
      const { node, isExact } = nearestNode(root, path);
      if (node === undefined) return positionAt(0);
      const key = node.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
      // Report a missing member at the key of the object that lacks it.
      if ((at === 'key' || !isExact) && key !== undefined) return positionAt(key.offset);
      const inside = within === undefined ? -1 : text.slice(node.offset, node.offset + node.length).indexOf(within);
      return positionAt(node.offset + Math.max(inside, 0));
    },
  };
}

/** A source that is only a value, such as a server that was given on the command line. */
export function valueSource(value: unknown): Source {
  return { file: null, valueAt: (path) => valueAt(value, path), position: () => null };
}

/** The function from an offset in a text to line and column. Lines end as in editors: LF, CRLF or CR. */
export function positionsOf(text: string): (offset: number) => TextPosition {
  const starts = [0];
  for (const end of text.matchAll(/\r\n|\n|\r/g)) starts.push(end.index + end[0].length);
  return (offset) => {
    let line = 1;
    for (let after = starts.length; line < after; ) {
      const middle = Math.ceil((line + after) / 2);
      if ((starts[middle - 1] ?? 0) > offset) after = middle - 1;
      else line = middle;
    }
    return { line, column: offset - (starts[line - 1] ?? 0) + 1 };
  };
}

const plainKey = /^[\p{L}\p{N}_$-]{1,80}$/u;
const longestKeyShown = 80;

/** `mcpServers.files.args[0]`; a key that would be misread is quoted, `mcpServers['my server'].args[0]`, a long one cut. */
export function formatPath(path: KeyPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!plainKey.test(step)) text += `['${quoteKey(step).slice(1, -1).replaceAll("'", "\\'")}']`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** A key in double quotes, on one line and not too long. */
export function quoteKey(key: string): string {
  return JSON.stringify(key.length > longestKeyShown ? `${key.slice(0, longestKeyShown)}…` : key);
}

function valueAt(root: unknown, path: KeyPath): unknown {
  let at = root;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    // Own property of an object, as was just checked; its type stays unknown.
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}

function nearestNode(root: Node | undefined, path: KeyPath): { node: Node | undefined; isExact: boolean } {
  if (root === undefined) return { node: undefined, isExact: false };
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node !== undefined) return { node, isExact: length === path.length };
  }
  return { node: root, isExact: path.length === 0 };
}
