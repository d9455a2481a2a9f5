/** Reads code without running it: the syntax tree of JavaScript, TypeScript without its types, and the mistake in code that is neither. */

import { stripTypeScriptTypes } from 'node:module';
import { Script } from 'node:vm';
import { type AnyNode, type Expression, type Options, type Program, parse, tokenizer, tokTypes } from 'acorn';
import { messageOf } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';

/** A mistake in code; lines and columns count from 1. */
export interface SyntaxMistake {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** TypeScript that is more than types. */
  readonly isUnsupported?: boolean;
  /** The reader itself broke and must not be used again. */
  readonly isFatal?: boolean;
}

export interface SyntaxTree {
  readonly statements: Program['body'];
  /** How often each name is written. */
  readonly mentions: ReadonlyMap<string, number>;
}

const dialect = { ecmaVersion: 'latest', preserveParens: true } satisfies Options;
/** Statements are read as the body of an async function, where `return`, `await` and `using` may stand. */
const bodyStart = 'async function $() {';
const bodyEnd = '\n}';
/** Final for JavaScript: the reader of types would break on such code. */
export const tooDeep: SyntaxMistake = { message: 'The code is nested too deeply' };

/** The parser recurses until the stack ends, which is a mistake like any other. */
export function parseCode(code: string): SyntaxTree | { readonly error: unknown } {
  const tree = parseModule(`${bodyStart}${code}${bodyEnd}`, 'script');
  if ('error' in tree) return tree;
  const [only, next] = tree.statements;
  // Brackets in the code that close the function leave more than one statement.
  if (next !== undefined || only?.type !== 'FunctionDeclaration') return { error: new SyntaxError('Unexpected token') };
  return { statements: only.body.body, mentions: tree.mentions };
}

export function parseModule(
  source: string,
  sourceType: 'module' | 'script' = 'module',
): SyntaxTree | { readonly error: unknown } {
  const mentions = new Map<string, number>();
  const count = (name: string) => mentions.set(name, (mentions.get(name) ?? 0) + 1);
  const onToken: Options['onToken'] = ({ type, start, end }) =>
    type === tokTypes.name && count(source.slice(start, end));
  try {
    return { statements: parse(source, { ...dialect, sourceType, onToken }).body, mentions };
  } catch (error) {
    return { error };
  }
}

/** The expression that all of the code is, between brackets that nothing in it can close; undefined where it is none. */
export function expressionIn(code: string, opening = '(', closing = ')'): Expression | undefined {
  const source = `${opening}\n${code}\n${closing}`;
  const tree = parseCode(source);
  const [only, next] = 'error' in tree ? [] : tree.statements;
  if (next !== undefined || only?.type !== 'ExpressionStatement') return undefined;
  const { expression } = only;
  const isWhole = expression.type === 'ParenthesizedExpression' && expression.end - expression.start === source.length;
  return isWhole ? expression.expression : undefined;
}

/** All nodes below some and themselves, except those below a node that `isClosed`. Without recursion, because trees may be deep. */
export function* nodesIn(roots: readonly AnyNode[], isClosed: (node: AnyNode) => boolean): Generator<AnyNode> {
  const open = [...roots];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    yield node;
    if (!isClosed(node)) for (const value of Object.values(node).flat()) if (isNode(value)) open.push(value);
  }
}

function isNode(value: unknown): value is AnyNode {
  return isObject(value) && typeof value.type === 'string';
}

export interface Outline {
  readonly isEmpty: boolean;
  /** How deep brackets are nested. */
  readonly depth: number;
  /** Positions of `import` and `export` outside all brackets. */
  readonly moduleWords: readonly number[];
}

/** Works on JavaScript and TypeScript alike, and on code that does not parse. */
export function outlineOf(code: string): Outline {
  const moduleWords: number[] = [];
  const depth = new Depth();
  let last = 0;
  let before = '';
  try {
    for (const { type, start, end } of tokenizer(code, dialect)) {
      const isModuleWord = type === tokTypes._import || type === tokTypes._export;
      if (isModuleWord && depth.now === 0 && !before.endsWith('.')) moduleWords.push(start);
      before = code.slice(start, end);
      depth.count(before);
      last = end;
    }
  } catch {
    // From here on signs are counted, whether they are code or text: this is a bound, not a reading.
    for (const sign of code.slice(last)) depth.count(sign);
    before = code.slice(last);
  }
  return { isEmpty: before === '', depth: depth.most, moduleWords };
}

