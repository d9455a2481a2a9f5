/** Edits one member of a mapping, or one item of a list, in a YAML text. */

import { type Document, isCollection, isMap, isPair, isScalar, isSeq, type Node, type Pair, stringify } from 'yaml';
import type { TextEditor } from './edit-entry.ts';
import {
  afterLineBreak,
  beforeLineBreak,
  indentAt,
  lineBreakOf,
  lineEnd,
  lineStart,
  withIndent,
  withoutIndent,
} from './text-lines.ts';
import { yamlDocument } from './yaml-document.ts';

export const yamlEditor: TextEditor = {
  render(text, { isList }, name, value) {
    const options = { indent: unitOf(text).length, lineWidth: 0 };
    return stringify(isList ? [value] : { [name]: value }, options).trimEnd();
  },
  wrap: (text, key, source) => `${stringify(key).trimEnd()}:\n${withIndent(source, unitOf(text), '\n')}`,
  insert(text, path, name, source) {
    const blocks = blocksOf(text, containerAt(yamlDocument(text), path));
    const [last, own] = [blocks.at(-1), blocks.find((block) => block.name === name)];
    if (last === undefined) return begin(text, path, source);
    const lines = withIndent(source, last.indent, lineBreakOf(text));
    if (own !== undefined) return text.slice(0, own.start) + lines + text.slice(own.end);
    return text.slice(0, last.end) + lineBreakOf(text) + lines + text.slice(last.end);
  },
  take(text, path, name) {
    const document = yamlDocument(text);
    const container = containerAt(document, path);
    const blocks = blocksOf(text, container);
    const own = blocks.find((block) => block.name === name);
    if (own === undefined) return undefined;
    const source = withoutIndent(text.slice(own.start, own.end), own.indent);
    const above = text.slice(0, beforeLineBreak(text, own.start));
    const below = text.slice(own.start === 0 ? afterLineBreak(text, own.end) : own.end);
    // A key with nothing below it would have no value.
    const at = blocks.length === 1 && path.length > 0 ? valueStart(text, document, path) : 0;
    const empty = at === 0 ? '' : isSeq(container) ? ' []' : ' {}';
    return { text: above.slice(0, at) + empty + above.slice(at) + below, source };
  },
};

/** The indentation of one level: that of the first line that has one. */
function unitOf(text: string): string {
  return /^( +)[^\s#]/m.exec(text)?.[1] ?? '  ';
}

function containerAt(document: Document, path: readonly string[]): unknown {
  return path.length === 0 ? document.contents : document.getIn(path, true);
}

/** The lines of one member or item. */
interface Block {
  readonly name: unknown;
  readonly indent: string;
  /** Where the first line begins, and where the last one ends before its line break. */
  readonly start: number;
  readonly end: number;
}

/** None for what is not written in lines. */
function blocksOf(text: string, container: unknown): Block[] {
  if (!isCollection(container) || container.flow) return [];
  return container.items.map((item) => {
    const pair = item as Pair<Node, Node | null>;
    const isItem = isSeq(container);
    const first = isItem ? text.lastIndexOf('-', startOf(item)) : startOf(pair.key);
    const start = lineStart(text, first);
    return {
      name: isItem ? isMap(item) && item.get('name') : isScalar(pair.key) && pair.key.value,
      indent: indentAt(text, first),
      start,
      end: lineEnd(text, lastEnd(text, item)),
    };
  });
}

function startOf(node: unknown): number {
  return (node as Node).range?.[0] ?? 0;
}

/** Where the text of a node ends: behind the last thing in it. */
function lastEnd(text: string, item: unknown): number {
  if (isPair(item)) return lastEnd(text, item.value ?? item.key);
  if (isCollection(item) && !item.flow && item.items.length > 0) return lastEnd(text, item.items.at(-1));
  // A text of several lines has the line break at its end.
  return beforeLineBreak(text, (item as Node).range?.[1] ?? 0);
}

/** Behind the colon of the last key. */
function valueStart(text: string, document: Document, path: readonly string[]): number {
  const parent = containerAt(document, path.slice(0, -1));
  const pairs = isMap(parent) ? parent.items : [];
  const pair = pairs.find(({ key }) => isScalar(key) && key.value === path.at(-1));
  return text.indexOf(':', isScalar(pair?.key) ? pair.key.range?.[1] : 0) + 1;
}

/** The first entry of an object or list, in place of the empty one, or at the end of a file without any. */
function begin(text: string, path: readonly string[], source: string): string {
  const lineBreak = lineBreakOf(text);
  const document = yamlDocument(text);
  const empty = containerAt(document, path);
  if (path.length > 0) {
    const at = valueStart(text, document, path);
    const parentIndent = indentAt(text, at);
    const [start, end] = isCollection(empty) ? [empty.range?.[0] ?? at, empty.range?.[1] ?? at] : [at, at];
    const lines = withIndent(source, parentIndent + unitOf(text), lineBreak);
    // A comment on the line of the key stays there: behind the entry it would go with it.
    const stop = lineEnd(text, end);
    return text.slice(0, start).trimEnd() + text.slice(end, stop).trimEnd() + lineBreak + lines + text.slice(stop);
  }
  if (isCollection(empty))
    return text.slice(0, startOf(empty)) + withIndent(source, '', lineBreak) + text.slice(empty.range?.[1]);
  const isOpen = text !== '' && beforeLineBreak(text, text.length) === text.length;
  return text + (isOpen ? lineBreak : '') + withIndent(source, '', lineBreak) + lineBreak;
}
