/** Reads JSON with comments into a plain value whose every part can be found again in the text. */

import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { GatewayError } from '../base/errors.ts';
import { type Fault, IssueList } from './issues.ts';
import { limits } from './limits.ts';
import { type KeyPath, positionsOf, quoteKey, type Source, textSource } from './locate.ts';

export interface Document {
  readonly source: Source;
  /** Objects in it have no prototype, so that no key of the file can reach one. */
  readonly value: unknown;
  /** Mistakes of the document so far: keys that are written twice or never allowed. Further checks add theirs. */
  readonly issues: IssueList;
}

/** Text that is not JSON with comments is thrown as one `CONFIG_INVALID` error. */
export function readJsonc(file: string, bytes: Uint8Array): Document {
  const text = decode(file, bytes);
  const errors: ParseError[] = [];
  refuseShape(file, text);
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || root === undefined) throw syntaxError(file, text, errors);
  const positionAt = positionsOf(text);
  const faults: Fault[] = [];
  const value = toValue(root, [], {
    onProtoKey: (path, key) =>
      faults.push({
        path,
        position: positionAt(key.offset),
        at: 'key',
        message: 'the key "__proto__" is not allowed anywhere in this file.',
      }),
    onDuplicate(path, key, first) {
      const { line, column } = positionAt(first.offset);
      const message = `duplicate key ${quoteKey(String(key.value))}; it was first written at line ${line}, column ${column}.`;
      faults.push({ path, position: positionAt(key.offset), at: 'key', message });
    },
  });
  const source = textSource(file, text, root, value);
  const issues = new IssueList(source);
  for (const fault of faults) issues.add(fault);
  return { source, value, issues };
}

interface KeyFaults {
  onProtoKey(path: KeyPath, key: Node): void;
  onDuplicate(path: KeyPath, key: Node, first: Node): void;
}

/** Recursion is safe: the depth was checked before the text was parsed. */
function toValue(node: Node, path: KeyPath, faults: KeyFaults): unknown {
  if (node.type === 'array') return (node.children ?? []).map((item, index) => toValue(item, [...path, index], faults));
  if (node.type !== 'object') return node.value;
  const object: Record<string, unknown> = Object.create(null);
  const seen = new Map<string, Node>();
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) continue;
    const name = String(key.value);
    const first = seen.get(name);
    if (first !== undefined) faults.onDuplicate([...path, name], key, first);
    else if (name === '__proto__') faults.onProtoKey([...path, name], key);
    else object[name] = toValue(value, [...path, name], faults);
    if (first === undefined) seen.set(name, key);
  }
  return object;
}

function decode(file: string, bytes: Uint8Array): string {
  try {
    // Removes a byte order mark as well.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw fileError(file, '', [{ at: 0, message: 'the file is not UTF-8 text; save it in that encoding.' }], error);
  }
}

/** The scanner's numbers for `{ } [ ]` and the end, which its types only offer as a const enum. */
const token = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, end: 17 } as const;

/** Before the parser runs: it recurses, and each part of the text becomes some objects. */
function refuseShape(file: string, text: string): void {
  const scanner = createScanner(text, true);
  let depth = 0;
  let parts = 0;
  for (let kind: number = scanner.scan(); kind !== token.end; kind = scanner.scan()) {
    if (kind === token.openBrace || kind === token.openBracket) depth += 1;
    else if (kind === token.closeBrace || kind === token.closeBracket) depth -= 1;
    parts += 1;
    if (depth <= limits.maxConfigDepth && parts <= limits.maxConfigParts) continue;
    const message =
      depth > limits.maxConfigDepth
        ? `objects and lists are nested deeper than ${limits.maxConfigDepth} levels.`
        : `the file has more than ${limits.maxConfigParts} keys, values and signs.`;
    throw fileError(file, text, [{ at: scanner.getTokenOffset(), message }]);
  }
}

const mostSyntaxErrors = 3;

/** One mistake makes the parser stumble several times: only the first of a line is reported, and only the first lines. */
function syntaxError(file: string, text: string, errors: readonly ParseError[]): GatewayError {
  const positionAt = positionsOf(text);
  const byLine = new Map<number, TextFault>();
  for (const error of errors) {
    const { line } = positionAt(error.offset);
    if (byLine.has(line) || byLine.size >= mostSyntaxErrors) continue;
    byLine.set(line, { at: error.offset, message: syntaxSentence(text, error) });
  }
  return fileError(file, text, [...byLine.values()]);
}

interface TextFault {
  readonly at: number;
  readonly message: string;
}

function fileError(file: string, text: string, faults: readonly TextFault[], cause?: unknown): GatewayError {
  const positionAt = positionsOf(text);
  const issues = new IssueList(textSource(file, text, undefined, undefined));
  const found = 'text that is not JSON with comments';
  for (const { at, message } of faults) issues.add({ path: [], position: positionAt(at), found, message });
  return issues.toError(cause);
}

const sentences: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not a value; keys and text must stand in double quotes.',
  InvalidNumberFormat: 'this is not a number as JSON writes it.',
  PropertyNameExpected: 'a key in double quotes is expected here.',
  ValueExpected: 'a value is expected here.',
  ColonExpected: 'a colon is expected between the key and its value.',
  CommaExpected: 'a comma is expected between this and what stands before it.',
  CloseBraceExpected: 'a closing "}" is missing.',
  CloseBracketExpected: 'a closing "]" is missing.',
  EndOfFileExpected: 'nothing may follow the end of the configuration.',
  InvalidCommentToken: 'this is not a comment; comments begin with // or /*.',
  UnexpectedEndOfComment: 'a comment that begins with /* never ends.',
  UnexpectedEndOfString: 'a string has no closing double quote on its line.',
  UnexpectedEndOfNumber: 'this number is not complete.',
  InvalidUnicode: 'a \\u escape needs four hexadecimal digits.',
  InvalidEscapeCharacter: 'this backslash escape does not exist in JSON; write \\\\ for a backslash.',
  InvalidCharacter: 'a string holds a control character; write it as an escape such as \\n.',
};

function syntaxSentence(text: string, error: ParseError): string {
  if (text.trim() === '') return 'the file is empty; write {} for a configuration without any setting.';
  const name = printParseErrorCode(error.error);
  const sentence = sentences[name] ?? 'the file is not valid JSON here.';
  if (text[error.offset] === "'") return 'strings need double quotes, not single ones.';
  return sentence;
}