class Depth {
  now = 0;
  most = 0;

  count(token: string): void {
    if (/^(?:[([{]|\$\{)$/.test(token)) this.now += 1;
    else if (/^[)\]}]$/.test(token)) this.now -= 1;
    this.most = Math.max(this.most, this.now);
  }
}

const AsyncFunction = (async () => {}).constructor as new (body: string) => unknown;

/** The mistake in code that the parser has refused, in the words of V8, which say more than the parser's. */
export function mistakeIn(code: string, refusal: unknown): SyntaxMistake {
  try {
    // Compiled as a body, which cannot be closed from inside, as a text that is put between brackets could be.
    new AsyncFunction(code);
  } catch (error) {
    return error instanceof RangeError ? tooDeep : located(code, messageOf(error));
  }
  if (refusal instanceof RangeError || /stack space/.test(messageOf(refusal))) return tooDeep;
  const { loc } = refusal as { readonly loc?: { readonly line: number } };
  return { message: messageOf(refusal).replace(/ \(\d+:\d+\)$/, ''), ...(loc !== undefined && { line: loc.line }) };
}

/** The same error once more, from a compiler that says where it is. */
function located(code: string, message: string): SyntaxMistake {
  try {
    // Compiled and dropped; it has a line of its own in front.
    new Script(`(async () => {\n${code}\n})`, { filename: 'code' });
  } catch (error) {
    const position = positionIn(error);
    if (position === undefined) return { message };
    const lines = lineCount(code);
    if (position.line - 1 <= lines) return { message: messageOf(error), ...position, line: position.line - 1 };
    return { message: 'The code ends too early: a bracket, a quote or a comment is not closed', line: lines };
  }
  // Only brackets that close what they did not open parse here and nowhere else.
  return { message: 'A closing bracket has no opening one' };
}

/** The reader of types recurses without a limit of its own; code that breaks it all the same is a fatal mistake. */
const deepestTypeScript = 100;

export type Stripped = { readonly code: string } | { readonly mistake: SyntaxMistake };

/** The code without its types, with every other character where it was. */
export function withoutTypes(code: string, depth: number): Stripped {
  if (depth > deepestTypeScript) return { mistake: tooDeep };
  const opening = 'async function $() {\n';
  try {
    return { code: stripTypeScriptTypes(code, { mode: 'strip' }) };
  } catch (error) {
    if (!messageOf(error).startsWith('Return statement')) return { mistake: readMistake(error, 0) };
  }
  try {
    return { code: stripTypeScriptTypes(`${opening}${code}\n}`, { mode: 'strip' }).slice(opening.length, -2) };
  } catch (error) {
    return { mistake: readMistake(error, 1) };
  }
}

function readMistake(error: unknown, linesBefore: number): SyntaxMistake {
  const { code } = error as { code?: unknown };
  const isUnsupported = code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
  if (!isUnsupported && code !== 'ERR_INVALID_TYPESCRIPT_SYNTAX')
    return { message: 'The code cannot be read as TypeScript', isFatal: true };
  const position = positionIn(error);
  const message =
    messageOf(error)
      .replace(/ in (?:type )?strip(?:-only)? mode/, ' here')
      .split('\n', 1)[0] ?? '';
  return {
    message,
    ...(isUnsupported && { isUnsupported }),
    ...(position !== undefined && { ...position, line: Math.max(1, position.line - linesBefore) }),
  };
}

/** Compilers write `file:line`, the line and a mark below it in front of the stack. */
function positionIn(error: unknown): { readonly line: number; readonly column?: number } | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const line = /^[^\n]*:(\d+)\n/.exec(stack)?.[1];
  const mark = /\n( *)\^/.exec(stack.slice(0, stack.search(/\n *at /)))?.[1];
  if (line === undefined) return undefined;
  return { line: Number(line), ...(mark !== undefined && { column: mark.length + 1 }) };
}

function lineCount(code: string): number {
  return code.trimEnd().split('\n').length;
}
