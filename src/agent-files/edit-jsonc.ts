/** Edits one member of an object in a text of JSON with comments. */

import assert from 'node:assert/strict';
import { applyEdits, createScanner, type Edit, findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import type { TextEditor } from './edit-entry.ts';
import { beforeLineBreak, indentAt, lineBreakOf, lineEnd, lineStart, withIndent, withoutIndent } from './text-lines.ts';

export const jsoncEditor: TextEditor = {
  render: (text, _place, name, value) => `${JSON.stringify(name)}: ${JSON.stringify(value, null, unitOf(text))}`,
  wrap: (text, key, source) => `${JSON.stringify(key)}: {\n${withIndent(source, unitOf(text), '\n')}\n}`,
  insert(text, path, name, source) {
    const whole = withRoot(text);
    const object = objectAt(whole, path);
    const member = memberOf(object, name);
    if (member === undefined) return applyEdits(whole, additionTo(whole, object, source));
    const content = withIndent(source, indentAt(whole, member.offset), lineBreakOf(whole)).trimStart();
    return applyEdits(whole, [{ offset: member.offset, length: member.length, content }]);
  },
  take(text, path, name) {
    const object = objectAt(text, path);
    const member = memberOf(object, name);
    if (member === undefined) return undefined;
    const source = text.slice(member.offset, endOf(member));
    return {
      text: applyEdits(text, removalOf(text, object, member)),
      source: withoutIndent(source, indentAt(text, member.offset)),
    };
  },
};

/** The scanner's numbers, which its types only offer as a const enum. */
const kinds = { comma: 5, lineComment: 12, blockComment: 13, lineBreak: 14, trivia: 15, end: 17 } as const;

interface Token {
  readonly kind: number;
  readonly start: number;
  readonly end: number;
}

/** Commas and comments between two places, and whatever else there is but space. */
function tokensIn(text: string, from: number, to: number): Token[] {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  const tokens: Token[] = [];
  for (let kind: number = scanner.scan(); kind !== kinds.end; kind = scanner.scan()) {
    const start = scanner.getTokenOffset();
    if (start >= to) break;
    if (kind !== kinds.lineBreak && kind !== kinds.trivia) tokens.push({ kind, start, end: scanner.getPosition() });
  }
  return tokens;
}

function isComment({ kind }: Token): boolean {
  return kind === kinds.lineComment || kind === kinds.blockComment;
}

function withRoot(text: string): string {
  return text.trim() === '' ? `{}${lineBreakOf(text)}` : text;
}

function objectAt(text: string, path: readonly string[]): Node {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const object = root && findNodeAtLocation(root, [...path]);
  assert(object !== undefined, 'an object that is edited must be there');
  return object;
}

function memberOf(object: Node, name: string): Node | undefined {
  return object.children?.find(({ children }) => children?.[0]?.value === name);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** The indentation of one level: that of the first key on a line of its own. */
function unitOf(text: string): string {
  return /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
}

/** After the last member and the comments on its line; with a comma at its end where the last one has one. */
function additionTo(text: string, object: Node, source: string): Edit[] {
  const last = object.children?.at(-1);
  const from = last === undefined ? object.offset + 1 : endOf(last);
  const close = endOf(object) - 1;
  const rest = tokensIn(text, from, close);
  const comma = rest.find(({ kind }) => kind === kinds.comma);
  let at = comma?.end ?? from;
  for (const token of rest) if (token.start >= at && !text.slice(at, token.start).includes('\n')) at = token.end;

  const breaksBetween = (one: number, other: number) => text.slice(one, other).includes('\n');
  const first = object.children?.[0];
  const isClosedHere = !breaksBetween(at, close);
  const isInline = first !== undefined && isClosedHere && !breaksBetween(object.offset, first.offset);
  const lineBreak = lineBreakOf(text);
  const outer = indentAt(text, object.offset);
  const isBelow = last !== undefined && breaksBetween(object.offset, last.offset);
  const indent = isInline ? outer : isBelow ? indentAt(text, last.offset) : outer + unitOf(text);
  const content = [
    isInline ? ' ' : lineBreak + indent,
    withIndent(source, indent, lineBreak).trimStart(),
    comma === undefined ? '' : ',',
    first === undefined && isClosedHere ? lineBreak + outer : '',
  ].join('');
  // Spaces in an empty object would be left at the end of a line.
  const blank = first === undefined && rest.length === 0 && isClosedHere ? close - from : 0;
  const separator = last === undefined || comma !== undefined ? [] : [{ offset: from, length: 0, content: ',' }];
  return [...separator, { offset: at, length: blank, content }];
}

/** The member with its comma, and the line break before it. */
function removalOf(text: string, object: Node, member: Node): Edit[] {
  const members = object.children ?? [];
  const index = members.indexOf(member);
  const [previous, next] = [members[index - 1], members[index + 1]];
  const from = previous === undefined ? object.offset + 1 : endOf(previous);
  const close = endOf(object) - 1;
  const before = tokensIn(text, from, member.offset);
  const after = tokensIn(text, endOf(member), next?.offset ?? close);
  if (members.length === 1 && ![...before, ...after].some(isComment))
    return [{ offset: from, length: close - from, content: '' }];
  const own = after.find(({ kind }) => kind === kinds.comma);
  const comma = own ?? before.find(({ kind }) => kind === kinds.comma);
  const end = own !== undefined && after[0] === own ? own.end : endOf(member);
  const [start, stop] = spaceAround(text, member.offset, end, before.at(-1), after);
  const cut = [{ offset: start, length: stop - start, content: '' }];
  if (comma === undefined || comma.start === end - 1) return cut;
  return [...cut, { offset: comma.start, length: 1, content: '' }];
}

/** The start and end of the cut. The line break stays where the rest of the line would get into a comment of another line. */
function spaceAround(text: string, offset: number, end: number, previous: Token | undefined, after: readonly Token[]) {
  const space = offset - (/[ \t]*$/.exec(text.slice(lineStart(text, offset), offset))?.[0].length ?? 0);
  const start = beforeLineBreak(text, space);
  const line = text.slice(end, lineEnd(text, end));
  const isBeforeComment = after.some(
    (token) => isComment(token) && token.start >= end && token.start < end + line.length,
  );
  const isBehindComment = previous?.kind === kinds.lineComment && line.trim() !== '';
  if (start === space || !(isBeforeComment || isBehindComment)) return [start, end] as const;
  return [offset, end + line.length - line.trimStart().length] as const;
}
